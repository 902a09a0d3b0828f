import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('delivery on a bucket', () => import('../api/delivery.test.ts'));
sameTestsOnS3('ranges on a bucket', () => import('../api/ranges.test.ts'));
sameTestsOnS3('conditional requests on a bucket', () => import('../api/conditional.test.ts'), [
  'a 304 touches no pixel, also when the variant is gone from the cache',
]);
sameTestsOnS3('caching on a bucket', () => import('../api/caching.test.ts'), [
  'differs between the variants of a file and between files',
  'is new when the original changes on the disk, and so are the pixels and the date',
  'is rendered again when its file is complete',
]);
