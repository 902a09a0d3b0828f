import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('downloads on a bucket', () => import('../api/download.test.ts'));
sameTestsOnS3('uploads on a bucket', () => import('../api/upload.test.ts'));
sameTestsOnS3('prewarming on a bucket', () => import('../api/prewarm.test.ts'), ['with f renders that format only']);
sameTestsOnS3('resumable uploads on a bucket', () => import('../api/resumable-uploads.test.ts'));
