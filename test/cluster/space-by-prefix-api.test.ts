import { sameTestsInSpace } from '../spaces/same-tests.ts';
import { DELIVERY, ON_ONE_MACHINE, onCluster, QUEUE, UPLOADS } from '../spaces/suites.ts';
import { sameTestsOnCluster } from './same-tests.ts';

const SUITES = onCluster('prefix', DELIVERY, UPLOADS, QUEUE);

sameTestsOnCluster('in a space', async () => sameTestsInSpace('prefix', SUITES), ON_ONE_MACHINE);
