import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDatabaseHealth } from './health.ts';
import { openDatabase } from './open.ts';
import type { OpenDatabase } from './schema.ts';

let folder: string;
let file: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-health-'));
  file = join(folder, 'darkroom.db');
  database = await openDatabase({ file });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test('a healthy database answers with path, size, permissions and record counts, and no warning', async () => {
  const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
  const verification = { identifier: 'i', value: 'v', expiresAt: times.createdAt, ...times };
  await database.db
    .insertInto('verification')
    .values([
      { id: 'a', ...verification },
      { id: 'b', ...verification },
    ])
    .execute();
  await sql`pragma wal_checkpoint(truncate)`.execute(database.db);
  expect(await readDatabaseHealth(database)).toEqual({
    connected: true,
    path: file,
    size: `${(await stat(file)).size / 1024} KB`,
    permissions: '600',
    tables: { user: 0, session: 0, account: 0, verification: 2, apiKey: 0 },
  });
});

test.each([
  [0o640, '640', true],
  [0o644, '644', true],
  [0o700, '700', true],
  [0o400, '400', false],
])('permissions %o are shown as %s', async (mode, permissions, warned) => {
  await chmod(file, mode);
  const health = await readDatabaseHealth(database);
  expect(health.permissions).toBe(permissions);
  expect(health.security_warning).toBe(
    warned ? `Expected permissions 600 or stricter, found ${permissions}.` : undefined,
  );
});

test('a file that is gone is a file error, without its path in the message', async () => {
  const health = await readDatabaseHealth({ ...database, location: join(folder, 'gone.db') });
  expect(health).toMatchObject({ connected: true, tables: { user: 0 } });
  expect(health).not.toHaveProperty('size');
  expect(health).not.toHaveProperty('permissions');
  expect(health.file_error).toContain('it is no longer there');
  expect(health.file_error).not.toContain(folder);
});

test('a missing table is a table error', async () => {
  await sql`drop table verification`.execute(database.db);
  const health = await readDatabaseHealth(database);
  expect(health).toMatchObject({ connected: true, permissions: '600' });
  expect(health).not.toHaveProperty('tables');
  expect(health.table_error).toContain('verification');
});

test('another journal mode is a warning', async () => {
  await sql`pragma journal_mode = delete`.execute(database.db);
  expect((await readDatabaseHealth(database)).warning).toContain('journal mode delete');
});

test('a database that does not answer is not connected, and its file is still described', async () => {
  await database.close();
  expect(await readDatabaseHealth(database)).toMatchObject({
    connected: false,
    path: file,
    permissions: '600',
  });
});
