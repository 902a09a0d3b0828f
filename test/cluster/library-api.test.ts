import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('files', () => import('../api/storage.test.ts'));
