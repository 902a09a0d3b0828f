import type http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRaw, fixture } from '../http.ts';
import type { TestService } from '../service.ts';
import { request, startFastPath } from './fast-path-client.ts';

const FIXED = '/t/w_30,f_png/concert.jpg';
const NEGOTIATED = '/t/w_30/concert.jpg';

let service: TestService;
const get = (path: string, headers?: http.OutgoingHttpHeaders) => request(service, path, headers);

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startFastPath(environment);
  expect((await service.upload({ 'concert.jpg': fixture('concert.jpg') })).status).toBe(200);
}

/**
 * Requests until the next equal request takes the fast path.
 * @returns the last response of the normal path, a hit
 */
async function warm(path: string, headers?: http.OutgoingHttpHeaders) {
  await get(path, headers);
  return get(path, headers);
}

describe.each([
  ['in memory', {}],
  ['on the disk', { CACHE_MEMORY_MB: '0' }],
])('of variants %s', (_, environment) => {
  beforeAll(() => start(environment));
  afterAll(() => service.close());

  describe('a cached variant asked for again is answered the short way', () => {
    test.each([
      ['of a fixed format', FIXED, {}],
      ['of a negotiated format', NEGOTIATED, { Accept: 'image/webp' }],
      [
        'with many headers of no meaning here',
        '/t/w_31,f_png/concert.jpg',
        { Cookie: 'a=b', 'Accept-Language': 'en', 'X-Other': 'y' },
      ],
    ])('%s: with the headers and the bytes of the usual way', async (_, path, headers) => {
      const usual = await warm(path, headers);
      const hot = await get(path, headers);
      expect([usual.isFast, hot.isFast]).toEqual([false, true]);
      expect([hot.status, hot.message, hot.lines]).toEqual([200, 'OK', usual.lines]);
      expect(hot.body.equals(usual.body)).toBe(true);
      expect(Math.abs(Date.parse(hot.headers.date ?? '') - Date.now())).toBeLessThan(60_000);
      expect(Number(hot.headers['x-ratelimit-remaining'])).toBe(Number(usual.headers['x-ratelimit-remaining']) - 1);
    });

    test('below /api too, however it was requested before', async () => {
      const usual = await warm('/t/w_32,f_png/concert.jpg');
      const prefixed = await get('/api/t/w_32,f_png/concert.jpg');
      expect([usual.isFast, prefixed.isFast, prefixed.status]).toEqual([false, true, 200]);
      expect([prefixed.lines, prefixed.body]).toEqual([usual.lines, usual.body]);
      await warm('/api/t/w_33,f_png/concert.jpg');
      for (const path of ['/api/t/w_33,f_png/concert.jpg', '/t/w_33,f_png/concert.jpg'])
        expect((await get(path)).isFast).toBe(true);
    });

    test('with the id that the request brought along, or one of its own', async () => {
      const ids = async (given?: string) => {
        const headers: http.OutgoingHttpHeaders = given === undefined ? {} : { 'X-Request-Id': given };
        const hot = await get(FIXED, headers);
        const usual = await get(FIXED, { ...headers, Connection: 'close' });
        expect([hot.isFast, usual.isFast]).toEqual([true, false]);
        return [hot.headers['x-request-id'], usual.headers['x-request-id']];
      };
      await warm(FIXED);
      expect(await ids('from-a.proxy_1')).toEqual(['from-a.proxy_1', 'from-a.proxy_1']);
      const made: unknown[] = [];
      for (const given of [undefined, undefined, 'not good', 'x'.repeat(65), '<script>', ''])
        made.push(...(await ids(given)));
      for (const id of made) expect(id).toMatch(/^[\w-]{8}-\d+$/);
      expect(new Set(made).size).toBe(made.length);
    });

    test('in turn over one connection, however many requests wait in it', async () => {
      await warm(FIXED);
      const one = `GET ${FIXED} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const last = `GET ${NEGOTIATED} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const answers = await askRaw(service.url, one + one + last);
      expect(answers.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(3);
      expect(answers.match(/Connection: keep-alive\r\n/g)).toHaveLength(2);
      expect(answers.match(/Connection: close\r\n/g)).toHaveLength(1);
    });
  });

  describe('the usual way answers', () => {
    test.each<[string, http.OutgoingHttpHeaders, number]>([
      ['a range', { Range: 'bytes=0-9' }, 206],
      ['another ETag', { 'If-None-Match': '"another"' }, 200],
      ['a date', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 304],
      ['a precondition', { 'If-Match': '"another"' }, 412],
      ['a precondition on the date', { 'If-Unmodified-Since': new Date(0).toUTCString() }, 412],
      ['a connection that ends', { Connection: 'close' }, 200],
      ['another Accept', { Accept: 'text/html' }, 200],
    ])('%s', async (_, headers, status) => {
      await warm(FIXED);
      const answer = await get(FIXED, headers);
      expect([answer.status, answer.isFast]).toEqual([status, false]);
    });

    test('what has been replaced', async () => {
      const before = await warm(FIXED);
      expect((await get(FIXED)).isFast).toBe(true);
      expect((await service.authorized('/storage/concert.jpg', { method: 'DELETE' })).status).toBe(200);
      expect((await service.upload({ 'concert.jpg': fixture('portrait-face.jpg') })).status).toBe(200);
      const after = await get(FIXED);
      expect([after.isFast, after.headers['x-cache'], after.headers.etag === before.headers.etag]).toEqual([
        false,
        'miss',
        false,
      ]);
    });
  });
});

describe('of a variant in memory', () => {
  beforeAll(() => start());
  afterAll(() => service.close());

  test.each([
    ['its ETag', (etag: string) => ({ 'If-None-Match': etag })],
    [
      'its ETag and a date, which then does not count',
      (etag: string) => ({ 'If-None-Match': etag, 'If-Modified-Since': new Date(0).toUTCString() }),
    ],
  ])('the short way answers 304 to a client that holds %s', async (_, conditions) => {
    const { headers } = await warm(FIXED);
    const usual = await get(FIXED, { 'If-None-Match': `"another", ${headers.etag}` });
    const hot = await get(FIXED, conditions(headers.etag ?? ''));
    expect([usual.isFast, hot.isFast]).toEqual([false, true]);
    expect([hot.status, hot.message, hot.lines, hot.body.length]).toEqual([304, 'Not Modified', usual.lines, 0]);
  });
});
