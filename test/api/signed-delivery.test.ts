import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { readSignedUrl } from '../../src/delivery/signed-url.ts';
import { ask, fixture } from '../http.ts';
import { COMPILED } from '../processes.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const GUIDE = readFileSync(new URL('../../docs/signed-urls.md', import.meta.url), 'utf8');

async function start(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ API_SECRET: SECRET, ...environment });
  const originals = service.originals;
  await mkdir(join(originals, 'my cats'), { recursive: true });
  for (const name of ['alpha.png', 'other.png', 'my cats/größe 1,5&@.png']) {
    await writeFile(join(originals, name), fixture('flag-alpha.png'));
  }
  return service;
}

let service: TestService;
beforeAll(async () => {
  service = await start();
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}, at = service) => ask(at.url, path, { headers });
const signed = (raw: string, text = raw, length = 64) =>
  `/authenticated/s--${sign(text, SECRET).slice(0, length)}/${raw}`;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe('a signed URL', () => {
  test.each([
    ['the vector', '/authenticated/s--f3e79d8a708f80a1/w_50/alpha.png'],
    ['the vector below /api', '/api/authenticated/s--f3e79d8a708f80a1/w_50/alpha.png'],
    ['the whole signature', signed('w_50/alpha.png')],
    ['an original', signed('alpha.png')],
    ['an encoded path', signed('w_50/my%20cats/gr%C3%B6%C3%9Fe%201%2C5%26%40.png', 'w_50/my cats/größe 1,5&@.png')],
    [
      'the same path, less encoded',
      signed('w_50/my%20cats/gr%C3%B6%C3%9Fe%201,5&@.png', 'w_50/my cats/größe 1,5&@.png'),
    ],
    ['an encoded transformation, signed as it is written', signed('w_50%2Ch_20/alpha.png', 'w_50%2Ch_20/alpha.png')],
    ['a query, which is not signed', `${signed('w_50/alpha.png')}?v=2`],
  ])('delivers: %s', async (_, path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers['x-content-type-options']]).toEqual([200, 'nosniff']);
    // An image runs nothing.
    expect(answer.headers['content-security-policy']).toBeUndefined();
    expect(answer.headers['referrer-policy']).toBeUndefined();
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });

  test('shows what the open URL shows, hot as well', async () => {
    const open = await get('/t/w_50,f_png/alpha.png');
    for (let n = 0; n < 3; n++) {
      const answer = await get(signed('w_50,f_png/alpha.png'));
      expect(answer.body.equals(open.body)).toBe(true);
      expect([answer.headers.etag, answer.headers['cache-control']]).toEqual([
        open.headers.etag,
        open.headers['cache-control'],
      ]);
    }
  });

  test('of what cannot be has the usual answers once the signature is good', async () => {
    expect((await get(signed('w_0/alpha.png'))).status).toBe(400);
    expect((await get(signed('w_50/missing.png'))).status).toBe(404);
    expect((await get(signed('w_50/%2e%2e/alpha.png', 'w_50/../alpha.png'))).status).toBe(400);
    expect((await get(signed('w_0/alpha.png', 'w_1/alpha.png'))).status).toBe(401);
  });

  test.each([
    ['no signature', '/authenticated/w_50/alpha.png'],
    ['another length', '/authenticated/s--f3e79d8a708f80/w_50/alpha.png'],
    ['not hexadecimal', '/authenticated/s--g3e79d8a708f80a1/w_50/alpha.png'],
    ['an end that is no time', '/authenticated/s--f3e79d8a708f80a1--soon/w_50/alpha.png'],
    ['nothing behind it', '/authenticated/s--f3e79d8a708f80a1'],
  ])('with %s is 400', async (_, path) => expectRefusal(path, 400));

  test.each([
    ['a wrong signature', '/authenticated/s--0123456789abcdef/w_50/alpha.png'],
    ['upper case', '/authenticated/s--F3E79D8A708F80A1/w_50/alpha.png'],
    ['the signature of another picture', '/authenticated/s--f3e79d8a708f80a1/w_50/other.png'],
    ['the signature of another size', '/authenticated/s--f3e79d8a708f80a1/w_51/alpha.png'],
    ['the signature of the same size in other words', '/authenticated/s--f3e79d8a708f80a1/w_50,c_fill/alpha.png'],
    ['an end that was not signed', `/authenticated/s--f3e79d8a708f80a1--${inSeconds(60)}/w_50/alpha.png`],
  ])('with %s is 401', async (_, path) => expectRefusal(path, 401));

  test('is 500 without a secret, and then the form still counts first', async () => {
    const bare = await startService();
    try {
      const answer = await get(signed('w_50/alpha.png'), {}, bare);
      expect([answer.status, answer.json().error]).toEqual([500, 'API_SECRET is not configured']);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect((await get('/authenticated/s--12/alpha.png', {}, bare)).status).toBe(400);
    } finally {
      await bare.close();
    }
  });
});

