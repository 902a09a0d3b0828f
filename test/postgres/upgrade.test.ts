import { sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('an upgrade on PostgreSQL', () => import('../../src/db/upgrade.test.ts'));
sameTestsOnPostgres('messages after an upgrade on PostgreSQL', () => import('../../src/outbox/outbox-upgrade.test.ts'));
