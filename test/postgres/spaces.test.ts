import { sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('keys of spaces on PostgreSQL', () => import('../../src/auth/space-keys.test.ts'));
sameTestsOnPostgres('jobs of spaces on PostgreSQL', () => import('../contracts/space-jobs.test.ts'));
sameTestsOnPostgres('webhooks of spaces on PostgreSQL', () => import('../../src/webhooks/space-webhooks.test.ts'));
sameTestsOnPostgres('tickets of spaces on PostgreSQL', () => import('../contracts/space-tickets.test.ts'));
sameTestsOnPostgres('changes of spaces on PostgreSQL', () => import('../../src/spaces/manager.test.ts'));