describe('a row of dashes in the place of a signature', () => {
  // With quadratic time each of these takes a second, and the test a whole minute.
  const attacks = Array.from({ length: 100 }, (_, n) => `/authenticated/s--${'-'.repeat(15_500 + n)}`);

  test.each(['', '/', '/alpha.png'])('and "%s" behind it is 400, and others are answered meanwhile', async (end) => {
    const bare = await startService();
    try {
      for (const at of [service, bare]) {
        const answers = await Promise.all(
          attacks.flatMap((attack) => [get(attack + end, {}, at), get('/livez', {}, at)]),
        );
        const statuses = answers.map(({ status }) => status);
        expect(statuses).toEqual(attacks.flatMap(() => [400, 200]));
        expect(answers[0]?.json()).toEqual({
          error: 'Invalid signature',
          code: 'malformed_signature',
          message: expect.any(String),
        });
      }
    } finally {
      await bare.close();
    }
  });
});

describe('a signed URL that ends', () => {
  const ending = (expires: number, raw = 'w_50/alpha.png') =>
    `/authenticated/s--${sign(`${expires}:${raw}`, SECRET)}--${expires}/${raw}`;

  test('is delivered until then and not kept longer', async () => {
    const answer = await get(ending(inSeconds(60)));
    expect(answer.status).toBe(200);
    const age = Number(/^private, max-age=(\d+)$/.exec(answer.headers['cache-control'] ?? '')?.[1]);
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThanOrEqual(60);
  });

  test('is 401 after that second', async () => {
    await expectRefusal(ending(inSeconds(-1)), 401);
    const expires = 1_795_213_157;
    const rest = ending(expires).slice('/authenticated/'.length);
    const at = (ms: number) => () => readSignedUrl(rest, SECRET, { outputSide: 8192 }, ms);
    expect(at(expires * 1000 + 999)()).toEqual({ raw: 'w_50/alpha.png', expires });
    expect(at((expires + 1) * 1000)).toThrow('expired');
  });
});

test('every single-bit change of signature, transformation, path or end is refused', () => {
  const rules = { outputSide: 8192 };
  const text = '9795213157:w_50,c_fit/cats/alpha.png';
  const whole = `s--${sign(text, SECRET).slice(0, 16)}--${text.replace(':', '/')}`;
  expect(readSignedUrl(whole, SECRET, rules, 0).expires).toBe(9_795_213_157);
  let refused = 0;
  for (let at = 0; at < whole.length * 8; at++) {
    const bytes = Buffer.from(whole, 'latin1');
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
    expect(() => readSignedUrl(bytes.toString('latin1'), SECRET, rules, 0), bytes.toString('latin1')).toThrow();
    refused++;
  }
  expect(refused).toBe(whole.length * 8);
});

describe('delivery modes', () => {
  test('signed: nothing without a signature, but for a key', async () => {
    const closed = await start({ DELIVERY_MODE: 'signed' });
    try {
      const key = { 'x-api-key': TEST_KEY };
      const paths = ['/t/w_50,f_png/alpha.png', '/t/alpha.png', '/download/alpha.png', '/download-folder/my%20cats'];
      for (let round = 0; round < 3; round++) {
        for (const path of paths) {
          expect((await get(path, {}, closed)).status, path).toBe(401);
          expect((await get(path, key, closed)).status, path).toBe(200);
          expect((await get(path, { 'x-api-key': 'wrong' }, closed)).status, path).toBe(401);
        }
        expect((await get(signed('w_50,f_png/alpha.png'), {}, closed)).status).toBe(200);
      }
      const answer = await get('/t/w_50,f_png/alpha.png', key, closed);
      expect(answer.headers['cache-control']).toBe('private, no-cache');
    } finally {
      await closed.close();
    }
  });

  test('presets: originals and named transformations are open, others need a signature or a key', async () => {
    const some = await start({ DELIVERY_MODE: 'presets', PRESETS: 'thumb=w_20,h_10,f_png;hero=w_40' });
    try {
      const named = await get('/t/n_thumb/alpha.png', {}, some);
      expect(named.status).toBe(200);
      expect((await get('/t/w_20,h_10,f_png/alpha.png', {}, some)).body.equals(named.body)).toBe(true);
      expect((await get('/t/alpha.png', {}, some)).status).toBe(200);
      const refused = await get('/t/w_21/alpha.png', {}, some);
      expect([refused.status, refused.json().message]).toEqual([
        403,
        'Expected one of the presets n_thumb, n_hero, received "w_21".',
      ]);
      expect((await get('/t/w_21/alpha.png', { 'x-api-key': TEST_KEY }, some)).status).toBe(200);
      expect((await get(signed('w_21/alpha.png'), {}, some)).status).toBe(200);
      expect((await get(signed('n_hero/alpha.png'), {}, some)).status).toBe(200);
      expect((await get('/t/n_nobody/alpha.png', {}, some)).status).toBe(404);
      expect((await get('/t/n_constructor/alpha.png', {}, some)).status).toBe(404);
    } finally {
      await some.close();
    }
  });
});

