import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('the queue', () => import('../api/queue.test.ts'));
