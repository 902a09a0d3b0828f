import { sameTestsInSpace } from './same-tests.ts';
import { QUEUE } from './suites.ts';

sameTestsInSpace('prefix', QUEUE);
