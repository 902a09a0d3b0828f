import { sameTestsInSpace } from '../spaces/same-tests.ts';
import { ON_ONE_MACHINE, onCluster, STORAGE } from '../spaces/suites.ts';
import { sameTestsOnCluster } from './same-tests.ts';

const SUITES = onCluster('prefix', STORAGE);

sameTestsOnCluster('the files of a space', async () => sameTestsInSpace('prefix', SUITES), ON_ONE_MACHINE);
