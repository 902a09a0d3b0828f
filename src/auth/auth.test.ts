import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getMigrations } from 'better-auth/db/migration';
import { type TOTP, URI } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createOwner } from './accounts.ts';
import { type Auth, CLIENT_ADDRESS_HEADER, createAuth, SPACE_HEADER } from './auth.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { readAuthSecret } from './secret.ts';
import { createSetup } from './setup.ts';

const BASE_URL = 'http://media.example';
const ADMIN = { email: 'Ada@Example.com', password: 'a long enough password', name: 'Ada' };

let folder: string;
let database: OpenDatabase;
let auth: ReturnType<typeof createAuth>;
let addresses = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-auth-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  auth = createAuth({ db: database.db, secret: await readAuthSecret(database.db), baseUrl: BASE_URL });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Sends a request as the HTTP module does, each from an address of its own unless one is given. */
function ask(path: string, body?: object, headers: Record<string, string> = {}, at: Auth = auth): Promise<Response> {
  const address = `203.0.113.${addresses++ % 250}`;
  return at.handler(
    new Request(`${BASE_URL}/api/auth${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', [CLIENT_ADDRESS_HEADER]: address, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
}

const signIn = (headers: Record<string, string> = {}, password = ADMIN.password) =>
  ask('/sign-in/email', { email: ADMIN.email, password }, headers);
const cookieOf = (response: Response) => (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';

test('the tables are what better-auth asks for: no migration is pending', async () => {
  const pending = await getMigrations(auth.options);
  expect(pending).toMatchObject({
    toBeCreated: [],
    toBeAdded: [],
    toBeAddedIndexes: [],
    unsafeChanges: [],
    schemaProblems: [],
  });
});

describe('the account', () => {
  test('is created once and signs in', async () => {
    expect(await createOwner({ db: database.db, ...ADMIN })).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
    const response = await signIn();
    expect(response.status).toBe(200);
    const session = await auth.api.getSession({ headers: new Headers({ cookie: cookieOf(response) }) });
    expect(session?.user).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
  });

  test('keeps no readable password', async () => {
    await createOwner({ db: database.db, ...ADMIN });
    expect(JSON.stringify(await database.db.selectFrom('account').selectAll().execute())).not.toContain(ADMIN.password);
  });

  test('is never followed by a second one, even when two are asked for at once', async () => {
    const results = await Promise.all([
      createOwner({ db: database.db, ...ADMIN }),
      createOwner({ db: database.db, ...ADMIN, email: 'eve@example.com' }),
    ]);
    expect(results.filter((created) => created)).toHaveLength(1);
    expect(await createOwner({ db: database.db, ...ADMIN, email: 'mallory@example.com' })).toBeUndefined();
    expect(await database.db.selectFrom('user').selectAll().execute()).toHaveLength(1);
    expect(await database.db.selectFrom('account').selectAll().execute()).toHaveLength(1);
  });

  test('cannot be made by signing up', async () => {
    const response = await ask('/sign-up/email', { email: 'eve@example.com', password: 'long enough', name: 'Eve' });
    expect(response.status).toBe(404);
    const direct = auth.api.signUpEmail({ body: { email: 'eve@example.com', password: 'long enough', name: 'Eve' } });
    await expect(direct).rejects.toThrow();
    expect(await database.db.selectFrom('user').selectAll().execute()).toEqual([]);
  });
});

describe('a sign-in', () => {
  const made: string[] = [];
  const counting: Passwords = {
    hash: async (password) => {
      made.push(password);
      return `plain:${password}`;
    },
    verify: async ({ hash, password }) => {
      made.push(password);
      return hash === `plain:${password}`;
    },
  };
  const at = async () =>
    createAuth({ db: database.db, secret: await readAuthSecret(database.db), passwords: counting });
  const tryAs = async (email: string, password: string) => {
    made.length = 0;
    const { status } = await ask('/sign-in/email', { email, password }, {}, await at());
    return [status, made.length];
  };

  test('costs one hash, whether or not there is the account, so that its time tells nobody which', async () => {
    expect(await tryAs('nobody@example.com', ADMIN.password)).toEqual([401, 1]);
    await createOwner({ db: database.db, passwords: counting, ...ADMIN });
    expect(await tryAs('nobody@example.com', ADMIN.password)).toEqual([401, 1]);
    expect(await tryAs(ADMIN.email, 'something else')).toEqual([401, 1]);
    expect(await tryAs(ADMIN.email, ADMIN.password)).toEqual([200, 1]);
    await database.db.updateTable('account').set({ password: null }).execute();
    expect(await tryAs(ADMIN.email, ADMIN.password)).toEqual([401, 1]);
  });

  test('that finds no place for its hash is told so, and not that the service is broken', async () => {
    const busy = createPasswords({ maxQueued: 0, plain: { ...counting, hash: () => new Promise(() => undefined) } });
    const auth = createAuth({ db: database.db, secret: await readAuthSecret(database.db), passwords: busy });
    void busy.hash('the one that is under way');
    const refused = ask('/sign-in/email', { email: 'nobody@example.com', password: 'x' }, {}, auth);
    await expect(refused).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '5' } });
  });
});

test('a first visit that finds no place for its hash may be made again', async () => {
  const under = Promise.withResolvers<string>();
  const plain: Passwords = { hash: () => under.promise, verify: async () => true };
  const passwords = createPasswords({ maxQueued: 0, plain });
  const setup = createSetup(database, passwords, { node: 'one', isAlive: async () => false });
  const first = { token: (await setup.open()) ?? '', ...ADMIN };
  const other = passwords.hash('of another');
  await expect(setup.complete(first)).rejects.toMatchObject({ status: 429 });
  expect(await setup.isOpen()).toBe(true);
  under.resolve('plain:');
  await other;
  expect(await setup.complete(first)).toMatchObject({ name: first.name });
  expect(await setup.isOpen()).toBe(false);
});

describe('a session', () => {
  beforeEach(() => createOwner({ db: database.db, ...ADMIN }));

  test('is a cookie named darkroom.session_token that scripts cannot read', async () => {
    const cookie = (await signIn()).headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/^darkroom\.session_token=/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).not.toMatch(/; Secure/);
  });

  test('keeps the name of its cookie under https, where it is Secure', async () => {
    const secret = await readAuthSecret(database.db);
    const secure = createAuth({ db: database.db, secret, baseUrl: 'https://media.example' });
    const body = { email: ADMIN.email, password: ADMIN.password };
    const cookie = (await ask('/sign-in/email', body, {}, secure)).headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/^darkroom\.session_token=.*; Secure/);
  });

  test('is refused to a wrong password with 401', async () => {
    expect((await signIn({}, 'not the password')).status).toBe(401);
  });

  test('outlives a restart, because its secret is kept', async () => {
    const cookie = cookieOf(await signIn());
    const restarted = createAuth({ db: database.db, secret: await readAuthSecret(database.db), baseUrl: BASE_URL });
    expect(await restarted.api.getSession({ headers: new Headers({ cookie }) })).not.toBeNull();
    const other = createAuth({ db: database.db, secret: 'x'.repeat(43), baseUrl: BASE_URL });
    expect(await other.api.getSession({ headers: new Headers({ cookie }) })).toBeNull();
  });

  test('ends with sign-out, which needs our own origin', async () => {
    const cookie = cookieOf(await signIn());
    expect((await ask('/sign-out', {}, { cookie, origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask('/sign-out', {}, { cookie })).status).toBe(403);
    expect((await ask('/sign-out', {}, { cookie, origin: BASE_URL })).status).toBe(200);
    expect(await (await ask('/get-session', undefined, { cookie })).json()).toBeNull();
  });

  test('trusts the origin of the request itself when no public URL is known', async () => {
    const local = createAuth({ db: database.db, secret: await readAuthSecret(database.db) });
    const cookie = cookieOf(await signIn());
    expect((await ask('/sign-out', {}, { cookie, origin: 'http://evil.example' }, local)).status).toBe(403);
    expect((await ask('/sign-out', {}, { cookie, origin: BASE_URL }, local)).status).toBe(200);
  });

  test('is tried at most three times in ten seconds from one address', async () => {
    const guess = (address: string) =>
      signIn({ [CLIENT_ADDRESS_HEADER]: address, 'x-forwarded-for': String(addresses) }, 'guess');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) statuses.push((await guess('198.51.100.7')).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await guess('198.51.100.8')).status).toBe(401);
  });
});

describe('the space of a session', () => {
  beforeEach(() => createOwner({ db: database.db, ...ADMIN }));
  const spaces = async () => (await database.db.selectFrom('session').select('space').execute()).map((s) => s.space);

  test('is that of the host at which it begins', async () => {
    await signIn({ [SPACE_HEADER]: 'acme' });
    await signIn();
    expect((await spaces()).toSorted()).toEqual(['', 'acme']);
  });

  test.each([
    ['acme', 'acme', {}],
    ['', 'acme', { [SPACE_HEADER]: 'acme' }],
    ['', '', {}],
  ])('is "%s", and "%s" when the second factor replaces the session at %j', async (space, expected, headers) => {
    let cookie = cookieOf(await signIn({ [SPACE_HEADER]: space }));
    const send = (path: string, body: object) => ask(path, body, { cookie, origin: BASE_URL, ...headers });
    const { totpURI } = (await (await send('/two-factor/enable', ADMIN)).json()) as { totpURI: string };
    const code = (URI.parse(totpURI) as TOTP).generate();
    for (const [path, body] of [
      ['/two-factor/verify-totp', { code }],
      ['/two-factor/disable', ADMIN],
    ] as const) {
      const replaced = await send(path, body);
      expect([path, replaced.status, await spaces()]).toEqual([path, 200, [expected]]);
      cookie = cookieOf(replaced);
    }
  });
});

test('nothing but sign-in, sign-out, the session and the second factor answers over HTTP, not even to the signed-in account', async () => {
  await createOwner({ db: database.db, ...ADMIN });
  const cookie = cookieOf(await signIn());
  const endpoints = Object.values(auth.api).filter((endpoint) => typeof endpoint.path === 'string');
  const secondFactor = ['enable', 'disable', 'verify-totp', 'verify-backup-code'].map((name) => `/two-factor/${name}`);
  const open = ['/sign-in/email', '/sign-out', '/get-session', ...secondFactor];
  expect(endpoints.length).toBeGreaterThan(25);
  for (const { path, options } of endpoints) {
    if (open.includes(path)) continue;
    const methods = [options.method].flat();
    for (const method of methods) {
      const response = await ask(path, method === 'GET' ? undefined : {}, { cookie, origin: BASE_URL });
      expect(response.status, `${method} ${path}`).toBe(404);
    }
  }
  const made = await ask('/api-key/create', { name: 'mine' }, { cookie, origin: BASE_URL });
  expect(made.status).toBe(404);
  expect(await database.db.selectFrom('api_key').selectAll().execute()).toEqual([]);
});
