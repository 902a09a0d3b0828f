import { sameTestsInSpace } from './same-tests.ts';
import { STORAGE } from './suites.ts';

sameTestsInSpace('prefix', STORAGE);
