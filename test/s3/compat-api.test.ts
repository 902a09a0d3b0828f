import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('names without extensions on a bucket', () => import('../api/compat/found-names.test.ts'));
