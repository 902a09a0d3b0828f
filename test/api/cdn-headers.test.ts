import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheTagsOf } from '../../src/delivery/cache-tags.ts';
import { parsePath } from '../../src/path.ts';
import { type Asking, ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const SHARED = 'max-age=31536000, stale-while-revalidate=60, stale-if-error=86400';
const NAMES = ['cache-tag', 'surrogate-key', 'cdn-cache-control', 'surrogate-control'];

let service: TestService;
let plain: TestService;
beforeAll(async () => {
  service = await startService({
    CDN_TAGS: 'true',
    CDN_CACHE_CONTROL: SHARED,
    DELIVERY_MODE: 'presets',
    PRESETS: 'p=w_20,f_png',
  });
  plain = await startService();
  for (const one of [service, plain]) {
    await one.place('products/photo.jpg', fixture('concert.jpg'));
    await one.place('products/broken.jpg', fixture('not-an-image.jpg'));
  }
});
afterAll(async () => {
  await service.close();
  await plain.close();
});

async function cdnHeaders(path: string, asking: Asking = {}, at = service) {
  const { status, headers } = await ask(at.url, path, asking);
  return [status, ...NAMES.map((name) => headers[name])];
}

function expected(path: string) {
  const tags = cacheTagsOf(parsePath(path));
  return [tags.join(','), tags.join(' '), SHARED, SHARED];
}

test('originals and variants say what they are made of: miss, hit, from memory, HEAD, range and 304', async () => {
  const headers = expected('products/photo.jpg');
  for (const path of ['/t/n_p/products/photo.jpg', '/t/products/photo.jpg']) {
    for (let time = 0; time < 4; time++) expect(await cdnHeaders(path)).toEqual([200, ...headers]);
    expect(await cdnHeaders(path, { method: 'HEAD' })).toEqual([200, ...headers]);
    expect(await cdnHeaders(path, { headers: { range: 'bytes=0-9' } })).toEqual([206, ...headers]);
    const { etag } = (await ask(service.url, path)).headers;
    for (let time = 0; time < 2; time++) {
      expect(await cdnHeaders(path, { headers: { 'if-none-match': etag } })).toEqual([304, ...headers]);
    }
  }
});

test('what no cache may keep says nothing: errors, the original in the place of a variant, what a key has opened', async () => {
  const nothing = NAMES.map(() => undefined);
  expect(await cdnHeaders('/t/n_p/products/missing.jpg')).toEqual([404, ...nothing]);
  expect(await cdnHeaders('/t/n_p/products/broken.jpg')).toEqual([200, ...nothing]);
  const { status, headers } = await service.authorized('/t/w_21,f_png/products/photo.jpg');
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  expect(NAMES.map((name) => headers.get(name) ?? undefined)).toEqual(nothing);
});

test('without the settings there are no such headers', async () => {
  for (const path of ['/t/w_20,f_png/products/photo.jpg', '/t/products/photo.jpg']) {
    expect(await cdnHeaders(path, {}, plain)).toEqual([200, ...NAMES.map(() => undefined)]);
  }
});
