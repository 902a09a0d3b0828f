import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const API_SECRET = 'test-secret-at-least-16-chars-long';

let service: TestService;
beforeAll(async () => {
  service = await startService({ API_SECRET, DELIVERY_MODE: 'signed', PRESETS: 'thumb=w_20,h_20' });
  for (const name of ['alpha.png', 'my cats/größe 1,5&@.png', 'w_50/alpha.png', 'notes.txt']) {
    await service.place(name, fixture('flag-alpha.png'));
  }
});
afterAll(() => service.close());

const sign = (body: unknown, at = service) =>
  ask(at.url, '/delivery/sign', {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('POST /delivery/sign', () => {
  test('gives the signature that everybody computes', async () => {
    const answer = await sign({ path: 'alpha.png', transformation: 'w_50' });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { url, ...rest } = answer.json() as { url: string };
    expect(url).toMatch(/^\/authenticated\/s--f3e79d8a708f80a1[0-9a-f]{48}\/w_50\/alpha\.png$/);
    expect(rest).toEqual({});
  });

  test.each([
    ['a variant', { path: 'alpha.png', transformation: 'w_50,f_png' }, 'image/png'],
    ['an original', { path: 'alpha.png' }, 'image/png'],
    ['a preset', { path: 'alpha.png', transformation: 'n_thumb' }, 'image/png'],
    [
      'a path of any characters',
      { path: 'my cats/größe 1,5&@.png', transformation: 'ar_1:1,w_20,f_webp' },
      'image/webp',
    ],
    ['a slash in front', { path: '/alpha.png', transformation: 'w_50,f_png' }, 'image/png'],
    ['a file that has no variants', { path: 'notes.txt' }, 'text/plain'],
    ['a file in a folder like a transformation', { path: 'w_50/alpha.png', transformation: 'w_20,f_png' }, 'image/png'],
  ])('signs a URL that delivers %s', async (_, body, type) => {
    const { url } = (await sign(body)).json() as { url: string };
    const answer = await ask(service.url, url);
    expect([answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([200, type]);
    expect(
      (
        await ask(
          service.url,
          url.replace(/s--./, (start) => (start === 's--0' ? 's--1' : 's--0')),
        )
      ).status,
    ).toBe(401);
  });

  test('signs a URL that ends, and says when', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { url, expires } = (await sign({ path: 'alpha.png', expiresIn: 600 })).json() as {
      url: string;
      expires: number;
    };
    expect(expires).toBeGreaterThanOrEqual(before + 600);
    expect(expires).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 600);
    expect(url).toContain(`--${expires}/alpha.png`);
    expect((await ask(service.url, url)).status).toBe(200);
    expect((await ask(service.url, url.replace(`--${expires}/`, `--${expires + 1}/`))).status).toBe(401);
  });

  test('begins with PUBLIC_URL', async () => {
    const own = await startService({ API_SECRET, PUBLIC_URL: 'https://media.example.org/files' });
    const { url } = (await sign({ path: 'alpha.png' }, own)).json() as { url: string };
    expect(url).toMatch(/^https:\/\/media\.example\.org\/files\/authenticated\/s--[0-9a-f]{64}\/alpha\.png$/);
    await own.close();
  });

  test('needs API_SECRET', async () => {
    const secretless = await startService();
    const refusal = await sign({ path: 'alpha.png' }, secretless);
    expect([refusal.status, refusal.json()]).toEqual([
      500,
      {
        error: expect.any(String),
        code: 'signing_not_configured',
        message: 'Signing needs the setting API_SECRET, which is not set.',
      },
    ]);
    await secretless.close();
  });

  test.each([
    ['no body', null, 'validation_failed', 'body'],
    ['no path', { transformation: 'w_50' }, 'validation_failed', 'path'],
    ['an empty path', { path: '' }, 'validation_failed', 'path'],
    ['a path that leaves the root', { path: '../alpha.png' }, 'invalid_path', '".."'],
    ['a time that is over', { path: 'alpha.png', expiresIn: 0 }, 'validation_failed', 'expiresIn'],
    ['half a second', { path: 'alpha.png', expiresIn: 1.5 }, 'validation_failed', 'expiresIn'],
    ['more than ten years', { path: 'alpha.png', expiresIn: 315_360_001 }, 'validation_failed', '315360000'],
    ['no transformation', { path: 'alpha.png', transformation: 'photos' }, 'invalid_transformation', '"photos"'],
    ['an unknown preset', { path: 'alpha.png', transformation: 'n_hero' }, 'invalid_transformation', '"n_hero"'],
    ['a value out of range', { path: 'alpha.png', transformation: 'q_101' }, 'parameter_out_of_range', '101'],
    ['a type without variants', { path: 'notes.txt', transformation: 'w_50' }, 'untransformable', 'document'],
    ['an original that no URL can name', { path: 'w_50/alpha.png' }, 'invalid_path', '"w_50/alpha.png"'],
  ])('refuses %s', async (_, body, code, named) => {
    const answer = await sign(body);
    expect([answer.status, answer.json().code]).toEqual([400, code]);
    expect(answer.body.toString()).toContain(named.replaceAll('"', '\\"'));
  });
});
