import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { createReadiness } from '../../src/http/observe/readiness.ts';
import { ask, fixture } from '../http.ts';
import { createSpace, startService, TEST_KEY, type TestService } from '../service.ts';

/** Checks run in the background, at most once a second. */
const POLL = { timeout: 30_000 };

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = (path: string, at = service) => ask(at.url, path, { headers: { 'x-api-key': TEST_KEY } });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('GET /health says that the service is there', async () => {
  const answer = await ask(service.url, '/health');
  const { catalog, ...rest } = answer.json();
  expect(rest).toEqual({ status: 'ok', timestamp: isoTime, service: 'darkroom' });
  expect(catalog).toEqual({ state: expect.stringMatching(/^(indexing|ready)$/), files: 0 });
  expect(answer.headers['cache-control']).toBe('no-store');
});

describe('where only signed URLs are delivered', () => {
  const settings = { DELIVERY_MODE: 'signed', API_SECRET: 'test-secret-at-least-16-chars-long' };

  test('GET /health counts the files for keys with "read" alone', async () => {
    const signed = await startService(settings);
    const { key } = await signed.services.keyring.create({ permissions: ['upload', 'manage', 'admin'] });
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': key }]) {
      const answer = await ask(signed.url, '/health', { headers });
      expect(answer.status).toBe(200);
      expect(answer.json()).toEqual({ status: 'ok', timestamp: isoTime, service: 'darkroom' });
    }
    expect((await get('/health', signed)).json()).toMatchObject({ catalog: { files: 0 } });
    await signed.close();
  });

  test('GET /health says that the service is there while the database cannot check a key', async () => {
    const signed = await startService(settings);
    await signed.services.database.close();
    const answer = await get('/health', signed);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ status: 'ok', timestamp: isoTime, service: 'darkroom' });
    await signed.close();
  });
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
  const ALL_OK = { database: 'ok', storage: 'ok', render: 'ok' };
  const UNKNOWN = { database: 'unknown', storage: 'unknown', render: 'unknown' };
  const readyz = async (at: TestService) => {
    const { status, body } = await ask(at.url, '/readyz');
    return { status, body: JSON.parse(body.toString()) };
  };

  test('say yes, and beside it how the database, the storage and a render worker do their work', async () => {
    expect((await ask(service.url, '/livez')).json()).toEqual({ status: 'ok' });
    await expect
      .poll(() => readyz(service), POLL)
      .toEqual({ status: 200, body: { status: 'ready', checks: ALL_OK, checkedAt: isoTime } });
  });

  test('say yes at once, before anything was checked and while what they depend on does not answer', async () => {
    const slow = await startService();
    const never = vi.spyOn(slow.services.originals.store, 'stat').mockReturnValue(new Promise(() => undefined));
    try {
      for (let n = 0; n < 3; n++) {
        const { status, body } = await readyz(slow);
        expect([status, body]).toEqual([200, { status: 'ready', checks: UNKNOWN, checkedAt: null }]);
      }
      expect(never).toHaveBeenCalledTimes(1);
    } finally {
      await slow.close();
    }
  });

  test('are checked once for the library and all spaces', async () => {
    const shared = await startService();
    for (const id of ['one', 'two']) await createSpace(shared, id);
    const never = vi.spyOn(shared.services.originals.store, 'stat').mockReturnValue(new Promise(() => undefined));
    try {
      for (const prefix of ['', '/b/one', '/b/two']) {
        expect((await ask(shared.url, `${prefix}/readyz`)).status).toBe(200);
      }
      expect(never.mock.calls.filter(([path]) => path.endsWith('readiness-probe'))).toHaveLength(1);
    } finally {
      await shared.close();
    }
  });

  test('render once for many that ask in the same second, and for nobody when nobody asks', async () => {
    let now = 0;
    const read = createReadiness(
      service.services,
      () => true,
      () => now,
    );
    const rendered = () => service.services.pool.stats().rendered;
    const before = rendered();
    for (let n = 0; n < 20; n++)
      expect(read()).toEqual({ complaint: undefined, checks: UNKNOWN, checkedAt: undefined });
    await expect.poll(() => read().checks, POLL).toEqual(ALL_OK);
    now = 999;
    read();
    expect(rendered()).toBe(before + 1);
    now = 1000;
    read();
    await expect.poll(rendered, POLL).toBe(before + 2);
  });

  test('show nothing that was found long ago', async () => {
    let now = 0;
    const read = createReadiness(
      service.services,
      () => true,
      () => now,
    );
    await expect.poll(() => read().checks, POLL).toEqual(ALL_OK);
    now = 60_001;
    expect(read()).toMatchObject({ checks: UNKNOWN, checkedAt: undefined });
  });

  test('say no when the service stops', () => {
    expect(createReadiness(service.services, () => false)().problem).toBe('The service is stopping');
  });

  test('show, and not why, that the database does not answer; the database itself is 500 then', async () => {
    const broken = await startService();
    await broken.services.database.close();
    try {
      await expect
        .poll(() => readyz(broken), POLL)
        .toEqual({
          status: 200,
          body: { status: 'ready', checks: { ...ALL_OK, database: 'failed' }, checkedAt: isoTime },
        });
      expect((await ask(broken.url, '/livez')).status).toBe(200);
      const refused = await ask(broken.url, '/storage', { headers: { 'x-api-key': TEST_KEY } });
      expect([refused.status, refused.json()]).toEqual([
        500,
        { error: 'Internal server error', code: 'internal_error', message: 'The request could not be completed.' },
      ]);
    } finally {
      await broken.close();
    }
  });

  test('say no, and why, when the file of the database is gone, and yes when it is back', async () => {
    const lost = await startService();
    const file = join(lost.data, 'darkroom.db');
    try {
      await rename(file, `${file}.away`);
      await expect
        .poll(() => readyz(lost), POLL)
        .toEqual({
          status: 503,
          body: {
            error: 'Not ready',
            code: 'not_ready',
            message: 'The file of the database was deleted while the service runs.',
            checks: { ...ALL_OK, database: 'failed' },
            checkedAt: isoTime,
          },
        });
      expect((await ask(lost.url, '/livez')).status).toBe(200);
      await rename(`${file}.away`, file);
      await expect.poll(async () => (await readyz(lost)).status, POLL).toBe(200);
    } finally {
      await lost.close();
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
    'darkroom_cache_files',
    'darkroom_jobs{status="pending"} 0',
    'darkroom_job_oldest_due_seconds 0',
    'darkroom_jobs_claimed_total 0',
    'darkroom_job_places ',
    'darkroom_job_places_taken 0',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ]) {
    expect(text).toContain(name);
  }
});

