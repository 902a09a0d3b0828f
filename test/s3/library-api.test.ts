import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('storage on a bucket', () => import('../api/storage.test.ts'));
sameTestsOnS3('folders on a bucket', () => import('../api/folders.test.ts'));
sameTestsOnS3('delete on a bucket', () => import('../api/delete.test.ts'));
sameTestsOnS3('download on a bucket', () => import('../api/download.test.ts'));
sameTestsOnS3('upload on a bucket', () => import('../api/upload.test.ts'));
sameTestsOnS3('prewarm on a bucket', () => import('../api/prewarm.test.ts'));
sameTestsOnS3('stats on a bucket', () => import('../api/stats.test.ts'));
