import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('quotas of spaces', () => import('../spaces/quota.test.ts'));
sameTestsOnCluster('what counts for quotas', () => import('../spaces/quota-growth.test.ts'));
