import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createOwner, resetPassword } from './accounts.ts';
import { createAuth } from './auth.ts';
import { readAuthSecret } from './secret.ts';
import { Sessions } from './sessions.ts';

const ADMIN = { email: 'ada@example.com', password: 'a long enough password', name: 'Ada' };
const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
let database: OpenDatabase;
let sessions: Sessions;
let cookie: string;
let presented: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-sessions-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  const { db } = database;
  const auth = createAuth({ db, secret: await readAuthSecret(db), baseUrl: 'http://media.example' });
  sessions = new Sessions(auth);
  await createOwner({ db, ...ADMIN });
  const { headers } = await auth.api.signInEmail({ body: ADMIN, returnHeaders: true });
  cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  presented = cookie.slice(cookie.indexOf('=') + 1);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const check = () => sessions.check(cookie, presented);
const expireIn = (ms: number) =>
  database.db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() + ms).toISOString() })
    .execute();
const expiry = async () =>
  Date.parse((await database.db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow()).expiresAt);

describe('a good session', () => {
  test('is known after it was looked up, and was not before', async () => {
    expect(sessions.recall(presented)).toBeUndefined();
    expect(await check()).toEqual({ setCookies: [] });
    expect(sessions.recall(presented)).toMatchObject({ isGood: true });
    expect(sessions.recall(presented)?.name).not.toContain(presented.slice(0, 8));
  });

  test('is known without the database from then on', async () => {
    await sessions.learn(cookie, presented);
    await database.close();
    expect(sessions.recall(presented)?.isGood).toBe(true);
  });

  test('is prolonged a day after it was last, with a new cookie; learning of it changes nothing', async () => {
    await expireIn(5 * DAY_MS);
    await sessions.learn(cookie, presented);
    expect(await expiry()).toBeLessThan(Date.now() + 6 * DAY_MS);
    const { setCookies } = (await check()) ?? {};
    expect(setCookies).toEqual([expect.stringMatching(/^darkroom\.session_token=.*; Max-Age=604800;/)]);
    expect(await expiry()).toBeGreaterThan(Date.now() + 6 * DAY_MS);
    expect(await check()).toEqual({ setCookies: [] });
  });

  test('is let in as it is while the database cannot be written, and prolonged afterwards', async () => {
    await expireIn(5 * DAY_MS);
    await sql`pragma query_only = on`.execute(database.db);
    expect(await check()).toEqual({ setCookies: [] });
    await sql`pragma query_only = off`.execute(database.db);
    expect((await check())?.setCookies).toHaveLength(1);
  });

  test('is unknown when it was ended, also when it is being looked up in that moment', async () => {
    await check();
    const lookUp = check();
    sessions.clear();
    expect(sessions.recall(presented)).toBeUndefined();
    await lookUp;
    expect(sessions.recall(presented)).toBeUndefined();
  });

  test('is not known beyond its end', async () => {
    await expireIn(300);
    await sessions.learn(cookie, presented);
    await expect.poll(() => sessions.recall(presented)?.isGood ?? false, { timeout: 30_000 }).toBe(false);
    expect(await check()).toBeUndefined();
  });

  test('opens nothing any more when the password was reset, whatever is known of it', async () => {
    await check();
    const { id } = await database.db.selectFrom('user').select('id').executeTakeFirstOrThrow();
    await resetPassword(database.db, id, 'another long password');
    expect(await check()).toBeUndefined();
    expect(sessions.recall(presented)?.isGood).toBe(false);
  });
});

test.each([
  ['made up', 'made.up'],
  ['of a foreign signature', `${'a'.repeat(32)}.${'b'.repeat(43)}%3D`],
  ['broken', '%'],
])('a cookie that is %s is known to be none', async (_, forged) => {
  expect(await sessions.check(`darkroom.session_token=${forged}`, forged)).toBeUndefined();
  expect(sessions.recall(forged)).toMatchObject({ isGood: false });
});

test('a good cookie makes no other one known beside it', async () => {
  await sessions.check(cookie, 'another');
  expect(sessions.recall('another')?.isGood).toBe(false);
});

test('of a database that does not answer nothing is learnt', async () => {
  await database.close();
  await sessions.learn(cookie, presented);
  expect(sessions.recall(presented)).toBeUndefined();
  await expect(check()).rejects.toMatchObject({ status: 503 });
});
