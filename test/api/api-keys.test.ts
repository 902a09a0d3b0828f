import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, askJson } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { addSpace } from '../space-rows.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const DAY_MS = 24 * 60 * 60 * 1000;
const authorized = { 'x-api-key': TEST_KEY };
const send = (method: string, path: string, body?: unknown) => askJson(service.url, method, path, body, authorized);
const withKey = (key: string, path = '/storage') =>
  ask(service.url, path, { headers: { authorization: `Bearer ${key}` } });

interface Created {
  success: boolean;
  apiKey: { id: string; key: string; expiresAt: string; createdAt: string };
  message: string;
}
const create = async (body?: object) => (await send('POST', '/api-keys/create', body)).json() as unknown as Created;
const listed = async (query = '') =>
  (await send('GET', `/api-keys/list${query}`)).json() as { success: boolean; keys: Record<string, unknown>[] };
const find = async (id: string) => (await listed()).keys.find((key) => key.id === id);

describe('create', () => {
  test('without a body makes a key for a year with all permissions', async () => {
    const answer = await send('POST', '/api-keys/create');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { success, apiKey, message } = answer.json() as unknown as Created;
    expect({ success, message }).toEqual({ success: true, message: expect.any(String) });
    expect(apiKey).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      name: 'API key',
      start: apiKey.key.slice(0, 6),
      prefix: null,
      permissions: ['read', 'upload', 'manage', 'admin'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      remaining: null,
      rateLimit: null,
    });
    expect(Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)).toBe(365 * DAY_MS);
    expect((await withKey(apiKey.key)).status).toBe(200);
  });

  test('takes a quota and a rate limit', async () => {
    const limits = { remaining: 100, rateLimit: { max: 10, window: 60 } };
    const { apiKey } = await create(limits);
    expect(apiKey).toMatchObject(limits);
    expect(await find(apiKey.id)).toMatchObject({ ...limits, rateLimitEnabled: true });
  });

  test('takes the window of a rate limit as windowSeconds, and shows it under both names', async () => {
    const { apiKey } = await create({ rateLimit: { max: 10, windowSeconds: 60 } });
    const rateLimit = { max: 10, window: 60, windowSeconds: 60 };
    expect(apiKey).toMatchObject({ rateLimit });
    expect(await find(apiKey.id)).toMatchObject({ rateLimit });
    const patched = await send('PATCH', `/api-keys/${apiKey.id}`, { rateLimit: { max: 5, windowSeconds: 30 } });
    expect(patched.json().key).toMatchObject({ rateLimit: { max: 5, window: 30, windowSeconds: 30 } });
    expect((await create({ rateLimit })).apiKey).toMatchObject({ rateLimit });
    const different = await send('POST', '/api-keys/create', { rateLimit: { ...rateLimit, window: 61 } });
    expect([different.status, different.json().code]).toEqual([400, 'validation_failed']);
  });

  test('takes the space of a key, which the list shows', async () => {
    await addSpace(service.services.database, 'acme');
    const { apiKey } = await create({ space: 'acme' });
    expect(await find(apiKey.id)).toMatchObject({ space: 'acme' });
    expect(await find((await create({ space: null })).apiKey.id)).toMatchObject({ space: null });
    const unknown = await send('POST', '/api-keys/create', { space: 'beta' });
    expect([unknown.status, unknown.json()]).toEqual([
      400,
      {
        error: 'Bad request',
        code: 'validation_failed',
        message: 'Expected the id of a space as "space", received "beta".',
      },
    ]);
  });

  test('takes a name, a term and permissions', async () => {
    const { apiKey } = await create({ name: 'Phone', expiresIn: 86_400, permissions: ['read'] });
    expect(apiKey).toMatchObject({ name: 'Phone', permissions: ['read'] });
    expect(Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)).toBe(DAY_MS);
    const refused = await withKey(apiKey.key, '/api-keys/list');
    expect([refused.status, refused.json()]).toEqual([
      403,
      {
        error: 'Forbidden',
        code: 'missing_permission',
        message: 'This needs the permission "admin"; the API key has: read.',
      },
    ]);
  });

  test.each([
    [{ name: 7 }, 'name', 'string', '7'],
    [{ name: '' }, 'name', 'at least 1', '""'],
    [{ name: 'x'.repeat(101) }, 'name', 'at most 100', 'xxx'],
    [{ expiresIn: 0 }, 'expiresIn', 'at least 86400', '0'],
    [{ expiresIn: 86_399 }, 'expiresIn', 'at least 86400', '86399'],
    [{ expiresIn: 315_360_001 }, 'expiresIn', 'at most 315360000', '315360001'],
    [{ expiresIn: 3651 * 24 * 60 * 60 }, 'expiresIn', 'at most 315360000', '315446400'],
    [{ expiresIn: '60' }, 'expiresIn', 'number', '"60"'],
    [{ expiresIn: 1.5 }, 'expiresIn', 'int', '1.5'],
    [{ permissions: ['fly'] }, 'permissions', '"read", "upload", "manage", "admin"', '"fly"'],
    [{ permissions: [] }, 'permissions', 'at least 1', '[]'],
    [{ remaining: -1 }, 'remaining', 'at least 0', '-1'],
    [{ remaining: 1.5 }, 'remaining', 'int', '1.5'],
    [{ rateLimit: { max: 0, window: 60 } }, 'rateLimit.max', 'at least 1', '0'],
    [{ rateLimit: { max: 10, window: 0 } }, 'rateLimit.window', 'at least 1', '0'],
    [{ rateLimit: { max: 10, window: 31_536_001 } }, 'rateLimit.window', 'at most 31536000', '31536001'],
    [{ rateLimit: { max: 10 } }, 'rateLimit.window', 'number', 'nothing'],
    [[], 'body', 'object', '[]'],
  ])('%j is 400 and says what was expected and received', async (body, where, expected, received) => {
    const answer = await send('POST', '/api-keys/create', body);
    expect([answer.status, answer.json().error]).toEqual([400, 'Bad request']);
    for (const text of [where, expected, received]) expect(answer.json().message).toContain(text);
  });
});

