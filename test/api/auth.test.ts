import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, askJson, cookiesOf, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };

let service: TestService;
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  askJson(service.url, 'POST', path, body, { 'x-forwarded-for': anotherAddress(), ...headers });
afterEach(() => service.close());

describe('the account', () => {
  beforeEach(async () => {
    service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  });

  test('signs in with its password and gets a cookie that scripts cannot read', async () => {
    const answer = await post('/api/auth/sign-in/email', { email: 'Ada@example.com', password: ADMIN.ADMIN_PASSWORD });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json()).toMatchObject({ user: { email: 'ada@example.com' } });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^darkroom\.session_token=[^;]+; .*HttpOnly; SameSite=Lax/);
  });

  test('is 401 with a wrong password, in the one shape of errors', async () => {
    const answer = await post('/api/auth/sign-in/email', { email: 'ada@example.com', password: 'something else' });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(answer.json()).toEqual({
      error: 'Unauthorized',
      code: 'invalid_credentials',
      message: 'Invalid email or password.',
    });
  });

  test('has a session that does what a key does, until it signs out', async () => {
    const cookie = await signIn(service, ADMIN);
    expect((await ask(service.url, '/api/auth/get-session', { headers: { cookie } })).json()).toMatchObject({
      user: { email: 'ada@example.com' },
    });
    expect((await ask(service.url, '/storage', { headers: { cookie } })).status).toBe(200);
    expect((await post('/api/auth/sign-out', {}, { cookie, origin: service.url })).status).toBe(200);
    expect((await ask(service.url, '/storage', { headers: { cookie } })).status).toBe(401);
  });

  test('changes nothing for no origin, and for none but ours', async () => {
    const cookie = await signIn(service, ADMIN);
    for (const [whose, origin] of [
      ['none', undefined],
      ['another site', 'https://evil.example'],
      ['a host that only begins like ours', 'http://127.0.0.1.evil.example'],
      ['a sandboxed page', 'null'],
      ['the same host by another scheme', service.url.replace('http', 'https')],
    ] as const) {
      const headers = { cookie, ...(origin && { origin }) };
      for (const path of ['/api-keys/create', '/storage/cache/clear', '/api/auth/sign-out']) {
        const answer = await post(path, {}, headers);
        expect(answer.status, `${path} for ${whose}`).toBe(403);
        expect(answer.json()).toEqual({
          error: 'Forbidden',
          code: 'foreign_origin',
          message: expect.stringMatching(
            new RegExp(`"Origin" of this service, ${service.url}, received (none|".+")\\.`),
          ),
        });
      }
      expect((await ask(service.url, '/storage', { headers })).status).toBe(200);
    }
  });

  test('changes something from our own origin; a key needs none', async () => {
    const cookie = await signIn(service, ADMIN);
    expect((await post('/api-keys/create', {}, { cookie, origin: service.url })).status).toBe(200);
    expect((await post('/api-keys/create', {}, { cookie, 'x-api-key': TEST_KEY })).status).toBe(200);
  });

  test('has no session behind a made-up cookie, and a wrong key is not saved by a good cookie', async () => {
    const cookie = await signIn(service, ADMIN);
    const forged = 'darkroom.session_token=abc.def';
    expect((await ask(service.url, '/storage', { headers: { cookie: forged } })).status).toBe(401);
    expect((await ask(service.url, '/storage', { headers: { cookie, 'x-api-key': 'wrong' } })).status).toBe(401);
  });

  test('does not sign up, make keys by better-auth, or forget a password: these paths do not exist', async () => {
    for (const name of ['sign-up/email', 'api-key/create', 'forget-password', 'ok']) {
      const body = { email: 'eve@example.com', password: 'long enough' };
      expect((await post(`/api/auth/${name}`, body)).status, name).toBe(404);
    }
  });
});

