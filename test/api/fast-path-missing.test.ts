import type http from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import type { TestService } from '../service.ts';
import { figures, request, startFastPath } from './fast-path-client.ts';

const MISSING = '/t/w_30,f_png/missing.jpg';

let service: TestService;
const get = async (path: string, headers?: http.OutgoingHttpHeaders, method?: string) => {
  const { body, ...answer } = await request(service, path, headers, method);
  return { ...answer, text: body.toString() };
};

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startFastPath(environment);
}

beforeEach(() => start());
afterEach(() => service.close());

test.each([
  ['of a missing file', MISSING],
  ['with an explanation', '/t/w_30,f_png/w_0/missing.jpg'],
  ['of a name that must be escaped', '/t/w_30/%22%C3%A9%20%3C.jpg'],
])('a 404 %s is repeated with the same headers and bytes', async (_, path) => {
  const usual = await get(path);
  const fast = await get(path);
  expect([usual.status, usual.isFast, fast.isFast]).toEqual([404, false, true]);
  expect([fast.status, fast.message, fast.lines, fast.text]).toEqual([404, 'Not Found', usual.lines, usual.text]);
  expect(Number(fast.headers['x-ratelimit-remaining'])).toBe(Number(usual.headers['x-ratelimit-remaining']) - 1);
  expect(fast.headers['x-request-id']).toMatch(/^[\w-]{8}-\d+$/);
  const conditional = await get(path, { 'If-None-Match': '*', 'X-Request-Id': 'of-a-proxy' });
  expect([conditional.isFast, conditional.lines, conditional.text]).toEqual([true, usual.lines, usual.text]);
  expect(conditional.headers['x-request-id']).toBe('of-a-proxy');
});

test('it is counted like one of the normal path', async () => {
  await get(MISSING);
  const differences: Record<string, number>[] = [];
  for (const headers of [{}, { Connection: 'close' }]) {
    const before = await figures(service);
    expect((await get(MISSING, headers)).isFast).toBe(!('Connection' in headers));
    const after = await figures(service);
    const grown = Object.entries(after).filter(([name, value]) => value !== before[name]);
    differences.push(Object.fromEntries(grown.map(([name, value]) => [name, value - (before[name] ?? 0)])));
  }
  expect(differences[0]).toEqual({ 'darkroom_requests_total{family="t",method="GET",status="404"}': 1 });
  expect(differences[1]).toEqual(differences[0]);
});

test('it ends with the upload of the file, and begins again with its deletion', async () => {
  await get(MISSING);
  expect((await get(MISSING)).isFast).toBe(true);
  expect((await service.upload({ 'missing.jpg': fixture('concert.jpg') })).status).toBe(200);
  for (const isFast of [false, false, true]) expect(await get(MISSING)).toMatchObject({ status: 200, isFast });
  expect((await service.authorized('/storage/missing.jpg', { method: 'DELETE' })).status).toBe(200);
  for (const isFast of [false, true]) expect(await get(MISSING)).toMatchObject({ status: 404, isFast });
  expect((await service.upload({ 'missing.jpg': fixture('concert.jpg') })).status).toBe(200);
  for (const isFast of [false, false, true]) expect(await get(MISSING)).toMatchObject({ status: 200, isFast });
});

test('it is repeated below /api too', async () => {
  const usual = await get(MISSING);
  const prefixed = await get(`/api${MISSING}`);
  expect([prefixed.isFast, prefixed.lines, prefixed.text]).toEqual([true, usual.lines, usual.text]);
});

test('it ends with the check interval when another program adds the file', async () => {
  await service.close();
  await start({ ORIGINAL_CHECK_INTERVAL_MS: '0' });
  await get(MISSING);
  await service.place('missing.jpg', fixture('concert.jpg'));
  expect((await get(MISSING)).status).toBe(200);
});

test.each([
  ['an original, which is always looked up', '/t/missing.jpg'],
  ['a preset, which may be a folder', '/t/n_small/missing.jpg'],
  ['layers, which may be a folder', '/t/w_30~l_logo.png/missing.jpg'],
])('the normal path answers for %s', async (_, path) => {
  await service.close();
  await start({ PRESETS: 'small=w_30' });
  await get(path);
  const again = await get(path);
  expect([again.status, again.isFast]).toEqual([404, false]);
});

test.each<[string, http.OutgoingHttpHeaders, string]>([
  ['HEAD', {}, 'HEAD'],
  ['a connection that ends', { Connection: 'close' }, 'GET'],
  ['a range', { Range: 'bytes=0-1' }, 'GET'],
])('the normal path answers %s', async (_, headers, method) => {
  const usual = await get(MISSING);
  const answer = await get(MISSING, headers, method);
  expect([answer.status, answer.isFast, answer.text]).toEqual([404, false, method === 'HEAD' ? '' : usual.text]);
});

test('a client over its limit gets 429', async () => {
  await service.close();
  await start({ PUBLIC_RATE_LIMIT_MAX: '3' });
  let answer = await get(MISSING);
  while (answer.status === 404) answer = await get(MISSING);
  expect([answer.status, answer.isFast, answer.headers['x-ratelimit-remaining']]).toEqual([429, false, '0']);
});