describe('list', () => {
  test('shows the fields of the contract and never a key', async () => {
    const { apiKey } = await create({ name: 'Shown' });
    const answer = await send('GET', '/api-keys/list');
    expect(answer.body.toString()).not.toContain(apiKey.key);
    expect(await find(apiKey.id)).toEqual({
      id: apiKey.id,
      name: 'Shown',
      start: apiKey.key.slice(0, 6),
      prefix: null,
      enabled: true,
      permissions: ['read', 'upload', 'manage', 'admin'],
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      lastUsedAt: null,
      remaining: null,
      rateLimitEnabled: false,
      rateLimit: null,
      space: null,
    });
  });

  test('is paged by limit and offset', async () => {
    for (const name of ['one', 'two', 'three']) await create({ name });
    const all = (await listed()).keys;
    expect((await listed('?limit=2')).keys).toEqual(all.slice(0, 2));
    expect((await listed('?limit=2&offset=2')).keys).toEqual(all.slice(2, 4));
    expect((await listed('?offset=99999')).keys).toEqual([]);
  });

  test.each(['limit=0', 'limit=many', 'offset=-1', 'limit=1001'])('?%s is 400', async (query) => {
    expect((await send('GET', `/api-keys/list?${query}`)).status).toBe(400);
  });
});

