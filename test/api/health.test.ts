import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { createReadiness } from '../../src/http/readiness.ts';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = (path: string, at = service) => ask(at.url, path, { headers: { 'x-api-key': TEST_KEY } });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('GET /health says that the service is there', async () => {
  const answer = await ask(service.url, '/health');
  expect(answer.json()).toEqual({ status: 'ok', timestamp: isoTime, service: 'darkroom' });
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('GET /api/version says which one it is, and only there', async () => {
  expect((await ask(service.url, '/api/version')).json()).toEqual({ version: packageFile.version });
  expect((await ask(service.url, '/version')).status).toBe(404);
});

describe('GET /health/database', () => {
  test('counts the records and shows the file, which only its owner can read', async () => {
    expect((await get('/health/database')).json()).toEqual({
      status: 'ok',
      timestamp: isoTime,
      database: {
        connected: true,
        path: join(service.data, 'darkroom.db'),
        size: expect.stringMatching(/^\d+(\.\d+)? KB$/),
        permissions: '600',
        tables: { user: 0, session: 0, account: 0, verification: 0, apiKey: 1 },
      },
    });
  });

  test('warns when others can read it', async () => {
    await chmod(join(service.data, 'darkroom.db'), 0o644);
    const { database } = (await get('/health/database')).json() as { database: Record<string, unknown> };
    await chmod(join(service.data, 'darkroom.db'), 0o600);
    expect(database).toMatchObject({ permissions: '644', security_warning: expect.stringContaining('644') });
  });
});

describe('GET /livez and GET /readyz', () => {
  test('say yes when the database, the storage and a render worker do their work', async () => {
    expect((await ask(service.url, '/livez')).json()).toEqual({ status: 'ok' });
    const answer = await ask(service.url, '/readyz');
    expect([answer.status, answer.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', storage: 'ok', render: 'ok' } },
    ]);
  });

  test('render once for many that ask in the same second', async () => {
    let now = 0;
    const read = createReadiness(service.services, () => now);
    const before = service.services.pool.stats().rendered;
    await Promise.all(Array.from({ length: 20 }, read));
    expect(service.services.pool.stats().rendered).toBe(before + 1);
    now = 1000;
    expect(await read()).toEqual({});
    expect(service.services.pool.stats().rendered).toBe(before + 2);
  });

  test('say no, and not why, when the database is gone; the database itself answers 503 then', async () => {
    const broken = await startService();
    broken.services.database.sqlite.close();
    try {
      const answer = await ask(broken.url, '/readyz');
      expect([answer.status, answer.json()]).toEqual([
        503,
        {
          error: 'Not ready',
          message: 'Failed: database.',
          checks: { database: 'failed', storage: 'ok', render: 'ok' },
        },
      ]);
      expect((await ask(broken.url, '/livez')).status).toBe(200);
      const refused = await ask(broken.url, '/storage', { headers: { 'x-api-key': TEST_KEY } });
      expect([refused.status, refused.json()]).toEqual([
        500,
        { error: 'Internal server error', message: 'The request could not be completed.' },
      ]);
    } finally {
      await broken.close();
    }
  });
});

test('GET /metrics counts requests, renders, cache, jobs, event-loop delay and memory', async () => {
  await ask(service.url, '/t/missing-1.jpg');
  await ask(service.url, '/t/missing-2.jpg');
  const answer = await get('/metrics');
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = answer.body.toString();
  expect(text).toContain('darkroom_requests_total{family="t",method="GET",status="404"} 2');
  for (const name of [
    'darkroom_request_seconds_bucket',
    'darkroom_hot_answers_total',
    'darkroom_renders_total',
    'darkroom_renders_waiting',
    'darkroom_cache_bytes',
    'darkroom_jobs{status="pending"} 0',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ]) {
    expect(text).toContain(name);
  }
});
