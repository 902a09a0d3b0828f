import { sameTestsInSpace } from './same-tests.ts';

sameTestsInSpace('host', 'upload', () => import('../api/upload.test.ts'));
sameTestsInSpace('host', 'upload-types', () => import('../api/upload-types.test.ts'));
sameTestsInSpace('host', 'upload-requests', () => import('../api/upload-requests.test.ts'));
sameTestsInSpace('host', 'upload-url', () => import('../api/upload-url.test.ts'));
sameTestsInSpace('host', 'existing', () => import('../api/existing.test.ts'));
sameTestsInSpace('host', 'prewarm', () => import('../api/prewarm.test.ts'));
sameTestsInSpace('host', 'presigned-prewarm', () => import('../api/presigned-prewarm.test.ts'));
sameTestsInSpace('host', 'signed-upload', () => import('../api/signed-upload.test.ts'));
sameTestsInSpace('host', 'signature-purposes', () => import('../api/signature-purposes.test.ts'));
sameTestsInSpace('host', 'resumable-uploads', () => import('../api/resumable-uploads.test.ts'));
sameTestsInSpace('host', 'anonymous-uploads', () => import('../api/anonymous-uploads.test.ts'));
