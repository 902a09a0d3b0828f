import { sameTestsOnS3 } from './bucket.ts';

sameTestsOnS3('videos on a bucket', () => import('../api/video.test.ts'));