describe('the metrics', () => {
  interface Family {
    name: string;
    type: string;
    samples: string[];
  }

  /** Returns the families as Prometheus reads them: one for each TYPE, with the names of its samples. */
  function familiesOf(text: string): Family[] {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# HELP '));
    const families: Family[] = [];
    for (const line of lines) {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) families.push({ name, type, samples: [] });
      else families.at(-1)?.samples.push(/^[^{ ]+/.exec(line)?.[0] ?? '');
    }
    return families;
  }

  const ENDINGS: Readonly<Record<string, RegExp>> = { counter: /^$/, gauge: /^$/, histogram: /^_(bucket|sum|count)$/ };
  const OTHER_UNITS =
    /_(ms|millis|milliseconds|microseconds|nanoseconds|minutes|hours|days|kb|mb|kilobytes|megabytes|percent)(_|$)/;

  test('have the types and names that Prometheus expects: counters, and only they, end in _total; base units', async () => {
    const text = (await get('/metrics')).body.toString();
    const families = familiesOf(text);
    const names = families.map(({ name }) => name);
    expect(names).toContain('darkroom_renders_total');
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type, samples } of families) {
      expect(name, name).toMatch(/^(darkroom|nodejs|process)_[a-z0-9_]+$/);
      expect(text, name).toContain(`# HELP ${name} `);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(name).not.toMatch(OTHER_UNITS);
      for (const sample of samples) expect(sample.slice(name.length), sample).toMatch(ENDINGS[type] ?? /^never$/);
    }
  });

  test('count renders: one more for each, and never fewer', async () => {
    const count = async () =>
      Number(/^darkroom_renders_total (\d+)$/m.exec((await get('/metrics')).body.toString())?.[1]);
    await writeFile(join(service.originals, 'counted.png'), fixture('flag-alpha.png'));
    const before = await count();
    for (const width of [11, 12, 12]) expect((await ask(service.url, `/t/w_${width}/counted.png`)).status).toBe(200);
    expect(await count()).toBe(before + 2);
  });
});
