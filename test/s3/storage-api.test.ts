import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('files on a bucket', () => import('../api/storage.test.ts'));
