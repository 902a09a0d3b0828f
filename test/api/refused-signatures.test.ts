import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask, askJson, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';

const API_SECRET = 'test-secret-at-least-16-chars-long';
const LIMIT = 5;

async function start(environment: Record<string, string>): Promise<TestService> {
  const service = await startService({ API_SECRET, ...environment });
  await service.place('alpha.png', fixture('flag-alpha.png'));
  await service.place('w_50,h_20x/alpha.png', fixture('flag-alpha.png'));
  return service;
}

const signed = (raw: string, text = raw) => `/authenticated/s--${sign(text, API_SECRET)}/${raw}`;
const GOOD = signed('w_50,f_png/alpha.png');
const WRONG = '/authenticated/s--0123456789abcdef/w_50,f_png/alpha.png';
const EXPIRED = `/authenticated/s--${sign('1:alpha.png', API_SECRET)}--1/alpha.png`;
const BROKEN = '/authenticated/s--0123/alpha.png';

describe('refused signatures', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await start({ PUBLIC_RATE_LIMIT_MAX: String(LIMIT), ...FROM_ANYWHERE });
  });
  afterAll(() => service.close());

  const get = (path: string, client: string) => ask(service.url, path, { headers: { 'x-forwarded-for': client } });
  const statuses = async (paths: readonly string[], client: string) => {
    const found: number[] = [];
    for (const path of paths) found.push((await get(path, client)).status);
    return found;
  };

  test.each([
    ['wrong', WRONG, 401],
    ['expired', EXPIRED, 401],
    ['malformed', BROKEN, 400],
    ['for a transformation that is too long', `/authenticated/s--0123456789abcdef/${'_'.repeat(9000)}/a.mp4`, 400],
  ])('count in the rate limit of the client: %s', async (_, path, status) => {
    const client = anotherAddress();
    expect(await statuses(Array<string>(LIMIT).fill(path), client)).toEqual(Array<number>(LIMIT).fill(status));
    const refused = await get(path, client);
    expect(refused.status).toBe(429);
    expect(refused.json()).toMatchObject({ code: 'rate_limited', retryAfter: Number(refused.headers['retry-after']) });
    // Signed delivery has no rate limit, so its responses have no headers of one.
    expect(refused.headers['x-ratelimit-limit']).toBeUndefined();
    expect(refused.headers['access-control-allow-origin']).toBe('*');
  });

  test('take nothing from valid ones, which are served also when the limit is used up', async () => {
    const client = anotherAddress();
    expect(await statuses([...Array<string>(LIMIT).fill(WRONG), WRONG], client)).toContain(429);
    expect(await statuses([GOOD, GOOD, GOOD], client)).toEqual([200, 200, 200]);
    expect(await statuses([WRONG], client)).toEqual([429]);
    expect(await statuses(['/t/alpha.png'], client)).toEqual([429]);
  });

  test('are 429 for a client whose public requests have used up the limit', async () => {
    const client = anotherAddress();
    await statuses(Array<string>(LIMIT).fill('/t/alpha.png'), client);
    expect(await statuses([WRONG, GOOD], client)).toEqual([429, 200]);
  });

  test('of one client are not those of another', async () => {
    const client = anotherAddress();
    const other = anotherAddress();
    await statuses([...Array<string>(LIMIT).fill(WRONG), WRONG], client);
    expect(await statuses([WRONG, '/t/alpha.png'], other)).toEqual([401, 200]);
  });

  test('do not count valid requests, nor those that are refused for another reason than the signature', async () => {
    const client = anotherAddress();
    const paths = [GOOD, signed('w_0/alpha.png'), signed('missing.png')];
    for (let n = 0; n < LIMIT; n++) expect(await statuses(paths, client)).toEqual([200, 400, 404]);
    expect(await statuses([WRONG], client)).toEqual([401]);
  });
});

describe('without a rate limit', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await start({ PUBLIC_RATE_LIMIT_MAX: '0' });
  });
  afterAll(() => service.close());

  const get = (path: string) => ask(service.url, path);
  const post = (path: string, body: unknown) => askJson(service.url, 'POST', path, body, { 'x-api-key': TEST_KEY });

  test('refused signatures stay 401', async () => {
    for (let n = 0; n < 3 * LIMIT; n++) expect((await get(WRONG)).status).toBe(401);
  });

  test('a signature opens the reading that the URL has, and no other', async () => {
    const answers = async (paths: string[]) => {
      const found: number[] = [];
      for (const path of paths) found.push((await get(path)).status);
      return found;
    };
    // A transformation is signed as written, the name of a folder decoded.
    expect(await answers([signed('w%5F50/alpha.png'), signed('w%5F50/alpha.png', 'w_50/alpha.png')])).toEqual([
      200, 401,
    ]);
    const folder = 'w_50%2Ch_20x/alpha.png';
    expect(await answers([signed(folder, 'w_50,h_20x/alpha.png'), signed(folder)])).toEqual([200, 401]);
  });

  test('a transformation of 8,192 bytes is read, and a longer one is refused', async () => {
    const transformation = (bytes: number) => `w_50${','.repeat(bytes - 4)}`;
    for (const start of ['/t/', '/authenticated/']) {
      const raw = (bytes: number) => `${transformation(bytes)}/alpha.png`;
      const path = (bytes: number) => (start === '/t/' ? start + raw(bytes) : signed(raw(bytes)));
      expect((await get(path(8192))).status).toBe(200);
      const refused = await get(path(8193));
      expect([refused.status, refused.json()]).toEqual([
        400,
        {
          error: 'Invalid transformation',
          code: 'transformation_too_long',
          message: 'Expected a transformation of at most 8192 bytes, received 8193.',
        },
      ]);
    }
    const long = { path: 'alpha.png', transformation: transformation(3000) };
    const refused = await post('/delivery/sign', long);
    expect([refused.status, refused.json().code]).toEqual([200, undefined]);
  });

  test.each([
    ['/delivery/sign', { path: '_'.repeat(900_000) }, 'validation_failed'],
    ['/delivery/sign', { path: 'a.png', transformation: '_'.repeat(900_000) }, 'validation_failed'],
    ['/delivery/sign', { path: 'a.png', transformation: `w_50,${'é'.repeat(3000)}` }, 'invalid_transformation'],
    ['/delivery/translate', { urls: ['a'.repeat(5000)] }, 'validation_failed'],
    ['/storage/batch', { action: 'delete', folder: '', search: 'a'.repeat(1001) }, 'validation_failed'],
    ['/storage/batch', { action: 'delete', items: [{ path: 'a/'.repeat(400_000) }] }, 'validation_failed'],
    ['/storage/batch', { action: 'delete', folder: 'a/'.repeat(400_000) }, 'invalid_path'],
    ['/delivery/sign', { path: 'a/'.repeat(8000) }, 'invalid_path'],
    ['/upload/url', { url: `https://${'a'.repeat(256)}/a.png` }, 'validation_failed'],
    ['/upload/url', { url: `https://a.de/${'a'.repeat(5000)}` }, 'validation_failed'],
  ])('a text that is longer than any URL is refused: %s', async (path, body, code) => {
    const answer = await post(path, body);
    const {
      results = [],
      errors = [],
      code: own,
    } = answer.json() as Record<'results' | 'errors', { code: string }[]> & { code?: string };
    expect([own, ...[...results, ...errors].map((one) => one.code)]).toContain(code);
    expect(answer.body.length).toBeLessThan(2000);
  });
});
