import { sameTestsInSpace } from '../spaces/same-tests.ts';
import { ON_CLUSTER } from '../spaces/suites.ts';
import { sameTestsOnCluster } from './same-tests.ts';

sameTestsOnCluster('in a space', async () => sameTestsInSpace('prefix', ON_CLUSTER), [
  'sorts by the time of the last change',
]);
