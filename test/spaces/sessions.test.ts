import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TOTP, URI } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, ask } from '../http.ts';
import { CLIENT_ID, CLIENT_SECRET, type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { inOneStep, STEP_MS } from '../totp-steps.ts';

const ACCOUNT = { email: 'ada@example.com', password: 'a long enough password' };
const HOST = 'media.acme.test';
const CALLBACK = '/api/auth/callback/oidc';

let folder: string;
let provider: IdentityProvider;
let service: TestService;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-space-sessions-'));
  provider = await startIdentityProvider(() => [service.url + CALLBACK, `http://${HOST}${CALLBACK}`]);
  provider.people.set('ada', { email: 'lovelace@example.org', email_verified: true, groups: ['media'] });
  service = await startService({
    ...FROM_ANYWHERE,
    ADMIN_EMAIL: ACCOUNT.email,
    ADMIN_PASSWORD: ACCOUNT.password,
    DATA_DIR: folder,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_ROLES: 'media=owner',
  });
  for (const [id, hosts] of [
    ['acme', [HOST]],
    ['zoo', []],
  ]) {
    const body = JSON.stringify({ id, hosts });
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
    expect((await ask(service.url, '/spaces', { method: 'POST', headers, body })).status).toBe(200);
  }
});
afterEach(async () => {
  await service.close();
  await provider.close();
  await rm(folder, { recursive: true });
});

/** A place at which requests arrive: the host of the space, or a prefix at that of the installation. */
type Place = { host?: string; prefix?: string };
const SPACE: Place = { host: HOST };
const LIBRARY: Place = {};
const PLACES: readonly [string, Place][] = [
  ['the library', LIBRARY],
  ['the prefix of another space', { prefix: '/b/zoo' }],
];