describe('the documented snippet', () => {
  const cases: [string, string, number | undefined][] = [
    ['w_50', 'alpha.png', undefined],
    ['w_50,h_20,c_fit', 'alpha.png', inSeconds(600)],
    ['', 'alpha.png', undefined],
  ];
  const encoded: typeof cases = [['w_50', 'my cats/größe 1,5&@.png', inSeconds(600)]];

  test('in TypeScript', async () => {
    const code = stripTypeScriptTypes(snippet('ts'));
    const module: { signedUrl(...args: unknown[]): string } = await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    );
    for (const one of [...cases, ...encoded]) await expectDelivery(module.signedUrl(SECRET, ...one));
  });

  test('in Python', async () => {
    for (const [transformation, path, expires] of [...cases, ...encoded]) {
      const call = `print(signed_url(${JSON.stringify(SECRET)}, ${JSON.stringify(transformation)}, ${JSON.stringify(path)}, ${expires ?? 'None'}))`;
      await expectDelivery(run('python3', ['-c', `${snippet('python')}\n${call}`]));
    }
  });

  test('in PHP', async () => {
    requirePhp();
    for (const [transformation, path, expires] of [...cases, ...encoded]) {
      const call = `echo signed_url('${SECRET}', '${transformation}', '${path}', ${expires ?? 'null'});`;
      await expectDelivery(run('php', ['-r', `${snippet('php')}\n${call}`]));
    }
  }, 180_000);

  test('in shell', async () => {
    for (const [transformation, path, expires] of cases) {
      const code = `${snippet('sh')}\nsigned_url "$@"`;
      await expectDelivery(
        run('sh', ['-c', code, 'sh', SECRET, transformation, path, ...(expires ? [`${expires}`] : [])]),
      );
    }
  });

  test('as a command', async () => {
    const script = new URL('../../src/admin.ts', import.meta.url).pathname;
    const env = { ...COMPILED, PATH: process.env.PATH ?? '', API_SECRET: SECRET, DATA_DIR: service.data };
    const url = execFileSync(process.execPath, [script, 'sign', '/t/w_50/alpha.png', '--expires', '60'], { env });
    await expectDelivery(url.toString().trim());
  });

  test('vectors of the guide are right', () => {
    for (const text of ['w_50/alpha.png', '1795213157:w_50/alpha.png']) {
      expect(GUIDE).toContain(`\`${text}\``);
      expect(GUIDE).toContain(sign(text, SECRET).slice(0, 16));
    }
  });

  async function expectDelivery(path: string): Promise<void> {
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  }
});

async function expectRefusal(path: string, status: number): Promise<void> {
  const answer = await get(path);
  expect([answer.status, answer.headers['x-content-type-options']]).toEqual([status, 'nosniff']);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
}

function snippet(language: string): string {
  const code = GUIDE.split(`\`\`\`${language}\n`)[1]?.split('```')[0];
  if (code === undefined) throw new Error(`The guide has no snippet in ${language}.`);
  return code;
}

function run(program: string, args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' }).trim();
}

/** Requires PHP: installed as root on Debian, otherwise by the user. */
function requirePhp(): void {
  if (spawnSync('php', ['--version']).status === 0) return;
  const options = ['-qq', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => spawnSync('apt-get', ['install', ...options, 'php-cli'], { env }).status === 0;
  if (!install()) {
    spawnSync('apt-get', ['update', '-qq'], { env });
    install();
  }
}
