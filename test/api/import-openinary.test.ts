import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importOpeninary } from '../../src/admin/import-openinary.ts';
import { hashKey } from '../../src/auth/api-key.ts';
import { ask } from '../http.ts';
import { openinaryDatabase } from '../openinary.ts';
import { startService, type TestService } from '../service.ts';

const LATER = Date.now() + 86_400_000;
const KEYS = [
  { name: 'Website', key: 'key-of-the-website', expiresAt: new Date(LATER).toISOString() },
  { name: 'Reports', key: 'key-of-reports', permissions: '{"api":["read"]}', rateLimitEnabled: 0, expiresAt: LATER },
  { name: 'Oldest', key: 'key-without-permissions', permissions: null, remaining: 2, rateLimitEnabled: 0 },
  { name: 'Limited', key: 'key-with-a-limit', rateLimitMax: 2 },
  { name: 'Off', key: 'key-that-is-off', enabled: 0 },
  { name: 'Ended', key: 'key-that-has-ended', expiresAt: '2026-01-01T00:00:00.000Z' },
  { name: 'Foreign', key: 'key-with-permissions', permissions: '{"files":["read"]}' },
  { name: 'Odd time', key: 'key-of-an-odd-time', expiresAt: 'tomorrow' },
];

/** The record stored by better-auth 1.7 and its API key plugin, and the key that it returned. */
const KEY_OF_BETTER_AUTH = 'mXBcOtGVHiBdVBoHKxSimOWenTMzepbjxWIPjMEMmlHxXOGDTugvOJVZOKNGxvQk';
const MADE_BY_BETTER_AUTH = `
  create table "apikey" (
    "id" text not null primary key, "configId" text not null, "name" text, "start" text, "referenceId" text not null,
    "prefix" text, "key" text not null, "refillInterval" integer, "refillAmount" integer, "lastRefillAt" date,
    "enabled" integer, "rateLimitEnabled" integer, "rateLimitTimeWindow" integer, "rateLimitMax" integer,
    "requestCount" integer, "remaining" integer, "lastRequest" date, "expiresAt" date, "createdAt" date not null,
    "updatedAt" date not null, "permissions" text, "metadata" text
  );
  insert into apikey values (
    'aGmmKahTbgZhZa3K4K10pxN3r0MTeWKl', 'default', 'CI', 'mXBcOt', '6mN6B66z2lE0JYp3cmvS5WhVckjCj2Wm', null,
    'KZgiSy9W7CUVQDhRRRhDxjgwTw_MzjwLiDTcQ0oSV7w', null, null, null, 1, 1, 86400000, 10, 0, null, null, null,
    '2026-11-26T23:49:58.673Z', '2026-11-26T23:49:58.673Z', '{"api":["read","write"]}', 'null'
  );
`;

let folder: string;
let file: string;
let service: TestService;
let before: Buffer;
let said: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-openinary-'));
  file = join(folder, 'auth.db');
  await openinaryDatabase(file, KEYS);
  service = await startService();
  before = await readFile(file);
  said = await take(file);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const take = (from: string) => importOpeninary(service.services.keyring, from, join(service.data, 'tmp'));

/** Returns the status for a key; a listing needs "read", a recalculation "manage", and the list of keys "admin". */
async function statusOf(key: string, method = 'GET', path = '/storage'): Promise<number> {
  return (await ask(service.url, path, { method, headers: { authorization: `Bearer ${key}` } })).status;
}
const recalculate = (key: string) => statusOf(key, 'POST', '/storage/stats/recalculate');

