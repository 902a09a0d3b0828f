import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createOwner } from './accounts.ts';
import { createKnownClients } from './known-clients.ts';
import { deriveKey } from './signature.ts';

const ADMIN = { email: 'Ada@Example.com', password: 'a long enough password', name: 'Ada' };
const DAY_MS = 86_400_000;

let folder: string;
let database: OpenDatabase;
let now: number;
const open = () => openTestDatabase(join(folder, 'darkroom.db'));
const clientsOf = (database: OpenDatabase, options: { max?: number; secret?: string } = {}) =>
  createKnownClients(database, {
    secret: () => options.secret ?? 'a secret',
    max: options.max ?? 3,
    days: 90,
    now: () => now,
  });
beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z');
  folder = await mkdtemp(join(tmpdir(), 'darkroom-clients-'));
  database = await open();
  await createOwner({ db: database.db, ...ADMIN });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test('a client that signed in is known afterwards, also after a restart, and no other is', async () => {
  await clientsOf(database).add('ada@example.com', '192.0.2.7');
  await database.close();
  database = await open();
  const clients = clientsOf(database);
  expect(await clients.has('ADA@example.com', '192.0.2.7')).toBe(true);
  expect(await clients.has('ada@example.com', '192.0.2.8')).toBe(false);
  expect(await clients.has('eve@example.com', '192.0.2.7')).toBe(false);
});

test('a client that signed in at one node is known to another', async () => {
  const other = await open();
  await clientsOf(database).add('ada@example.com', '192.0.2.7');
  expect(await clientsOf(other).has('ada@example.com', '192.0.2.7')).toBe(true);
  await other.close();
});

test('sign-ins of many at the same time keep to the limit', async () => {
  const clients = clientsOf(database);
  await Promise.all(Array.from({ length: 20 }, (_, n) => clients.add(ADMIN.email, `client ${n}`)));
  await clients.add(ADMIN.email, 'one more');
  expect(await database.db.selectFrom('sign_in_client').select('client').execute()).toHaveLength(3);
});

test('it stays known when the account has another e-mail address, and goes with the account', async () => {
  const clients = clientsOf(database);
  await clients.add('ada@example.com', '192.0.2.7');
  await database.db.updateTable('user').set({ email: 'lovelace@example.com' }).execute();
  expect(await clients.has('lovelace@example.com', '192.0.2.7')).toBe(true);
  await database.db.deleteFrom('user').execute();
  expect(await database.db.selectFrom('sign_in_client').selectAll().execute()).toEqual([]);
});

test('beyond the limit the one that signed in longest ago is deleted', async () => {
  const clients = clientsOf(database);
  for (const client of ['one', 'two', 'three', 'one', 'four']) {
    now += 1000;
    await clients.add(ADMIN.email, client);
  }
  const known = await Promise.all(['one', 'two', 'three', 'four'].map((client) => clients.has(ADMIN.email, client)));
  expect(known).toEqual([true, false, true, true]);
});

test('it is no longer known after its days, and is deleted by the next sign-in', async () => {
  const clients = clientsOf(database);
  await clients.add(ADMIN.email, 'one');
  now += 90 * DAY_MS - 1;
  expect(await clients.has(ADMIN.email, 'one')).toBe(true);
  now += 1;
  expect(await clients.has(ADMIN.email, 'one')).toBe(false);
  await clients.add(ADMIN.email, 'two');
  expect(await database.db.selectFrom('sign_in_client').select('usedAt').execute()).toHaveLength(1);
});

test('with a limit of 0 none is stored', async () => {
  const clients = clientsOf(database, { max: 0 });
  await clients.add(ADMIN.email, 'one');
  expect(await clients.has(ADMIN.email, 'one')).toBe(false);
});

test('an address is not stored, but a hash that needs the secret', async () => {
  await clientsOf(database).add(ADMIN.email, '192.0.2.7');
  const rows = await database.db.selectFrom('sign_in_client').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('192.0.2.7');
  const key = deriveKey('a secret', 'sign-in-clients');
  expect(rows[0]?.client).toBe(createHmac('sha256', key).update('192.0.2.7').digest('base64url'));
  expect(await clientsOf(database, { secret: 'another secret' }).has(ADMIN.email, '192.0.2.7')).toBe(false);
});

test('an account that does not exist has no clients', async () => {
  for (const email of ['eve@example.com', '', 'a\0b@example.com', '\ud800', 'x'.repeat(100_000)])
    expect(await clientsOf(database).has(email, '192.0.2.7'), email.slice(0, 20)).toBe(false);
  await clientsOf(database).add('eve@example.com', '192.0.2.7');
  expect(await database.db.selectFrom('sign_in_client').selectAll().execute()).toEqual([]);
});
