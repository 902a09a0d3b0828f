import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineEndpoint, type Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { Contract } from '../contract.ts';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };

/** A page for every path that has no endpoint. */
const page = defineEndpoint('GET /*', {
  access: 'public',
  openapi: 'hidden',
  handle: (_request, reply) => reply.type('text/html').send('<h1>page</h1>'),
});

/** Accepts the admin's session only. */
const account = defineEndpoint('POST /account', {
  access: 'session',
  openapi: { id: 'changeAccount', tag: 'Account', summary: 'Changes it.', description: 'At once.' },
  handle: () => ({ success: true }),
});

/** Below the wildcard of the library. */
const usage = defineEndpoint('GET /storage/example', {
  access: 'public',
  openapi: 'hidden',
  handle: () => ({ used: 0 }),
});

const routes = [...ROUTES, (): Endpoint[] => [page, account, usage]];
let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE }, routes);
});
afterAll(() => service.close());

const statusOf = async (method: string, path: string) => (await ask(service.url, path, { method })).status;

describe('an endpoint that takes every other path', () => {
  test('answers only its own method: others are 404, as without it', async () => {
    expect([await statusOf('GET', '/nothing'), await statusOf('HEAD', '/a/b')]).toEqual([200, 200]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, await statusOf(method, '/nothing')]).toEqual([method, 404]);
    }
  });

  test('leaves the wrong methods of other endpoints 405', async () => {
    expect(await statusOf('POST', '/health')).toBe(405);
    expect(await statusOf('GET', '/upload')).toBe(405);
    expect(await statusOf('GET', '/upload/sign')).toBe(405);
  });

  test('takes nothing from endpoints', async () => {
    expect(await statusOf('GET', '/livez')).toBe(200);
    expect(await statusOf('GET', '/storage')).toBe(401);
    expect(await statusOf('GET', '/t/missing.jpg')).toBe(404);
  });
});

test('an endpoint below the library takes no folder out of reach that has its name', async () => {
  await mkdir(join(service.originals, 'example'), { recursive: true });
  expect((await ask(service.url, '/storage/example')).json()).toEqual({ used: 0 });
  const change = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"name":"used"}' };
  expect((await ask(service.url, '/storage/example', change)).status).toBe(401);
  const renamed = await service.authorized('/storage/example', change);
  expect([renamed.status, await renamed.json()]).toEqual([200, { success: true, path: 'used' }]);
});

test('where only signed URLs deliver, an endpoint that tells of files answers no stranger, whatever the method', async () => {
  const signed = await startService({ DELIVERY_MODE: 'signed', API_SECRET: 'test-secret-at-least-16-chars-long' });
  try {
    for (const path of ['/download/a.jpg', '/download-folder/a', '/queue/events']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect([path, method, (await ask(signed.url, path, { method })).status]).toEqual([path, method, 401]);
      }
    }
  } finally {
    await signed.close();
  }
});

describe('an endpoint for the session', () => {
  const send = (headers: Record<string, string>) => ask(service.url, '/account', { method: 'POST', headers });

  test('is 401 without one, also with a key that may do everything', async () => {
    for (const headers of [{}, { 'x-api-key': TEST_KEY }, { cookie: 'darkroom.session_token=made.up' }] as const) {
      expect((await send({ ...headers })).status).toBe(401);
    }
  });

  test('lets our own pages in, and those of no other site', async () => {
    const cookie = await signIn(service, ADMIN);
    expect((await send({ cookie, origin: service.url })).status).toBe(200);
    expect((await send({ cookie, origin: 'https://evil.example' })).status).toBe(403);
  });

  test('is documented as such', async () => {
    const { operations } = new Contract((await ask(service.url, '/api/openapi.json')).json());
    const found = operations.find(({ operationId }) => operationId === 'changeAccount');
    expect(found).toMatchObject({ description: 'At once. Needs a session.', security: [{ session: [] }] });
    expect(found).not.toHaveProperty('x-permission');
  });
});
