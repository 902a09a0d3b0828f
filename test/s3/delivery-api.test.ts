import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('delivery on a bucket', () => import('../api/delivery.test.ts'));
sameTestsOnS3('ranges on a bucket', () => import('../api/ranges.test.ts'));
sameTestsOnS3('conditional on a bucket', () => import('../api/conditional.test.ts'));
sameTestsOnS3('caching on a bucket', () => import('../api/caching.test.ts'));
sameTestsOnS3('streams on a bucket', () => import('../api/streams.test.ts'));
