import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('videos on a bucket', () => import('../api/video.test.ts'));
sameTestsOnS3('the status of videos on a bucket', () => import('../api/video-status.test.ts'));
sameTestsOnS3('videos among the files of a bucket', () => import('../api/video-library.test.ts'));
sameTestsOnS3('frames on a bucket', () => import('../api/video-frames.test.ts'));
sameTestsOnS3('streams on a bucket', () => import('../api/streaming.test.ts'));
sameTestsOnS3('streams of files of a bucket that change', () => import('../api/streaming-changes.test.ts'));
