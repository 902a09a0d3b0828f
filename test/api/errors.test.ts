import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { badRequest, HttpProblem, unavailable } from '../../src/errors.ts';
import { renderProblem } from '../../src/http/problem.ts';
import { createLog } from '../../src/log.ts';
import { type Answer, type Asking, ask, askRaw, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    HEADERS_TIMEOUT_MS: '1000',
    BODY_TIMEOUT_MS: '500',
    CORS_ORIGIN: 'https://app.example',
  });
  await mkdir(join(service.originals, 'folder'), { recursive: true });
  await writeFile(join(service.originals, 'concert.jpg'), fixture('concert.jpg'));
});
afterAll(() => service.close());

const key = { 'x-api-key': TEST_KEY };
const json = { ...key, 'content-type': 'application/json' };
const send = (path: string, asking: Asking = {}) => ask(service.url, path, asking);

function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(answer.json()).toEqual({ error: expect.any(String), code, message: expect.any(String) });
  const body = answer.body.toString();
  for (const inside of [service.data, 'node_modules', '/src/', '    at ']) expect(body).not.toContain(inside);
}

describe('one shape of errors', () => {
  test.each<[number, string, string, string, Asking]>([
    [404, 'unknown_endpoint', 'an unknown endpoint', '/nothing', {}],
    [404, 'unknown_endpoint', 'an unknown endpoint below /api', '/api/nothing', {}],
    [404, 'not_found', 'the root of delivery', '/t/', {}],
    [404, 'file_not_found', 'a file that is not there', '/t/w_10/missing.jpg', {}],
    [404, 'unknown_endpoint', 'a method that is no method here, nowhere', '/nothing', { method: 'DELETE' }],
    [405, 'method_not_allowed', 'a wrong method', '/health', { method: 'POST' }],
    [405, 'method_not_allowed', 'a wrong method of delivery', '/t/concert.jpg', { method: 'DELETE' }],
    [405, 'method_not_allowed', 'a preflight that nobody asked for', '/health', { method: 'OPTIONS' }],
    [400, 'malformed_body', 'malformed JSON', '/api-keys/create', { method: 'POST', headers: json, body: '{"name":' }],
    [
      400,
      'malformed_body',
      'JSON with a prototype',
      '/api-keys/create',
      { method: 'POST', headers: json, body: '{"__proto__":{}}' },
    ],
    [
      400,
      'malformed_body',
      'a wrong content type',
      '/api-keys/create',
      { method: 'POST', headers: { ...key, 'content-type': 'text/xml' }, body: '<a/>' },
    ],
    [
      400,
      'malformed_body',
      'a content type that is none',
      '/api-keys/create',
      { method: 'POST', headers: { ...key, 'content-type': 'x' }, body: 'a' },
    ],
    [400, 'malformed_body', 'a body that is no form', '/upload', { method: 'POST', headers: json, body: '{}' }],
    [400, 'invalid_encoding', 'bad percent-encoding', '/t/%zz.jpg', {}],
    [400, 'invalid_encoding', 'bad percent-encoding of an endpoint', '/storage/%zz/metadata', { headers: key }],
    [400, 'invalid_encoding', 'bytes that are no UTF-8', '/t/%ff.jpg', {}],
    [400, 'invalid_path', 'a path that climbs', '/t/%2e%2e/darkroom.db', {}],
    [400, 'invalid_path', 'a NUL', '/download/a%00.jpg', {}],
    [401, 'unauthorized', 'no key', '/storage', {}],
    [
      413,
      'payload_too_large',
      'a body that is too large',
      '/api-keys/create',
      { method: 'POST', headers: json, body: JSON.stringify({ name: 'x'.repeat(1024 * 1024) }) },
    ],
    [
      431,
      'headers_too_large',
      'headers that are too long',
      '/health',
      { headers: { 'x-long': 'x'.repeat(16 * 1024) } },
    ],
    [431, 'headers_too_large', 'a URL that is too long', `/t/${'x'.repeat(17 * 1024)}`, {}],
  ])('%i %s for %s', async (status, code, _, path, asking) => {
    // A rejection before the body was read may cut the connection: every request has its own.
    expectProblem(await send(path, { ...asking, agent: new http.Agent() }), status, code);
  });

  test('405 names the methods that there are', async () => {
    const { headers } = await send('/health', { method: 'POST' });
    expect(headers.allow?.split(', ').toSorted()).toEqual(['GET', 'HEAD']);
    expect((await send('/upload')).headers.allow).toBe('POST');
    expect((await send('/api-keys/x')).headers.allow?.split(', ').toSorted()).toEqual(['DELETE', 'PATCH']);
  });
});

