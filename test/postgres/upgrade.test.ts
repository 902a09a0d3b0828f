import { sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('an upgrade on PostgreSQL', () => import('../../src/db/upgrade.test.ts'));
