import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('files on a bucket', () => import('../api/storage.test.ts'));
sameTestsOnS3('folders on a bucket', () => import('../api/folders.test.ts'), ['sorts by the time of the last change']);
sameTestsOnS3('downloads on a bucket', () => import('../api/download.test.ts'));
sameTestsOnS3('uploads on a bucket', () => import('../api/upload.test.ts'));
sameTestsOnS3('prewarming on a bucket', () => import('../api/prewarm.test.ts'), ['with f renders that format only']);
