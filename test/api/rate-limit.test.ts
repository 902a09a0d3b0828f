import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import { type Answer, ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';

let service: TestService;
afterEach(() => service.close());

const start = (environment: Record<string, string> = {}) =>
  startService({ PUBLIC_RATE_LIMIT_MAX: '100', ...environment }).then(async (started) => {
    service = started;
    await writeFile(join(service.originals, 'concert.jpg'), fixture('concert.jpg'));
  });
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(service.url, path, { headers, method });
const limits = ({ headers }: Answer) => [
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
  headers['x-ratelimit-reset'],
];
const remaining = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining']);

test('100 requests pass and the 101st is 429, whether they are answered hot, cold or with an error', async () => {
  await start();
  const kinds = ['/t/w_20,f_jpeg/concert.jpg', '/t/concert.jpg', '/t/w_0/concert.jpg', '/health', '/t/missing.jpg'];
  const before = Math.floor(Date.now() / 1000);
  for (let n = 1; n <= 100; n++) {
    const answer = await get(kinds[n % kinds.length] ?? '');
    expect(answer.status, `request ${n}`).not.toBe(429);
    const [limit, left, reset] = limits(answer);
    expect([limit, left]).toEqual(['100', String(100 - n)]);
    expect(Number(reset)).toBeGreaterThanOrEqual(before + 60);
    expect(Number(reset)).toBeLessThanOrEqual(before + 120);
  }
  const refused = await get(kinds[0] ?? '');
  expect(refused.status).toBe(429);
  expect(limits(refused).slice(0, 2)).toEqual(['100', '0']);
  const { retryAfter, ...body } = refused.json();
  expect(body).toEqual({ error: 'Too many requests', code: 'rate_limited', message: expect.any(String) });
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(refused.headers).toMatchObject({
    'retry-after': String(retryAfter),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  });
});

describe('what counts', () => {
  const paths = [
    '/t/concert.jpg',
    '/api/t/concert.jpg',
    '/download/concert.jpg',
    '/download-folder/none',
    '/video-status/concert.jpg',
    '/video-status/concert.jpg/size',
    '/api/health',
    '/limits',
    '/health/database',
    '/%68ealth',
    'http://elsewhere.example/health',
  ];
  const free = [
    '/livez',
    '/readyz',
    '/metrics',
    '/api/version',
    '/authenticated/s--0123456789abcdef/concert.jpg',
    '/storage',
    '/api-keys/list',
    '/queue/jobs',
    '/nothing',
    '/api/auth/get-session',
  ];

  test('every public endpoint, once each, and POST /upload and GET /health/database', async () => {
    await start();
    for (const [n, path] of paths.entries()) expect(remaining(await get(path)), path).toBe(99 - n);
    const counted = paths.length;
    expect(remaining(await get('/t/concert.jpg', {}, 'HEAD'))).toBe(99 - counted);
    expect(remaining(await ask(service.url, '/upload', { method: 'POST' }))).toBe(98 - counted);
    for (const path of free) {
      expect(limits(await get(path, { 'x-api-key': TEST_KEY })), path).toEqual([undefined, undefined, undefined]);
    }
    expect(remaining(await get('/health'))).toBe(97 - counted);
  });

  test('nothing when the limit is 0', async () => {
    await start({ PUBLIC_RATE_LIMIT_MAX: '0' });
    expect(limits(await get('/health'))).toEqual([undefined, undefined, undefined]);
  });
});

describe('whose request it is', () => {
  test('without a trusted proxy a forged X-Forwarded-For changes nothing', async () => {
    await start();
    for (let n = 1; n <= 5; n++) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}`, 'x-real-ip': '::1' };
      expect(remaining(await get('/health', headers))).toBe(100 - n);
    }
  });

  test('behind a trusted proxy it is what the proxy saw, not what the client wrote in front of it', async () => {
    await start({ TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' });
    const from = async (address: string) => remaining(await get('/health', { 'x-forwarded-for': address }));
    expect(await from('203.0.113.1')).toBe(99);
    expect(await from('203.0.113.2')).toBe(99);
    expect(await from('198.51.100.9, 203.0.113.1, 10.1.2.3')).toBe(98);
  });
});

describe('a verified session', () => {
  const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
  const WARM = '/t/w_20,f_jpeg/concert.jpg';
  const begin = async () => {
    await start({ ...ADMIN, ...FROM_ANYWHERE, PUBLIC_RATE_LIMIT_MAX: '10', ORIGINAL_CHECK_INTERVAL_MS: '60000' });
    return signIn(service, ADMIN);
  };
  const signOut = (cookie: string) =>
    ask(service.url, '/api/auth/sign-out', {
      method: 'POST',
      headers: { cookie, origin: service.url, 'content-type': 'application/json', 'x-forwarded-for': anotherAddress() },
      body: '{}',
    });

  test('has a window of its own, 100 times as large, from its first request on and wherever it is', async () => {
    const cookie = await begin();
    const paths = [WARM, '/t/concert.jpg', '/t/w_0/concert.jpg', '/health', '/health/database'];
    for (let n = 1; n <= 50; n++) {
      const headers = { cookie, 'x-forwarded-for': `203.0.113.${n}` };
      const answer = await get(paths[n % paths.length] ?? '', headers);
      expect(limits(answer).slice(0, 2), `request ${n}`).toEqual(['1000', String(1000 - n)]);
    }
    expect(remaining(await get('/health', { 'x-forwarded-for': '203.0.113.1' }))).toBe(9);
  });

  test('is looked up once for many requests, answered from memory or not', async () => {
    const cookie = await begin();
    const lookUps = vi.spyOn(service.services.auth.api, 'getSession');
    for (let n = 1; n <= 30; n++) expect((await get(WARM, { cookie })).status).toBe(200);
    expect(lookUps).toHaveBeenCalledTimes(1);
  });

  test('counts with its address again when it has ended', async () => {
    const cookie = await begin();
    expect(remaining(await get('/health', { cookie }))).toBe(999);
    expect((await signOut(cookie)).status).toBe(200);
    expect(remaining(await get('/health', { cookie }))).toBe(9);
  });

  test('ends at 429 as well, and takes nobody along', async () => {
    await start({ ...ADMIN, ...FROM_ANYWHERE, PUBLIC_RATE_LIMIT_MAX: '1' });
    const one = await signIn(service, ADMIN);
    const other = await signIn(service, ADMIN);
    for (let n = 1; n <= 100; n++) expect((await get('/health', { cookie: one })).status).toBe(200);
    expect((await get('/health', { cookie: one })).status).toBe(429);
    expect((await get('/health', { cookie: other })).status).toBe(200);
    expect((await get('/health')).status).toBe(200);
  });

  test('is no stranger: its renders are charged to nobody, as those of a key; all others are to their network', async () => {
    const cookie = await begin();
    const deliver = vi.spyOn(service.services, 'deliver');
    const chargedFor = async (headers: Record<string, string>) => {
      await get('/t/concert.jpg', { 'x-forwarded-for': '2001:db8::7', ...headers });
      return deliver.mock.lastCall?.[1].client;
    };
    expect(await chargedFor({ cookie })).toBe(TRUSTED);
    expect(await chargedFor({ 'x-api-key': TEST_KEY })).toBe(TRUSTED);
    expect(await chargedFor({ authorization: 'bearer wrong' })).toBe('2001:db8:0:0::/64');
    expect(await chargedFor({ cookie: `${cookie}x` })).toBe('2001:db8:0:0::/64');
    expect(await chargedFor({})).toBe('2001:db8:0:0::/64');
  });

  test('is not to be had by a made-up cookie, and neither is a window for it', async () => {
    const cookie = await begin();
    const forged = [`${cookie}x`, 'darkroom.session_token=made.up', 'darkroom.session_token=', `x${cookie}`];
    for (const [n, one] of forged.entries()) expect(remaining(await get('/health', { cookie: one }))).toBe(9 - n);
    await service.services.database.db.deleteFrom('session').execute();
    expect(remaining(await get('/health', { cookie }))).toBe(9 - forged.length);
  });

  test('is not even looked for once the window of an address is used up', async () => {
    await begin();
    for (let n = 0; n < 10; n++) await get('/health');
    const lookUps = vi.spyOn(service.services.auth.api, 'getSession');
    for (let n = 0; n < 10; n++) {
      expect((await get('/health', { cookie: `darkroom.session_token=made.up${n}` })).status).toBe(429);
    }
    expect(lookUps).not.toHaveBeenCalled();
  });

  test('counts for itself from the first request on, also where the window of its address is used up', async () => {
    const cookie = await begin();
    for (let n = 0; n < 10; n++) await get('/health');
    expect((await get('/health')).status).toBe(429);
    for (const path of ['/health', WARM]) expect((await get(path, { cookie })).status).toBe(200);
    service.services.sessions.clear();
    const lookUps = vi.spyOn(service.services.auth.api, 'getSession');
    for (let n = 0; n < 3; n++) expect((await get(WARM, { cookie })).status).toBe(200);
    expect(lookUps).toHaveBeenCalledTimes(1);
    // One cookie in other letters is not looked up again and again.
    await service.services.database.db.deleteFrom('session').execute();
    service.services.sessions.clear();
    for (const spelling of [cookie, cookie.replace(/\.(?=[^.]*$)/, '%2E'), `${cookie}x`, cookie])
      expect((await get(WARM, { cookie: spelling })).status).toBe(429);
    expect(lookUps).toHaveBeenCalledTimes(2);
  });

  test('alone has one: a key counts with its address', async () => {
    await begin();
    expect(remaining(await get('/health', { 'x-api-key': TEST_KEY }))).toBe(9);
    expect(remaining(await get('/health'))).toBe(8);
  });
});
