import { sameTestsInSpace } from '../spaces/same-tests.ts';
import { ON_ONE_MACHINE, onCluster, STORAGE } from '../spaces/suites.ts';
import { sameTestsOnCluster } from './same-tests.ts';

const SUITES = onCluster('host', STORAGE);

sameTestsOnCluster('the files of a space', async () => sameTestsInSpace('host', SUITES), ON_ONE_MACHINE);
