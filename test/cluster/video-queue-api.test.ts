import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('the queue of videos', () => import('../api/video-queue.test.ts'));
