import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
const flag = fixture('flag-alpha.png');
const MEGABYTE = 1024 * 1024;

beforeAll(async () => {
  service = await startService({ MAX_FILE_SIZE_MB: '8', MAX_REQUEST_SIZE_MB: '3', MAX_FILES_PER_UPLOAD: '5' });
});
afterAll(() => service.close());
const tempFiles = () => readdir(service.services.temp);
afterEach(async () => {
  expect(await tempFiles(), 'temporary files are gone').toEqual([]);
});

const originals = () => readdir(service.originals);
const authorized = { 'x-api-key': TEST_KEY };
const multipart = { ...authorized, 'content-type': 'multipart/form-data; boundary=x' };
const part = (name: string, filename?: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}\r\n\r\n`;
const post = (body: Uint8Array | string, headers: http.OutgoingHttpHeaders = multipart) =>
  ask(service.url, '/upload', { method: 'POST', body, headers });

function expectProblem(answer: Awaited<ReturnType<typeof ask>>, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
}

describe('a request that is no good upload is 400', () => {
  test.each<[string, string | Uint8Array, Record<string, string>]>([
    ['no file', `${part('folder')}photos\r\n--x--\r\n`, multipart],
    ['a file in another field', `${part('picture', 'a.png')}${flag.toString('latin1')}\r\n--x--\r\n`, multipart],
    ['an empty body', '', multipart],
    ['JSON', '{"files":[]}', { ...authorized, 'content-type': 'application/json' }],
    ['the bare bytes', flag, { ...authorized, 'content-type': 'image/png' }],
    ['no type', flag, authorized],
    ['a type that is none', flag, { ...authorized, 'content-type': '???' }],
    ['an urlencoded form', 'files=a', { ...authorized, 'content-type': 'application/x-www-form-urlencoded' }],
    [
      'no boundary',
      `${part('files', 'a.png')}x\r\n--x--\r\n`,
      { ...authorized, 'content-type': 'multipart/form-data' },
    ],
    [
      'another boundary',
      `${part('files', 'a.png')}x\r\n--x--\r\n`,
      { ...authorized, 'content-type': 'multipart/form-data; boundary=y' },
    ],
    ['a form that ends in a file', `${part('files', 'a.png')}half`, multipart],
    ['a form that ends in a header', '--x\r\nContent-Dispo', multipart],
    ['text', 'this is no form at all', multipart],
    [
      'too many files',
      `${part('files', 'a.png').repeat(1)}${`x\r\n${part('files', 'a.png')}`.repeat(5)}x\r\n--x--\r\n`,
      multipart,
    ],
    ['a field that is too long', `${part('folder')}${'x'.repeat(70_000)}\r\n--x--\r\n`, multipart],
  ])('%s', async (_what, body, headers) => {
    expectProblem(await post(body, headers), 400);
    expect(await originals()).toEqual([]);
  });

  test('a part with broken headers in a large form', async () => {
    const body = Buffer.concat([
      Buffer.from('--x\r\n\0\0:::\r\n\r\n'),
      Buffer.alloc(2 * MEGABYTE),
      Buffer.from('\r\n--x--\r\n'),
    ]);
    expectProblem(await post(body), 400);
  });
});

describe('over MAX_REQUEST_SIZE_MB', () => {
  const large = Buffer.concat([
    Buffer.from(part('files', 'a.png')),
    flag,
    Buffer.alloc(4 * MEGABYTE),
    Buffer.from('\r\n--x--\r\n'),
  ]);

  test('the request is read to its end and answered with 413', async () => {
    const answer = await post(large);
    expectProblem(answer, 413);
    expect(answer.json().message).toContain('MAX_REQUEST_SIZE_MB');
    expect(await originals()).toEqual([]);
  });

  test('the connection is good for the next request', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: Uint8Array) => ask(service.url, '/upload', { method: 'POST', body, headers: multipart, agent });
    expect((await send(large)).status).toBe(413);
    expect((await send(Buffer.from('--x--\r\n'))).status).toBe(400);
    agent.destroy();
  });
});

describe('keys', () => {
  const body = Buffer.concat([Buffer.from(part('files', 'key.png')), flag, Buffer.from('\r\n--x--\r\n')]);
  const contentType = { 'content-type': 'multipart/form-data; boundary=x' };

  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['a wrong bearer', { authorization: 'Bearer wrong' }],
    ['a wrong x-api-key', { 'x-api-key': 'wrong' }],
    ['an empty one', { 'x-api-key': '' }],
    ['another scheme', { authorization: `Basic ${TEST_KEY}` }],
    ['a key with one character more', { authorization: `Bearer ${TEST_KEY}x` }],
    ['a key in the query', {}],
  ])('%s is 401 with WWW-Authenticate', async (what, headers) => {
    const path = what === 'a key in the query' ? `/upload?api_key=${TEST_KEY}` : '/upload';
    const answer = await ask(service.url, path, { method: 'POST', body, headers: { ...contentType, ...headers } });
    expectProblem(answer, 401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(await originals()).toEqual([]);
  });

  test('401 reaches a client that sends a large file', async () => {
    const large = Buffer.concat([body, Buffer.alloc(2 * MEGABYTE)]);
    expectProblem(await post(large, contentType), 401);
  });

  test('a key without the permission is 403 and names it', async () => {
    const { key } = await service.services.keyring.create({ permissions: ['read'] });
    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
      const answer = await post(body, { ...contentType, ...headers });
      expectProblem(answer, 403);
      expect(answer.json().message).toContain('"upload"');
    }
  });

  test('a disabled or expired key is 401', async () => {
    const disabled = await service.services.keyring.create();
    await service.services.keyring.update(disabled.id, { enabled: false });
    const expired = await service.services.keyring.create({ expiresInSeconds: 0 });
    for (const { key } of [disabled, expired])
      expectProblem(await post(body, { ...contentType, 'x-api-key': key }), 401);
  });

  test('both forms of a good key work, the scheme in any case', async () => {
    const forms: Record<string, string>[] = [
      { authorization: `Bearer ${TEST_KEY}` },
      { authorization: `bearer ${TEST_KEY}` },
      { 'x-api-key': TEST_KEY },
    ];
    for (const headers of forms) expect((await post(body, { ...contentType, ...headers })).status).toBe(200);
  });

  test('the endpoint knows only POST', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await ask(service.url, '/upload', { method, headers: authorized });
      expectProblem(answer, 405);
      expect(answer.headers.allow).toBe('POST');
    }
  });
});

describe('a client that leaves in the middle', () => {
  test.each([
    ['of a file', `${part('files', 'left.png')}${'x'.repeat(100_000)}`],
    ['of a header', '--x\r\nContent-Dispo'],
    ['between two files', `${part('files', 'left.png')}x\r\n${part('files', 'right.png')}`],
  ])('%s leaves nothing behind', async (_where, begun) => {
    const before = await originals();
    const { hostname, port } = new URL(service.url);
    const headers = { ...multipart, 'content-length': MEGABYTE };
    const request = http.request({ hostname, port, path: '/upload', method: 'POST', headers });
    request.on('error', () => undefined);
    request.write(begun);
    if (begun.includes('filename')) {
      await vi.waitUntil(async () => (await tempFiles()).length > 0, 10_000);
    } else {
      await once(request, 'socket');
    }
    request.destroy();
    await vi.waitUntil(async () => (await tempFiles()).length === 0, 10_000);
    expect(await originals()).toEqual(before);
    expect((await ask(service.url, '/health')).status).toBe(200);
  });
});
