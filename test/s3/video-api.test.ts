import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('video on a bucket', () => import('../api/video.test.ts'));
sameTestsOnS3('video-status on a bucket', () => import('../api/video-status.test.ts'));
