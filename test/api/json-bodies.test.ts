import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readText } from '../../src/http/bodies/json-bodies.ts';
import { type Answer, ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';

const MEGABYTE = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startService(FROM_ANYWHERE);
});
afterAll(() => service.close());

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(service.url, path, {
    method: 'POST',
    body,
    headers: {
      'x-api-key': TEST_KEY,
      'content-type': 'application/json',
      'x-forwarded-for': anotherAddress(),
      ...headers,
    },
    // A rejection before the body was read may cut the connection.
    agent: new http.Agent(),
  });

function expectRefusal(answer: Answer, status: number, ...words: string[]): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
  for (const word of words) expect(answer.json().message).toContain(word);
  expect(answer.body.length).toBeLessThan(4096);
}

/** Endpoints with a JSON body; those of the first two rows are open to anonymous clients. */
const ENDPOINTS = [
  '/api/auth/sign-in/email',
  '/api/auth/setup',
  '/api/auth/sign-out',
  '/download-zip',
  '/api-keys/create',
  '/upload/sign',
  '/delivery/translate',
  '/upload/url',
  '/webhooks',
  '/storage/a.jpg/move',
];

describe.each(ENDPOINTS)('a body that %s cannot want', (path) => {
  test.each([
    ['50,000 lists', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['500,000 lists that never end', '['.repeat(500_000)],
    ['50,000 objects', '{"email":'.repeat(50_000) + 1 + '}'.repeat(50_000)],
    ['a list too deep in a known field', `{"email":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['33 lists', '['.repeat(33) + ']'.repeat(33)],
  ])('because it is nested too deep (%s) is 400', async (_, body) => {
    expectRefusal(await post(path, body), 400, '32', 'MAX_JSON_DEPTH');
  });

  test.each([
    ['a list', `[${'0,'.repeat(400_000)}0]`],
    ['an object', `{${Array.from({ length: 50_000 }, (_, n) => `"${n}":0`).join()}}`],
    ['lists in a list', `[${'[],'.repeat(200_000)}[]]`],
    ['wrong items', `{"items":[${'1,'.repeat(500_000)}1]}`],
  ])('because it has too many values (%s) is 400', async (_, body) => {
    expectRefusal(await post(path, body), 400, '10000', 'MAX_JSON_VALUES');
  });

  test('because it is too long is 413, with its length and without', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(MEGABYTE) });
    expectRefusal(await post(path, body), 413, '1 MB', 'MAX_JSON_SIZE_MB');
    expectRefusal(await post(path, body, { 'transfer-encoding': 'chunked' }), 413, 'MAX_JSON_SIZE_MB');
    expectRefusal(await post(path, body, { 'content-type': 'text/plain' }), 413, 'MAX_JSON_SIZE_MB');
  });
});

describe.each(['application/json', 'text/plain', 'image/png'])(
  'where there is no endpoint, a body of %s is not read',
  (type) => {
    test.each([
      ['that is right', '{}'],
      ['that is no JSON', '{'],
      ['that is nested too deep', '['.repeat(500_000)],
      ['that has too many values', `[${'0,'.repeat(400_000)}0]`],
      ['that is too long', JSON.stringify({ name: 'x'.repeat(MEGABYTE) })],
    ])('and one %s is 404', async (_, body) => {
      const headers = { 'content-type': type };
      expectRefusal(await post('/nothing', body, headers), 404, 'no endpoint POST /nothing');
      expectRefusal(await post('/nothing', body, { ...headers, 'transfer-encoding': 'chunked' }), 404, 'no endpoint');
    });
  },
);

describe('a body within the limits', () => {
  test('may be as deep and have brackets in its texts', async () => {
    const deep = `${'['.repeat(31)}${']'.repeat(31)}`;
    const text = JSON.stringify(`${'['.repeat(1000)}\\"${',{'.repeat(20_000)}`);
    const answer = await post('/api-keys/create', `{"name":${deep},"permissions":${text}}`);
    expectRefusal(answer, 400, '"name"', '"permissions"');
    expect(answer.json().message).not.toContain('MAX_JSON');
    expect((await post('/api-keys/create', '{"name":"[\\"{,\\\\"}')).status).toBe(200);
  });

  test('in which everything is wrong is told of ten things, and how many more there are', async () => {
    const answer = await post('/download-zip', JSON.stringify({ items: Array(4000).fill({ path: 1 }) }));
    expectRefusal(answer, 400, '"items.0.path": expected string, received 1', '"items.9.path"', '3990 more problems');
    expect(answer.json().message).not.toContain('items.10.');
  });

  test('shows the beginning of what it received, not all of it', async () => {
    const long = { paths: { wide: Array(9000).fill(0) } };
    expectRefusal(await post('/download-zip', JSON.stringify(long)), 400, 'received {"wide":[0,0,0', '…');
    const text = JSON.stringify({ items: 'é"'.repeat(200_000) });
    expectRefusal(await post('/download-zip', text), 400, 'received "é\\"é\\"', '…');
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 0]));
    expectRefusal(await post('/download-zip', JSON.stringify({ paths: keys })), 400, '{"k0":0,"k1":0');
    const deep = JSON.stringify({ paths: JSON.parse(`${'{"a":['.repeat(15)}${']}'.repeat(15)}`) });
    expectRefusal(await post('/download-zip', deep), 400, 'received {"a":[{"a":[');
  });

  test('arrives whole in chunks of one byte', async () => {
    const { hostname, port } = new URL(service.url);
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
    const request = http.request({ hostname, port, path: '/api-keys/create', method: 'POST', headers });
    const name = 'naïve 😀 '.repeat(12).slice(0, 90);
    request.setNoDelay(true);
    for (const byte of Buffer.from(JSON.stringify({ name }))) request.write(Buffer.of(byte));
    request.end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) body += chunk;
    expect([response.statusCode, JSON.parse(body).apiKey?.name]).toEqual([200, name.trim()]);
  });
});

test('a body in chunks of one byte takes its length in memory, not a hundred times as much', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const body = Object.assign(new EventEmitter(), { headers: {} });
  const read = readText(body as unknown as IncomingMessage, MEGABYTE);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 500_000; n++) body.emit('data', Buffer.from(new Uint8Array([120])));
  collect();
  const growth = process.memoryUsage().heapUsed - before;
  body.emit('end');
  expect((await read).length).toBe(500_000);
  // Each retained chunk takes a hundred bytes.
  expect(growth).toBeLessThan(10 * MEGABYTE);
});
