import { sameTestsInSpace } from '../spaces/same-tests.ts';
import { DELIVERY, ON_ONE_MACHINE, onCluster, QUEUE, UPLOADS } from '../spaces/suites.ts';
import { sameTestsOnCluster } from './same-tests.ts';

const SUITES = onCluster('host', DELIVERY, UPLOADS, QUEUE);

sameTestsOnCluster('in a space', async () => sameTestsInSpace('host', SUITES), ON_ONE_MACHINE);
