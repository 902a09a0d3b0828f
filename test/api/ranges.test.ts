import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const get = (path: string, headers?: Asking['headers'], method = 'GET') =>
  ask(service.url, path, { method, ...(headers && { headers }) });

beforeAll(async () => {
  service = await startService();
  await writeFile(join(service.originals, 'concert.jpg'), fixture('concert.jpg'));
  await writeFile(join(service.originals, 'empty.txt'), '');
  await writeFile(join(service.originals, 'noise.jpg'), fixture('photo-2725x2225.jpg'));
});
afterAll(() => service.close());

// The last one is larger than the memory cache accepts.
describe.each(['/t/concert.jpg', '/t/w_99,f_webp/concert.jpg', '/t/w_700,h_600,f_png/noise.jpg'])('%s', (path) => {
  let whole: Buffer;
  let etag = '';
  let date = '';
  beforeAll(async () => {
    const answer = await get(path);
    whole = answer.body;
    etag = answer.headers.etag ?? '';
    date = answer.headers['last-modified'] ?? '';
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-99', 0, 100],
    ['bytes=100-199', 100, 200],
    ['bytes=100-', 100, undefined],
    ['bytes=-100', -100, undefined],
    ['bytes=-99999999', 0, undefined],
    ['bytes=10-99999999', 10, undefined],
    ['bytes=0-', 0, undefined],
    ['bytes= 5-6 ', 5, 7],
    ['Bytes=5-6', 5, 7],
  ])('%s is answered with 206', async (range, start, end) => {
    const expected = whole.subarray(start, end);
    const from = start < 0 ? whole.length + start : start;
    const answer = await get(path, { range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${from + expected.length - 1}/${whole.length}`);
    expect(answer.headers['content-length']).toBe(String(expected.length));
    expect(answer.headers.etag).toBe(etag);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.body.equals(expected)).toBe(true);
  });

  test.each(['bytes=0-1,5-6', 'bytes=5-2', 'bytes=a-b', 'bytes=-', 'bytes', 'lines=1-2', 'bytes=1-2-3', ''])(
    'several ranges and what is no range (%s) get the whole',
    async (range) => {
      const answer = await get(path, { range });
      expect([answer.status, answer.headers['content-range']]).toEqual([200, undefined]);
      expect(answer.body.equals(whole)).toBe(true);
    },
  );

  test('a range behind the end is 416 in JSON, with the size', async () => {
    for (const range of [`bytes=${whole.length}-`, `bytes=${whole.length}-${whole.length + 5}`, 'bytes=-0']) {
      const answer = await get(path, { range });
      expect([answer.status, answer.headers['content-range']], range).toEqual([416, `bytes */${whole.length}`]);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.json().error).toBe('Range not satisfiable');
    }
  });

  test('If-Range gives the part only of the version that the client has', async () => {
    const range = 'bytes=0-9';
    expect((await get(path, { range, 'if-range': etag })).status).toBe(206);
    expect((await get(path, { range, 'if-range': date })).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, new Date(0).toUTCString(), 'nonsense']) {
      const answer = await get(path, { range, 'if-range': other });
      expect([answer.status, answer.body.length], other).toEqual([200, whole.length]);
    }
    expect((await get(path, { range: `bytes=${whole.length}-`, 'if-range': '"other"' })).status).toBe(200);
  });

  test('HEAD does not know ranges', async () => {
    const answer = await get(path, { range: 'bytes=0-9' }, 'HEAD');
    expect([answer.status, answer.headers['content-length']]).toEqual([200, String(whole.length)]);
  });
});

test('no part of an empty file can be had', async () => {
  expect((await get('/t/empty.txt', { range: 'bytes=0-' })).status).toBe(416);
});