test('cannot be guessed: the fourth try in ten seconds is 429, whatever address the client claims', async () => {
  service = await startService(ADMIN);
  const guess = (n: number) =>
    post('/api/auth/sign-in/email', { email: 'ada@example.com', password: `guess ${n}` }, claims(n));
  const claims = (n: number) => ({
    'x-forwarded-for': `203.0.113.${n}`,
    'x-darkroom-client-address': `203.0.113.${n}`,
  });
  for (const n of [1, 2, 3]) expect((await guess(n)).status).toBe(401);
  const refused = await guess(4);
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect(refused.json()).toEqual({
    error: 'Too many requests',
    code: 'too_many_sign_ins',
    message: expect.any(String),
    retryAfter: Number(refused.headers['retry-after']),
  });
});

describe('a session that is used', () => {
  const guarded = [
    'GET /storage',
    'GET /queue/jobs',
    'GET /api-keys/list',
    'GET /health/database',
    'GET /metrics',
    'POST /storage/cache/clear',
    'POST /upload',
    'GET /t/alpha.png',
    'GET /download/alpha.png',
    'GET /api/auth/get-session',
  ];
  const WEEK_SECONDS = 7 * 24 * 60 * 60;

  test('lasts: each guarded endpoint passes the prolonged cookie on, and no cache may keep it', async () => {
    const secret = { DELIVERY_MODE: 'signed', API_SECRET: 'test-secret-at-least-16-chars-long' };
    service = await startService({ ...ADMIN, ...FROM_ANYWHERE, ...secret });
    expect((await service.upload({ 'alpha.png': fixture('flag-alpha.png') })).status).toBe(200);
    const { db } = service.services.database;
    const cookie = await signIn(service, ADMIN);
    for (const one of guarded) {
      const [method = '', path = ''] = one.split(' ');
      // A day has passed since its last extension.
      const expiresAt = new Date(Date.now() + 5.9 * 86_400_000).toISOString();
      await db.updateTable('session').set({ expiresAt }).execute();
      const origin = service.url.replace('http:', 'https:');
      const headers = { cookie, origin, 'x-forwarded-proto': 'https' };
      const answer = await ask(service.url, path, {
        method,
        headers: { ...headers, 'x-forwarded-host': new URL(service.url).host },
      });
      expect(answer.status, one).not.toBe(401);
      const [prolonged = ''] = answer.headers['set-cookie'] ?? [];
      expect(prolonged.split(';')[0], one).toBe(cookie);
      expect(prolonged, one).toMatch(new RegExp(`; Max-Age=${WEEK_SECONDS};.*; HttpOnly; SameSite=Lax; Secure$`));
      expect(answer.headers['cache-control'], one).toMatch(/no-store|private, no-cache/);
      const kept = await db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow();
      expect(Date.parse(kept.expiresAt), one).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
    }
  });

  test('gets no cookie anew as long as that is not due, and a wrong one gets none at all', async () => {
    service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
    const cookie = await signIn(service, ADMIN);
    expect((await ask(service.url, '/storage', { headers: { cookie } })).headers['set-cookie']).toBeUndefined();
    const refused = await ask(service.url, '/storage', { headers: { cookie: `${cookie}x` } });
    expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
  });
});

