import { sameTestsInSpace } from './same-tests.ts';
import { QUEUE } from './suites.ts';

sameTestsInSpace('host', QUEUE);
