import { sameTestsInSpace } from './same-tests.ts';
import { DELIVERY } from './suites.ts';

sameTestsInSpace('prefix', DELIVERY);