describe('the log', () => {
  function logged(error: unknown): Record<string, unknown>[] {
    const lines: string[] = [];
    renderProblem(error, createLog({ level: 'info', format: 'json' }, { write: (line) => lines.push(line) }));
    return lines.map((line) => JSON.parse(line));
  }

  test('has a line without a stack for a refusal that is 503 or 500 and no fault', () => {
    for (const error of [
      unavailable('Many wait.', 'queue_full'),
      unavailable('No place came free.', 'overloaded'),
      unavailable('The service is stopping.', 'stopping'),
      new HttpProblem('signing_not_configured', 'There is no secret.'),
    ]) {
      const { code, message: reason } = error;
      expect(logged(error)).toEqual([{ level: 40, time: expect.any(Number), code, reason, msg: 'request refused' }]);
    }
  });

  test('has the whole error where something has failed, with its cause', () => {
    const cause = new Error('The disk is gone.');
    for (const error of [
      cause,
      unavailable('No database.', 'database_unavailable', 5, cause),
      unavailable('No place.', 'overloaded', 5, cause),
      unavailable('No result.', 'render_failed'),
    ]) {
      expect(logged(error)).toEqual([expect.objectContaining({ level: 50, msg: 'request failed' })]);
      expect(JSON.stringify(logged(error))).toContain('errors.test.ts');
    }
  });

  test('has nothing for what a client did wrong', () => {
    expect(logged(badRequest('Expected a name.'))).toEqual([]);
  });
});

describe('a client cannot', () => {
  test('put headers into answers', async () => {
    const injected = '%0d%0aX-Injected:%20yes';
    for (const path of [
      `/t/${injected}.jpg`,
      `/download/${injected}`,
      `/nothing${injected}`,
      `/video-status/${injected}`,
    ]) {
      const answer = await send(path, { headers: { 'x-request-id': 'a b' } });
      expect(answer.headers['x-injected']).toBeUndefined();
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8}-\d+$/);
    }
    const raw = await askRaw(service.url, 'GET /health HTTP/1.1\r\nHost: a\nX: y\r\r\n: b\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('smuggle a second request behind two lengths', async () => {
    const both =
      'POST /api-keys/create HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await askRaw(service.url, `${both}GET /health HTTP/1.1\r\nHost: a\r\n\r\n`)).not.toContain('darkroom');
  });

  test('keep the service waiting for headers', async () => {
    const answer = await askRaw(service.url, 'GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"error":"Request timeout"');
  });

  test('keep the service waiting for a body', async () => {
    const head = `POST /api-keys/create HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${TEST_KEY}\r\nContent-Type: application/json\r\n`;
    const answer = await askRaw(service.url, `${head}Content-Length: 100\r\n\r\n{"name":`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('BODY_TIMEOUT_MS');
  });
});

describe('pages of other sites', () => {
  const from = (origin: string) => ({ headers: { ...key, origin } });
  const preflight = (path: string, origin: string) =>
    send(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'DELETE' } });
  const allowed = ({ headers }: Answer) => headers['access-control-allow-origin'];

  test('may read what is public, and its rate and status headers', async () => {
    for (const path of [
      '/t/concert.jpg',
      '/t/w_20,f_jpeg/concert.jpg',
      '/t/missing.jpg',
      '/health',
      '/download/concert.jpg',
    ]) {
      const answer = await send(path, from('https://anyone.example'));
      expect(allowed(answer), path).toBe('*');
      expect(answer.headers['access-control-expose-headers'], path).toBe('*');
    }
  });

  test('may use the other endpoints when CORS_ORIGIN lists them', async () => {
    expect(allowed(await send('/storage', from('https://app.example')))).toBe('https://app.example');
    const answer = await preflight('/storage/a.jpg', 'https://app.example');
    expect([answer.status, allowed(answer)]).toEqual([204, 'https://app.example']);
    expect(answer.headers['access-control-allow-methods']).toContain('DELETE');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('may not otherwise', async () => {
    const answer = await send('/storage', from('https://evil.example'));
    expect([allowed(answer), answer.headers.vary]).toEqual([undefined, 'Origin']);
    expect(allowed(await preflight('/storage/a.jpg', 'https://evil.example'))).toBeUndefined();
  });
});