function call(place: Place, method: string, path: string, cookie?: string, body?: object): Promise<Answer> {
  const { host, prefix = '' } = place;
  return ask(service.url, prefix + path, {
    method,
    headers: {
      'x-forwarded-for': anotherAddress(),
      ...(host !== undefined && { host }),
      ...(cookie !== undefined && { cookie, origin: host === undefined ? service.url : `http://${host}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const post = (place: Place, path: string, cookie?: string, body: object = {}) =>
  call(place, 'POST', `/api/auth/${path}`, cookie, body);

function cookiesOf({ headers }: Answer): string {
  const set = headers['set-cookie'] ?? [];
  const kept = set.filter((line) => !/max-age=0\b/i.test(line));
  return kept.map((line) => line.split(';')[0] ?? '').join('; ');
}

async function signIn(place: Place): Promise<string> {
  const answer = await post(place, 'sign-in/email', undefined, ACCOUNT);
  expect(answer.status).toBe(200);
  return cookiesOf(answer);
}

/** The statuses of a session in the library, in another space, in its space by prefix, and at the host. */
async function reach(cookie: string): Promise<number[]> {
  const places: Place[] = [LIBRARY, { prefix: '/b/zoo' }, { prefix: '/b/acme' }, SPACE];
  const statuses: number[] = [];
  for (const place of places) statuses.push((await call(place, 'GET', '/storage', cookie)).status);
  return statuses;
}
/** The space whose audit log has the last session that began; empty for the installation. */
async function loggedIn(): Promise<string | undefined> {
  const answer = await ask(service.url, '/audit?action=session.started&limit=1', {
    headers: { 'x-api-key': TEST_KEY },
  });
  return (answer.json() as { entries: { space: string }[] }).entries[0]?.space;
}
const RESTRICTED = [401, 401, 200, 200];
const EVERYWHERE = [200, 200, 200, 200];
const spaces = async () =>
  (await service.services.database.db.selectFrom('session').select('space').execute()).map(({ space }) => space);
const identities = () =>
  service.services.database.db.selectFrom('account').selectAll().where('providerId', 'like', 'oidc:%').execute();

/** Turns the second factor on, with a session of the installation. */
async function enable(): Promise<TOTP> {
  const cookie = await signIn(LIBRARY);
  const { totpURI } = (await post(LIBRARY, 'two-factor/enable', cookie, ACCOUNT)).json() as { totpURI: string };
  const totp = URI.parse(totpURI) as TOTP;
  const confirm = () => {
    const code = totp.generate({ timestamp: Date.now() - STEP_MS });
    return post(LIBRARY, 'two-factor/verify-totp', cookie, { code });
  };
  expect((await inOneStep(confirm)).status).toBe(200);
  return totp;
}

describe('a session that began at the host of a space', () => {
  test.each(PLACES)('is none in %s: not even its person is shown, and the second factor stays', async (_, place) => {
    const cookie = await signIn(SPACE);
    expect((await call(place, 'GET', '/api/auth/get-session', cookie)).json()).toBeNull();
    expect((await call(SPACE, 'GET', '/api/auth/get-session', cookie)).json()).toMatchObject({
      user: { name: 'Admin' },
    });
    expect((await call(place, 'GET', '/api/auth/sessions', cookie)).status).toBe(401);
    expect((await post(place, 'two-factor/enable', cookie, ACCOUNT)).status).toBe(401);
    expect((await post(place, 'change-password', cookie, {})).status).toBe(401);
    const { totpURI } = (await post(SPACE, 'two-factor/enable', cookie, ACCOUNT)).json() as { totpURI: string };
    const code = (URI.parse(totpURI) as TOTP).generate();
    expect((await post(place, 'two-factor/verify-totp', cookie, { code })).status).toBe(401);
    expect((await post(SPACE, 'two-factor/verify-totp', cookie, { code })).status).toBe(200);
  });

  test.each<[string, Place]>([
    ['its host', SPACE],
    ['the prefix of the space', { prefix: '/b/acme' }],
  ])('stays restricted when a change of the second factor at %s replaces it', async (_, place) => {
    let cookie = await signIn(SPACE);
    const { totpURI } = (await post(place, 'two-factor/enable', cookie, ACCOUNT)).json() as { totpURI: string };
    const code = (URI.parse(totpURI) as TOTP).generate();
    cookie = cookiesOf(await post(place, 'two-factor/verify-totp', cookie, { code }));
    expect(await reach(cookie)).toEqual(RESTRICTED);
    cookie = cookiesOf(await post(place, 'two-factor/disable', cookie, ACCOUNT));
    expect(await reach(cookie)).toEqual(RESTRICTED);
  });

  test.each(['/b/acme', '/b/zoo'])('is restricted to it, also where its URL begins with %s', async (prefix) => {
    expect(await reach(await signIn({ ...SPACE, prefix }))).toEqual(RESTRICTED);
    const totp = await enable();
    const challenge = cookiesOf(await post({ ...SPACE, prefix }, 'sign-in/email', undefined, ACCOUNT));
    const answer = await post({ ...SPACE, prefix }, 'two-factor/verify-totp', challenge, { code: totp.generate() });
    expect(await reach(cookiesOf(answer))).toEqual(RESTRICTED);
    const begun = await post({ ...SPACE, prefix }, 'sign-in/oidc');
    const response = new URL(await provider.signIn(String(begun.json().url), 'ada'));
    const completed = await call(LIBRARY, 'GET', response.pathname + response.search, cookiesOf(begun));
    expect(await reach(cookiesOf(completed))).toEqual(RESTRICTED);
  });

  test('connects no identity, which would sign in everywhere', async () => {
    const cookie = await signIn(SPACE);
    for (const place of [SPACE, { prefix: '/b/acme' }]) {
      const answer = await post(place, 'oidc/connect', cookie);
      expect([answer.status, answer.json().code]).toEqual([403, 'installation_only']);
    }
    for (const [, place] of PLACES) expect((await post(place, 'oidc/connect', cookie)).status).toBe(401);
    const begun = await post(LIBRARY, 'oidc/connect', await signIn(LIBRARY));
    const response = new URL(await provider.signIn(String(begun.json().url), 'ada'));
    const target = response.pathname + response.search;
    const completed = await call({ prefix: '/b/acme' }, 'GET', target, `${cookie}; ${cookiesOf(begun)}`);
    expect(completed.headers.location).toBe('/dashboard/account?error=sign_in_expired');
    expect(await identities()).toEqual([]);
  });

  test('lists and ends the sessions of its space only', async () => {
    const everywhere = await signIn(LIBRARY);
    const other = await signIn(SPACE);
    const cookie = await signIn(SPACE);
    const listed = await call(LIBRARY, 'GET', '/api/auth/sessions', everywhere);
    const all = listed.json().sessions as { id: string; current: boolean }[];
    expect(all).toHaveLength(3);
    const shown = (await call(SPACE, 'GET', '/api/auth/sessions', cookie)).json().sessions as { id: string }[];
    expect(shown).toHaveLength(2);
    const current = all.find((session) => session.current)?.id;
    expect((await call(SPACE, 'DELETE', `/api/auth/sessions/${current}`, cookie)).status).toBe(404);
    expect((await call(SPACE, 'DELETE', '/api/auth/sessions', cookie)).status).toBe(200);
    expect(await reach(everywhere)).toEqual(EVERYWHERE);
    expect(await reach(other)).toEqual([401, 401, 401, 401]);
    expect(await reach(cookie)).toEqual(RESTRICTED);
  });

  test('can be ended everywhere', async () => {
    for (const [, place] of PLACES) {
      const cookie = await signIn(SPACE);
      expect((await post(place, 'sign-out', cookie)).status).toBe(200);
      expect(await spaces()).toEqual([]);
    }
  });
});

describe('a sign-in that began at the host of a space', () => {
  test('is restricted to it, wherever the code of the second factor is verified', async () => {
    const totp = await enable();
    const challenge = cookiesOf(await post(SPACE, 'sign-in/email', undefined, ACCOUNT));
    const answer = await post(LIBRARY, 'two-factor/verify-totp', challenge, { code: totp.generate() });
    expect(answer.status).toBe(200);
    expect(await reach(cookiesOf(answer))).toEqual(RESTRICTED);
    expect(await loggedIn()).toBe('acme');
  });

  test('is restricted to it, wherever the answer of the identity provider is sent', async () => {
    const begun = await post(SPACE, 'sign-in/oidc');
    const url = String(begun.json().url);
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`http://${HOST}${CALLBACK}`);
    const response = new URL(await provider.signIn(url, 'ada'));
    const answer = await call(LIBRARY, 'GET', response.pathname + response.search, cookiesOf(begun));
    expect(answer.headers.location).toBe('/dashboard/');
    expect(await reach(cookiesOf(answer))).toEqual(RESTRICTED);
    expect(await loggedIn()).toBe('acme');
  });
});

test('a sign-in that began elsewhere is restricted to the space at whose host it ends', async () => {
  const totp = await enable();
  const challenge = cookiesOf(await post(LIBRARY, 'sign-in/email', undefined, ACCOUNT));
  const answer = await post(SPACE, 'two-factor/verify-totp', challenge, { code: totp.generate() });
  expect(await reach(cookiesOf(answer))).toEqual(RESTRICTED);
  expect(await loggedIn()).toBe('acme');
});

test('a session that began at the prefix of a space is that of the installation', async () => {
  expect(await reach(await signIn({ prefix: '/b/acme' }))).toEqual(EVERYWHERE);
  expect(await loggedIn()).toBe('');
});
