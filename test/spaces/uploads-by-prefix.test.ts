import { sameTestsInSpace } from './same-tests.ts';
import { UPLOADS } from './suites.ts';

sameTestsInSpace('prefix', UPLOADS);
