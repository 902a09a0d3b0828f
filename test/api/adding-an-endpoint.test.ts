import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Routes } from '../../src/http/endpoints/endpoint.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { Contract } from '../contract.ts';
import { type Answer, ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'docs', 'adding-an-endpoint.md');
const MAX = 5;

let folder: string;
let service: TestService;
let contract: Contract;

/** Writes the module of the page, next to links to the modules that it imports. */
async function writeModule(): Promise<string> {
  const [, indent = '', block = ''] = /^( *)```ts\n(.*?)^ *```$/ms.exec(await readFile(PAGE, 'utf8')) ?? [];
  const code = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
  const file = join(folder, 'src', 'http', 'routes', 'family.ts');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
  for (const [, target = ''] of code.matchAll(/from '(\.[^']+)'/g)) {
    const link = join(dirname(file), target);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, relative(folder, link)), link);
  }
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(join(ROOT, '.endpoint-'));
  const family: Record<string, Routes> = await import(await writeModule());
  const settings = { ...FROM_ANYWHERE, PUBLIC_RATE_LIMIT_MAX: String(MAX), CORS_ORIGIN: 'https://app.example' };
  service = await startService(settings, [...ROUTES, ...Object.values(family)]);
  contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true });
});

const KEY = { 'x-api-key': TEST_KEY };
const BODY = JSON.stringify({ folder: 'trips' });

/** Sends each request as a different client, unless an address is given. */
function send(headers: Record<string, string> = {}, body = BODY, path = '/folder-exists'): Promise<Answer> {
  const sent = { 'content-type': 'application/json', 'x-forwarded-for': anotherAddress(), ...headers };
  return ask(service.url, path, { method: 'POST', headers: sent, body });
}

const operation = () => contract.operations.find(({ operationId }) => operationId === 'folderExists');

function expectDocumented(answer: Answer): void {
  const declared = operation();
  if (!declared) throw new Error('The endpoint is not in the document.');
  expect(contract.objection(declared, answer)).toBeUndefined();
}

describe('an endpoint that is declared as the page tells', () => {
  test('answers whoever may use it, also below /api', async () => {
    for (const path of ['/folder-exists', '/api/folder-exists']) {
      const answer = await send(KEY, BODY, path);
      expect([answer.status, answer.json()]).toEqual([200, { exists: false }]);
      expectDocumented(answer);
    }
  });

  test('is 400 for what does not fit its schema, and says where', async () => {
    for (const body of ['{"folder":7}', '{}', '{"folder":""}']) {
      const answer = await send(KEY, body);
      expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining('In "folder": expected')]);
      expectDocumented(answer);
    }
  });

  test('is 401 without a key and 403 with one that lacks the permission, before its body is looked at', async () => {
    const { key } = await service.services.keyring.create({ permissions: ['upload'] });
    for (const [headers, status] of [
      [{}, 401],
      [{ 'x-api-key': key }, 403],
    ] as const) {
      const answer = await send(headers, 'no JSON');
      expect(answer.status).toBe(status);
      expectDocumented(answer);
    }
  });

  test('is 405 with other methods', async () => {
    const { status, headers } = await ask(service.url, '/folder-exists', { headers: KEY });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  test('counts for the rate limit of its client, and is 429 above it', async () => {
    const address = { ...KEY, 'x-forwarded-for': '203.0.113.7' };
    for (let n = 1; n <= MAX; n++) {
      const { status, headers } = await send(address);
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(MAX - n)]);
    }
    const refused = await send(address);
    expect([refused.status, refused.json().retryAfter]).toEqual([429, expect.any(Number)]);
    expectDocumented(refused);
  });

  test('is for the pages of CORS_ORIGIN, and of no other site', async () => {
    const allowedFor = async (origin: string) =>
      (await send({ ...KEY, origin })).headers['access-control-allow-origin'];
    expect(await allowedFor('https://app.example')).toBe('https://app.example');
    expect(await allowedFor('https://evil.example')).toBeUndefined();
    const question = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const preflight = await ask(service.url, '/folder-exists', { method: 'OPTIONS', headers: question });
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
      204,
      expect.stringContaining('POST'),
    ]);
  });

  test('is in the OpenAPI document and on its page, with all that follows from its declaration', async () => {
    expect(operation()).toMatchObject({
      method: 'POST',
      path: '/folder-exists',
      tags: ['Storage'],
      summary: 'Whether there is a folder.',
      'x-permission': 'read',
      requestBody: { required: true, content: { 'application/json': { schema: { required: ['folder'] } } } },
    });
    const statuses = Object.keys(operation()?.responses ?? {}).map(Number);
    expect(statuses).toEqual([200, 400, 401, 403, 408, 413, 429]);
    const page = (await ask(service.url, '/api/docs')).body.toString();
    expect(page).toContain('<div id="folderExists">');
  });

  test('has a family in the metrics', async () => {
    await send(KEY);
    const metrics = (await ask(service.url, '/metrics', { headers: KEY })).body.toString();
    expect(metrics).toMatch(/darkroom_requests_total\{family="folder-exists",method="POST",status="200"\} [1-9]/);
  });
});
