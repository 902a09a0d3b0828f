import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, askRaw, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);

const place: TestService['place'] = (name, bytes) => service.place(name, bytes);

beforeAll(async () => {
  service = await startService();
  await place('a/b.jpg', fixture('concert.jpg'));
});
afterAll(() => service.close());

describe('a path that nobody may ask for', () => {
  test.each([
    '/t/a%2Fb.jpg',
    '/t/a%2fb.jpg',
    '/t/a%5Cb.jpg',
    '/t/a\\b.jpg',
    '/t/a/b.jpg%00',
    '/t/a/../a/b.jpg',
    '/t/a/%2e%2e/a/b.jpg',
    '/t/%2E%2E/%2E%2E/etc/passwd',
    '/t/..',
    '/t/./a/b.jpg',
    '/t/a/%2e/b.jpg',
    '/t/w_10/../a/b.jpg',
    '/t/%zz',
    '/t/a/%c3%28.jpg',
    '/t/a/%',
    `/t/${'x'.repeat(256)}`,
    `/t/${'%C3%BC'.repeat(128)}.jpg`,
    '/api/t/%2e%2e/x',
  ])('%s is 400', async (path) => {
    expectProblem(await get(path), 400);
  });
});

describe('what is not there', () => {
  test.each([
    '/t',
    '/t/',
    '/t//',
    '/t/missing.jpg',
    '/t/w_10/missing.jpg',
    '/t/a',
    '/t/w_10/a',
    '/t/a/b.jpg/c.jpg',
    '/t/w_10,x_1/a/b.jpg',
    '/t/w_-5/a/b.jpg',
    '/t/w_1.5/a/b.jpg',
    '/t/f_psd/a/b.jpg',
    '/t/f_avi/a/b.jpg',
    '/t/f_mp3/a/b.jpg',
    '/t/w_10/w_10/a/b.jpg',
    '/nothing',
    '/version',
  ])('%s is 404', async (path) => {
    expectProblem(await get(path), 404);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s of a delivery URL is 405', async (method) => {
    const answer = await get('/t/a/b.jpg', { method });
    expectProblem(answer, 405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  test('a request that is no HTTP is 400, headers without end are 431, both in JSON and not cacheable', async () => {
    const broken = await askRaw(service.url, 'GET /t/a b.jpg HTTP/1.1\r\nHost: x\r\n\r\n');
    const endless = await askRaw(
      service.url,
      `GET /t/a.jpg HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    for (const [answer, status] of [
      [broken, 400],
      [endless, 431],
    ] as const) {
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/Content-Type: application\/json/i);
      expect(answer).toMatch(/Cache-Control: no-store/i);
      expect(answer).toMatch(/X-Content-Type-Options: nosniff/i);
      expect(answer).toMatch(/\r\n\r\n\{"error":"[^"]+","message":"[^"]+","code":"(bad_request|headers_too_large)"\}$/);
    }
  });

  test('an expectation that is not met is 417, in the one shape of errors; "100-continue" is met', async () => {
    for (const path of ['/livez', '/nothing', '/t/a/b.jpg', '/t/w_10/a/b.jpg', '/t/w_10/a/b.jpg']) {
      const answer = await get(path, { headers: { expect: 'a "miracle"' } });
      expectProblem(answer, 417);
      expect(answer.json()).toMatchObject({ code: 'expectation_failed', message: expect.stringContaining('miracle') });
      expect(answer.headers['x-request-id']).toBeDefined();
      expect((await get(path, { headers: { expect: '100-continue' } })).status).not.toBe(417);
    }
    const form = { method: 'POST', headers: { expect: 'none' }, body: 'a body' };
    expectProblem(await get('/upload', form), 417);
  });

  test('HEAD of a problem has its headers and no body', async () => {
    for (const [path, status] of [
      ['/t/missing.jpg', 404],
      ['/nothing', 404],
      ['/t/%zz', 400],
    ] as const) {
      const answer = await get(path, { method: 'HEAD' });
      expect([answer.status, answer.headers['cache-control'], answer.body.length]).toEqual([status, 'no-store', 0]);
    }
  });

  test('an encoded "/t/" is no delivery URL, and never another file', async () => {
    await place('4/a/b.jpg', 'another');
    expectProblem(await get('/%74/a/b.jpg'), 404);
  });
});

function expectProblem(answer: Awaited<ReturnType<typeof ask>>, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['content-length']).toBe(String(answer.body.length));
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
  expect(answer.body.toString()).not.toContain(service.data);
}
