import { sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('the audit log on PostgreSQL', () => import('../../src/audit/audit-log.test.ts'));
