import { sameTestsInSpace } from './same-tests.ts';
import { DELIVERY } from './suites.ts';

sameTestsInSpace('host', DELIVERY);
