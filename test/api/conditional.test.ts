import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const get = (path: string, headers?: Asking['headers'], method = 'GET') =>
  ask(service.url, path, { method, ...(headers && { headers }) });

const rendered = () => service.services.pool.stats().rendered;

beforeAll(async () => {
  // Every change on disk is noticed immediately.
  service = await startService({ ORIGINAL_CHECK_INTERVAL_MS: '0' });
  for (const name of ['concert.jpg', 'flag-alpha.png', 'truncated.jpg', 'not-an-image.jpg', 'corrupt-header.jpg']) {
    await service.place(name, fixture(name));
  }
});
afterAll(() => service.close());

describe('a conditional request', () => {
  test.each(['/t/concert.jpg', '/t/w_52,f_webp/concert.jpg', '/t/w_52/concert.jpg'])('of %s', async (path) => {
    const { headers } = await get(path);
    const { etag = '', 'last-modified': date = '' } = headers;
    const later = new Date(Date.parse(date) + 5000).toUTCString();
    const earlier = new Date(Date.parse(date) - 5000).toUTCString();
    const cases: [Asking['headers'], number][] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `W/${etag}` }, 304],
      [{ 'if-none-match': `"other", ${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ 'if-none-match': '"other"', 'if-modified-since': later }, 200],
      [{ 'if-modified-since': date }, 304],
      [{ 'if-modified-since': later }, 304],
      [{ 'if-modified-since': earlier }, 200],
      [{ 'if-modified-since': 'nonsense' }, 200],
      [{ 'if-match': etag }, 200],
      [{ 'if-match': '"other"' }, 412],
      [{ 'if-unmodified-since': earlier }, 412],
      [{ 'if-unmodified-since': date }, 200],
      [{ 'if-none-match': etag, range: 'bytes=0-1' }, 304],
    ];
    for (const [conditions, status] of cases) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(path, conditions, method);
        expect(answer.status, JSON.stringify(conditions)).toBe(status);
        if (status !== 304) continue;
        expect(answer.body.length).toBe(0);
        for (const name of ['etag', 'cache-control', 'vary']) expect(answer.headers[name]).toBe(headers[name]);
        expect(answer.headers['x-content-type-options']).toBe('nosniff');
      }
    }
  });

  test('a 304 touches no pixel, also when the variant is gone from the cache', async () => {
    const path = '/t/w_53,f_webp/concert.jpg';
    const { etag, 'last-modified': date } = (await get(path)).headers;
    await service.services.variants.clear();
    const before = rendered();
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(path, { 'if-modified-since': date })).status).toBe(304);
    expect(rendered()).toBe(before);
    expect(await service.cachedFiles()).toEqual([]);
  });
});