describe('update', () => {
  test('renames, disables and enables', async () => {
    const { apiKey } = await create();
    const renamed = await send('PATCH', `/api-keys/${apiKey.id}`, { name: 'Renamed' });
    expect([renamed.status, renamed.json()]).toEqual([
      200,
      { success: true, key: expect.objectContaining({ id: apiKey.id, name: 'Renamed' }), message: expect.any(String) },
    ]);
    await send('PATCH', `/api-keys/${apiKey.id}`, { enabled: false });
    const refused = await withKey(apiKey.key);
    expect([refused.status, refused.json()]).toEqual([
      401,
      { error: 'Unauthorized', code: 'invalid_api_key', message: 'The API key is disabled.' },
    ]);
    await send('PATCH', `/api-keys/${apiKey.id}`, { enabled: true });
    expect((await withKey(apiKey.key)).status).toBe(200);
  });

  test('sets a quota and a rate limit, and null removes them', async () => {
    const { apiKey } = await create({ remaining: 1 });
    const patch = async (change: object) =>
      (await send('PATCH', `/api-keys/${apiKey.id}`, change)).json().key as unknown as Record<string, unknown>;
    expect((await withKey(apiKey.key)).status).toBe(200);
    const refused = await withKey(apiKey.key);
    expect([refused.status, refused.json()]).toEqual([
      401,
      { error: 'Unauthorized', code: 'invalid_api_key', message: 'The API key is used up.' },
    ]);
    const rateLimit = { max: 1, window: 3600 };
    expect(await patch({ remaining: null, rateLimit })).toMatchObject({ remaining: null, rateLimit });
    expect((await withKey(apiKey.key)).status).toBe(200);
    const limited = await withKey(apiKey.key);
    expect([limited.status, limited.json().code]).toEqual([429, 'rate_limited']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(3000);
    expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(3600);
    expect(await patch({ rateLimit: null })).toMatchObject({ rateLimit: null, rateLimitEnabled: false });
    for (let use = 0; use < 3; use++) expect((await withKey(apiKey.key)).status).toBe(200);
  });

  test.each([{}, { enabled: 'yes' }, { name: null }, { remaining: 'all' }, { rateLimit: 10 }])(
    '%j is 400',
    async (change) => {
      const { apiKey } = await create();
      expect((await send('PATCH', `/api-keys/${apiKey.id}`, change)).status).toBe(400);
    },
  );
});

test('a revoked key is gone for good', async () => {
  const { apiKey } = await create();
  const answer = await send('DELETE', `/api-keys/${apiKey.id}`);
  expect([answer.status, answer.json()]).toEqual([200, { success: true, message: expect.any(String) }]);
  expect((await withKey(apiKey.key)).status).toBe(401);
  expect(await find(apiKey.id)).toBeUndefined();
});

test('an unknown id is 404', async () => {
  expect((await send('PATCH', '/api-keys/nobody', { name: 'x' })).status).toBe(404);
  expect((await send('DELETE', '/api-keys/nobody')).status).toBe(404);
});

test('401 has its exact shape, with and without a key', async () => {
  for (const headers of [
    {},
    { authorization: 'Bearer wrong' },
    { 'x-api-key': 'wrong' },
    { authorization: 'Bearer' },
  ]) {
    const answer = await ask(service.url, '/api-keys/list', { headers });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const code = Object.keys(headers).length > 0 ? 'invalid_api_key' : 'unauthorized';
    expect(answer.json()).toEqual({ error: 'Unauthorized', code, message: expect.any(String) });
  }
});

test('last use is noted', async () => {
  const { apiKey } = await create();
  await withKey(apiKey.key);
  expect(Date.parse((await find(apiKey.id))?.lastUsedAt as string)).toBeGreaterThanOrEqual(
    Date.parse(apiKey.createdAt),
  );
});

test('the key of the environment can be disabled and revoked, and the answers say that the next start undoes it', async () => {
  const own = await startService();
  const { key } = await own.services.keyring.create();
  const send = (method: string, body?: object) =>
    askJson(own.url, method, '/api-keys/environment', body, { 'x-api-key': key });
  try {
    const undone = 'The next start makes it good again while API_KEY is set.';
    expect((await send('PATCH', { name: 'Robot' })).json().message).toBe('API key updated.');
    expect((await send('PATCH', { enabled: false })).json().message).toBe(`API key updated. ${undone}`);
    const revoked = await send('DELETE');
    expect([revoked.status, revoked.json()]).toEqual([200, { success: true, message: `API key revoked. ${undone}` }]);
  } finally {
    await own.close();
  }
});
