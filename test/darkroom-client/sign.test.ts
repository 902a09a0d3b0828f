import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transformation } from '../../packages/client/src/index.ts';
import { signedUrl } from '../../packages/client/src/sign.ts';
import { readSignedUrl, signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { layeredOptions, paths } from './options.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const rules = { outputSide: 8192 };

let service: TestService;
beforeAll(async () => {
  service = await startService({ API_SECRET: SECRET, DELIVERY_MODE: 'signed' });
  await service.upload({ 'my, cat.png': fixture('badge.png') });
});
afterAll(() => service.close());

const statusOf = async (address: string) => (await fetch(address)).status;

describe('signedUrl', () => {
  test('writes the signatures of the documentation', async () => {
    expect(await signedUrl(SECRET, 'alpha.png', { width: 50 })).toMatch(
      /^\/authenticated\/s--f3e79d8a708f80a1[0-9a-f]{48}\/w_50\/alpha\.png$/,
    );
    expect(await signedUrl(SECRET, 'alpha.png', 'w_50', { expires: 1795213157 })).toMatch(
      /^\/authenticated\/s--489af2f72c83c1c1[0-9a-f]{48}--1795213157\/w_50\/alpha\.png$/,
    );
  });

  test('writes what the service writes, and what it takes, for any options and paths', async () => {
    const expires = 4_000_000_000;
    await fc.assert(
      fc.asyncProperty(layeredOptions(imageSteps), paths, async (options, path) => {
        fc.pre(transformation(options) !== '');
        const [open, ending] = await Promise.all([
          signedUrl(SECRET, `${path}.jpg`, options),
          signedUrl(SECRET, `${path}.jpg`, options, { expires: new Date(expires * 1000 + 400) }),
        ]);
        const raw = open.replace(/^\/authenticated\/s--[0-9a-f]+\//, '');
        expect(open).toBe(signDeliveryUrl(raw, { secret: SECRET, limits: rules }));
        expect(ending).toBe(signDeliveryUrl(raw, { secret: SECRET, limits: rules, expires }));
        expect(readSignedUrl(ending.slice('/authenticated/'.length), SECRET, rules)).toEqual({ raw, expires });
      }),
      { numRuns: 300 },
    );
  });

  test('opens a picture, its original and nothing else, until it ends', async () => {
    const base = service.url;
    const later = Math.floor(Date.now() / 1000) + 600;
    const address = await signedUrl(SECRET, 'my, cat.png', { width: 20, format: 'webp' }, { base, expires: later });
    expect(await statusOf(address)).toBe(200);
    expect(await statusOf(await signedUrl(SECRET, '/my, cat.png', undefined, { base }))).toBe(200);
    expect(await statusOf(address.replace('w_20', 'w_21'))).toBe(401);
    expect(await statusOf(await signedUrl(SECRET, 'my, cat.png', 'w_20', { base, expires: new Date(0) }))).toBe(401);
    expect(await statusOf(await signedUrl(`${SECRET}!`, 'my, cat.png', 'w_20', { base }))).toBe(401);
  });

  test.each([
    [
      'the text of an upload',
      () => signedUrl('s', 'uploads:1999999999'),
      '"path": expected a path that does not end in',
    ],
    [
      'one behind a transformation',
      () => signedUrl('s', 'a/:7', 'w_1'),
      '"path": expected a path that does not end in',
    ],
    ['one made by the time', () => signedUrl('s', '7', '', { expires: 1795213157 }), 'does not end in ":" and digits'],
    ['the text of a URL that ends', () => signedUrl('s', '1795213157:a.jpg'), 'does not begin with a time and ":"'],
    ['an empty secret', () => signedUrl('', 'a.jpg'), '"secret": expected the API_SECRET of the service'],
    ['a missing secret', () => signedUrl(undefined as never, 'a.jpg'), 'received "undefined"'],
    ['milliseconds', () => signedUrl('s', 'a.jpg', 'w_1', { expires: 1795213157000 }), '"expires": expected a Date or'],
    ['no date', () => signedUrl('s', 'a.jpg', 'w_1', { expires: new Date('soon') }), '"expires": expected a Date or'],
  ])('refuses %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(message);
  });
});