describe('the first visit', () => {
  const account = { email: 'ada@example.com', password: 'a long enough password', name: 'Ada' };
  const state = async () => (await ask(service.url, '/api/auth/setup')).json();
  beforeEach(async () => {
    service = await startService(FROM_ANYWHERE);
  });

  test('creates the one account, once, for whoever has the token', async () => {
    const token = await service.services.setup.open();
    expect(await state()).toEqual({ needed: true });
    expect((await post('/api/auth/setup', { token: 'a stranger', ...account })).status).toBe(401);
    expect((await post('/api/auth/setup', { token, ...account })).status).toBe(201);
    expect((await post('/api/auth/setup', { token, ...account, email: 'eve@example.com' })).status).toBe(409);
    expect(await state()).toEqual({ needed: false });
    await signIn(service, { ADMIN_EMAIL: account.email, ADMIN_PASSWORD: account.password });
  });

  test('stays possible until there is an owner, also after a person who was invited has an account', async () => {
    const created = await ask(service.url, '/members/invitations', {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'admin' }),
    });
    const invitation = String(created.json().url).split('#token=')[1];
    const guest = { email: 'eve@example.com', password: account.password };
    expect((await post('/api/auth/invitation/accept', { token: invitation, ...guest })).status).toBe(200);
    const token = await service.services.setup.open();
    expect(await state()).toEqual({ needed: true });
    const taken = await post('/api/auth/setup', { token, ...account, email: guest.email });
    expect([taken.status, taken.json().code]).toEqual([409, 'account_exists']);
    expect(await state()).toEqual({ needed: true });
    expect((await post('/api/auth/setup', { token, ...account })).status).toBe(201);
    expect(await state()).toEqual({ needed: false });
    expect(await service.services.members.list('')).toMatchObject([
      { email: guest.email, role: 'admin' },
      { email: account.email, role: 'owner' },
    ]);
  });

  test('refuses a password that is short or long, and what is no address, with 400, and stays open', async () => {
    const token = await service.services.setup.open();
    for (const wrong of [{ password: 'seven77' }, { password: 'x'.repeat(129) }, { email: 'ada' }]) {
      expect((await post('/api/auth/setup', { token, ...account, ...wrong })).status, JSON.stringify(wrong)).toBe(400);
      expect(await state()).toEqual({ needed: true });
    }
  });
});

test('there is no first visit when the environment made the account', async () => {
  service = await startService(ADMIN);
  expect(await service.services.setup.open()).toBeUndefined();
});

test('behind a trusted proxy that ends https the cookie stays on https, and its origin is ours', async () => {
  service = await startService({ ...ADMIN, TRUSTED_PROXIES: '127.0.0.1' });
  const proxied = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'media.example',
    origin: 'https://media.example',
  };
  const body = { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
  const answer = await post('/api/auth/sign-in/email', body, proxied);
  expect(answer.status).toBe(200);
  expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure/);
  const cookie = cookiesOf(answer);
  expect((await post('/api-keys/create', {}, { ...proxied, cookie })).status).toBe(200);
});

describe('a page that came over http is not ours where https is spoken', () => {
  const signInFrom = (origin: string, headers: Record<string, string>) =>
    post('/api/auth/sign-in/email', { email: 'ada@example.com', password: 'wrong' }, { ...headers, origin });

  test('by the public URL, whatever the proxy tells', async () => {
    service = await startService({ ...FROM_ANYWHERE, PUBLIC_URL: 'https://media.example' });
    for (const forwarded of [{}, { 'x-forwarded-proto': 'http' }]) {
      const headers = { ...forwarded, 'x-forwarded-host': 'media.example' };
      expect((await signInFrom('https://media.example', headers)).status).toBe(401);
      const refused = await signInFrom('http://media.example', headers);
      expect(refused.status).toBe(403);
      expect(refused.json().message).toContain('https://media.example, received "http://media.example"');
    }
  });

  test('by the proxy, without a public URL', async () => {
    service = await startService(FROM_ANYWHERE);
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'media.example' };
    expect((await signInFrom('https://media.example', headers)).status).toBe(401);
    expect((await signInFrom('http://media.example', headers)).status).toBe(403);
  });
});

test('with a public URL, its origin and the host that was asked are ours', async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, PUBLIC_URL: 'https://media.example/files' });
  const body = { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
  const answer = await post('/api/auth/sign-in/email', body, { origin: service.url });
  expect(answer.status).toBe(200);
  const cookie = cookiesOf(answer);
  expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure/);
  for (const origin of ['https://media.example', service.url]) {
    expect((await post('/api-keys/create', {}, { cookie, origin })).status).toBe(200);
  }
  const refused = await post('/api-keys/create', {}, { cookie, origin: 'http://media.example' });
  expect([refused.status, refused.json().message]).toEqual([
    403,
    expect.stringContaining(`https://media.example or ${service.url}, received "http://media.example"`),
  ]);
  expect((await post('/api/auth/sign-out', {}, { cookie, origin: service.url })).status).toBe(200);
});
