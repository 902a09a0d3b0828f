import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, askRaw, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';

const CACHED = '/t/w_10,f_png/a.jpg';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...FROM_ANYWHERE, HEADERS_TIMEOUT_MS: '600000' });
  await writeFile(join(service.originals, 'a.jpg'), fixture('concert.jpg'));
  for (let n = 0; n < 3; n++) await ask(service.url, CACHED);
});
afterAll(() => service.close());

const PATHS = ['/livez', '/api/auth/get-session', '/api/version', '/nothing', '/t/a.jpg', CACHED];

const get = (path: string, ...headers: string[]) =>
  askRaw(service.url, `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`);
/** Sends another request behind it, so that the fast path to cached images is open. */
const getKept = (path: string, ...headers: string[]) =>
  askRaw(service.url, `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\nGET /livez HTTP/1.0\r\n\r\n`);

const refusal = /^HTTP\/1.1 400 .*\r\n\r\n\{"error":"[^"]+","message":"Expected [^}]*","code":"invalid_host"\}/s;

describe.each([
  ['a path', 'a/b'],
  ['a space', 'a b'],
  ['a URL', 'http://a'],
  ['a user', 'me@a'],
  ['markup', '<script>'],
  ['a port that is none', 'a:port'],
  ['a port that cannot be', 'a:70000'],
  ['half an address', '[::1'],
  ['an address that is none', '[zz]'],
  ['numbers that are no address', '999.1.1.1'],
  ['dots alone', '..'],
  ['a name with a part that is empty', 'a..b'],
  ['a name that begins with a dot', '.a'],
  ['a name that ends with two', 'a..:80'],
  ['two names', 'a,b'],
  ['an encoded NUL', 'a%00b'],
  ['a letter of another script', '\u00e4'],
  ['nothing', ''],
  ['more than a name can have', 'a'.repeat(300)],
])('%s', (_, host) => {
  test.each(PATHS)('as the host of %s is 400', async (path) => {
    expect(await get(path, `Host: ${host}`)).toMatch(refusal);
    expect(await getKept(path, `Host: ${host}`)).toMatch(refusal);
  });

  test('is 400 as well where a trusted proxy forwards it, and where somebody signs in', async () => {
    const headers = { 'x-forwarded-host': host, 'content-type': 'application/json' };
    // An empty forwarded header has no effect; of several proxies the last one counts.
    const status = host === '' || host === 'a,b' ? 401 : 400;
    const answer = await ask(service.url, '/api/auth/sign-in/email', {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': `203.0.113.${host.length % 250}` },
      body: JSON.stringify({ email: 'a@example.com', password: 'none of them' }),
    });
    expect(answer.status).toBe(status);
  });
});

test.each(PATHS)('two hosts for %s are 400, equal ones too', async (path) => {
  for (const [one, other] of [
    ['a', 'b'],
    ['a', 'a'],
  ]) {
    expect(await get(path, `Host: ${one}`, `host: ${other}`)).toMatch(refusal);
    expect(await getKept(path, `Host: ${one}`, `HOST: ${other}`)).toMatch(refusal);
  }
});

test('no host is 400, but in HTTP/1.0, which knows none', async () => {
  for (const path of PATHS) {
    expect(await get(path, 'X-Other: a')).toMatch(refusal);
    expect(await getKept(path, 'X-Other: a')).toMatch(refusal);
  }
  for (const path of ['/livez', '/api/auth/get-session', '/']) {
    expect(await askRaw(service.url, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  }
});

test.each([
  'localhost',
  'a',
  'MEDIA.example.',
  'xn--bcher-kva.example:8080',
  'my_host',
  '127.0.0.1:3000',
  '[::1]:3000',
])('the host %s is one', async (host) => {
  for (const path of ['/livez', '/api/auth/get-session', CACHED]) {
    expect(await get(path, `Host: ${host}`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await getKept(path, `Host: ${host}`)).toMatch(/^HTTP\/1.1 200 /);
  }
});
