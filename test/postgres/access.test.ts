import { sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('keys on PostgreSQL', () => import('../../src/auth/keyring.test.ts'), [
  'is stored hashed, and nowhere in the database files',
  'that cannot be written refuses nobody',
  'of a key with a limit that cannot be counted is 503',
]);
sameTestsOnPostgres('keys after an upgrade on PostgreSQL', () => import('../../src/auth/key-upgrade.test.ts'));
sameTestsOnPostgres('the first key on PostgreSQL', () => import('../../src/auth/first-key.test.ts'));
sameTestsOnPostgres('accounts on PostgreSQL', () => import('../../src/auth/auth.test.ts'), [
  // Only SQLite understands the query; open.test.ts compares the tables with those of SQLite.
  'the tables are what better-auth asks for: no migration is pending',
]);
sameTestsOnPostgres('sessions on PostgreSQL', () => import('../../src/auth/sessions.test.ts'), [
  'is let in as it is while the database cannot be written, and prolonged afterwards',
]);
sameTestsOnPostgres('known clients on PostgreSQL', () => import('../../src/auth/known-clients.test.ts'));
sameTestsOnPostgres('members on PostgreSQL', () => import('../../src/auth/members.test.ts'));
sameTestsOnPostgres('invitations on PostgreSQL', () => import('../../src/auth/invitations.test.ts'));
sameTestsOnPostgres('people behind sessions on PostgreSQL', () => import('../../src/auth/session-holder.test.ts'));