describe('keys of Openinary', () => {
  test('do here what they did there, but for keys and settings', async () => {
    expect(await statusOf('key-of-the-website')).toBe(200);
    expect(await recalculate('key-of-the-website')).toBe(200);
    expect(await statusOf('key-of-the-website', 'GET', '/api-keys/list')).toBe(403);
    expect(await statusOf('key-of-reports')).toBe(200);
    expect(await recalculate('key-of-reports')).toBe(403);
  });

  test('keep their quota and their rate limit', async () => {
    const uses = async (key: string) => [await statusOf(key), await statusOf(key), await statusOf(key)];
    expect(await uses('key-without-permissions')).toEqual([200, 200, expect.toSatisfy((status) => status >= 400)]);
    expect(await uses('key-with-a-limit')).toEqual([200, 200, expect.toSatisfy((status) => status >= 400)]);
    // A used-up key is neither removed nor valid again after another run.
    expect(await take(file)).toContain('"Oldest": it exists already');
    expect(await statusOf('key-without-permissions')).toBeGreaterThanOrEqual(400);
  });

  test('are left where they have ended, are not readable or may do something else, and stay off', async () => {
    for (const { key } of KEYS.slice(4)) expect([key, await statusOf(key)]).toEqual([key, 401]);
    const names = (await service.services.keyring.list()).map(({ name, enabled }) => [name, enabled]);
    expect(names).toContainEqual(['Off', false]);
    for (const name of ['Ended', 'Foreign', 'Odd time']) expect(names.map(([one]) => one)).not.toContain(name);
  });
});

test('it says what was taken over and what was left, and neither keys nor hashes', () => {
  expect(said.split('\n')).toEqual([
    'Imported 5 of 8 keys:',
    `  "Website": permissions read, upload, manage; expires ${KEYS[0]?.expiresAt}; at most 100 requests in 60 s`,
    `  "Reports": permissions read; expires ${new Date(LATER).toISOString()}`,
    '  "Oldest": permissions read, upload, manage; never expires; 2 requests left',
    '  "Limited": permissions read, upload, manage; never expires; at most 2 requests in 60 s',
    '  "Off": permissions read, upload, manage; never expires; disabled; at most 100 requests in 60 s',
    'Skipped:',
    '  "Ended": it expired at 2026-01-01T00:00:00.000Z',
    '  "Foreign": its permissions are not those that Openinary gives',
    '  "Odd time": its expiresAt does not have the format of better-auth',
  ]);
  for (const { key } of KEYS) {
    expect(said).not.toContain(key);
    expect(said).not.toContain(hashKey(key));
  }
});

test('a second run adds nothing, and neither changes the file nor leaves others', async () => {
  const list = await service.services.keyring.list();
  expect(await take(file)).toMatch(/^Imported 0 of 8 keys\.\nSkipped:\n {2}"Website": it exists already\n/);
  expect((await service.services.keyring.list()).map(({ id }) => id)).toEqual(list.map(({ id }) => id));
  expect((await readFile(file)).equals(before)).toBe(true);
  expect(await readdir(folder)).toEqual(['auth.db']);
  expect((await readdir(join(service.data, 'tmp'))).filter((name) => name.startsWith('foreign-'))).toEqual([]);
});

test('a key that better-auth made works, also while its database is open and has a log', async () => {
  const live = join(folder, 'live.db');
  const open = new Database(live);
  open.pragma('journal_mode = WAL');
  open.exec(MADE_BY_BETTER_AUTH);
  expect(await take(live)).toMatch(/^Imported 1 of 1 keys:\n {2}"CI": permissions read, /);
  open.close();
  expect(await statusOf(KEY_OF_BETTER_AUTH)).toBe(200);
  for (const name of await readdir(folder)) if (name !== 'auth.db') await rm(join(folder, name));
});

test.each<[string, (file: string) => Promise<void>, RegExp]>([
  ['that is not there', async () => undefined, /^The file ".*" is missing or unreadable for this user\.$/],
  ['that is no database', (path) => writeFile(path, 'x'.repeat(2000)), /the file is not a SQLite database/],
  [
    'without keys',
    async (path) => void new Database(path).exec('create table user (id text)').close(),
    /^No table "apiKey" in ".*"\. Expected Openinary's auth\.db\.$/,
  ],
])('a file %s is refused', async (what, make, message) => {
  const other = join(folder, `${what.length}.db`);
  await make(other);
  await expect(take(other)).rejects.toThrow(message);
  await rm(other, { force: true });
});
