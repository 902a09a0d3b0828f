import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Permission } from '../../src/auth/api-key.ts';
import type { Job, NewJob } from '../../src/jobs/job.ts';
import type { StoragePath } from '../../src/path.ts';
import { ask, askJson } from '../http.ts';
import { filmJob } from '../job-queue.ts';
import { TEST_KEY } from '../service.ts';
import { H264, openStudio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;

/** No worker runs: the tests perform its steps by hand. */
beforeAll(async () => {
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0', VIDEO_MAX_CONCURRENT: '2' });
});
afterAll(() => service.close());
beforeEach(() => service.services.queue.removeWithin('' as StoragePath));

async function call(path: string, method = 'GET', headers: Record<string, string> = { 'x-api-key': TEST_KEY }) {
  const answer = await ask(service.url, path, { method, headers });
  return { status: answer.status, body: answer.json() };
}

async function add(name: string, more: Partial<NewJob> = {}): Promise<Job> {
  return (await service.services.queue.enqueue(filmJob(name, more))).job;
}

async function claim() {
  const [job] = await service.services.queue.claim(1);
  if (!job) throw new Error('Expected a job to claim.');
  return job;
}

/** Adds one job in each state, by state. */
async function addEach(): Promise<Record<Job['status'], string>> {
  const { queue } = service.services;
  const completed = await add('completed');
  await queue.complete(await claim());
  const error = await add('error');
  await queue.fail(await claim(), 'The file is empty.');
  const running = await add('running');
  await queue.renew(await claim(), 40);
  const cancelled = await add('cancelled');
  await queue.cancel(cancelled.id);
  const pending = await add('pending', { priority: 3 });
  return Object.fromEntries(
    Object.entries({ completed, error, running, cancelled, pending }).map(([status, { id }]) => [status, id]),
  ) as Record<Job['status'], string>;
}

let film: Promise<Buffer> | undefined;

/** Returns a small video. */
function sample(): Promise<Buffer> {
  film ??= (async () => {
    const studio = await openStudio();
    const file = await studio.make('small.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=1:r=10', ...H264);
    const bytes = await readFile(file);
    await studio.close();
    return bytes;
  })();
  return film;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const unknown = '00000000-0000-0000-0000-000000000000';

describe('GET /queue/stats', () => {
  test('counts the jobs of each state', async () => {
    const none = { completedLastHour: 0, averageDurationMs: null };
    expect(await call('/queue/stats')).toEqual({
      status: 200,
      body: { pending: 0, running: 0, completed: 0, error: 0, cancelled: 0, throughput: none },
    });
    await addEach();
    await add('another');
    expect(await call('/queue/stats')).toEqual({
      status: 200,
      body: {
        pending: 2,
        running: 1,
        completed: 1,
        error: 1,
        cancelled: 1,
        throughput: { completedLastHour: 1, averageDurationMs: expect.any(Number) },
      },
    });
  });
});

describe('GET /queue/worker/stats', () => {
  test('tells what the worker does', async () => {
    const idle = { isRunning: false, maxConcurrent: 2, processingCount: 0, pollInterval: 60_000 };
    expect(await call('/queue/worker/stats')).toEqual({ status: 200, body: idle });
    service.services.worker?.start();
    expect((await call('/queue/worker/stats')).body).toEqual({ ...idle, isRunning: true });
    await service.services.worker?.stop();
    expect((await call('/queue/worker/stats')).body).toEqual(idle);
  });
});

describe('GET /queue/jobs', () => {
  test('gives every job with exactly the documented fields, the newest first', async () => {
    const ids = await addEach();
    const none = { startedAt: null, completedAt: null, error: null };
    const at = (name: string) => ({
      filePath: `films/${name}.mp4`,
      transformation: 'w_320',
      url: `/t/w_320/films/${name}.mp4`,
      status: name,
      priority: 2,
      progress: 0,
      attempts: 0,
      createdAt: time,
      ...none,
    });
    expect(await call('/queue/jobs')).toEqual({
      status: 200,
      body: {
        jobs: [
          { id: ids.pending, ...at('pending'), priority: 3 },
          { id: ids.cancelled, ...at('cancelled'), completedAt: time },
          { id: ids.running, ...at('running'), startedAt: time, progress: 40 },
          {
            id: ids.error,
            ...at('error'),
            attempts: 1,
            startedAt: time,
            completedAt: time,
            error: 'The file is empty.',
          },
          { id: ids.completed, ...at('completed'), startedAt: time, completedAt: time, progress: 100 },
        ],
        limit: 50,
        offset: 0,
        count: 5,
        total: 5,
      },
    });
  });

  test('gives a page, and the jobs of one state', async () => {
    const ids = await addEach();
    const page = async (query: string) => {
      const { jobs, ...rest } = (await call(`/queue/jobs?${query}`)).body as { jobs: { id: string }[] };
      return [jobs.map(({ id }) => id), rest];
    };
    expect(await page('limit=2&offset=1')).toEqual([
      [ids.cancelled, ids.running],
      { limit: 2, offset: 1, count: 2, total: 5 },
    ]);
    expect(await page('status=error')).toEqual([[ids.error], { limit: 50, offset: 0, count: 1, total: 1 }]);
    expect(await page('offset=9&limit=1000')).toEqual([[], { limit: 1000, offset: 9, count: 0, total: 5 }]);
  });

  test('takes the status `processing` for `running`, and answers with `running`', async () => {
    const ids = await addEach();
    const { status, body } = await call('/queue/jobs?status=processing');
    expect([status, body]).toEqual([
      200,
      {
        jobs: [expect.objectContaining({ id: ids.running, status: 'running' })],
        limit: 50,
        offset: 0,
        count: 1,
        total: 1,
      },
    ]);
  });

  test('tells in `total` how many match, however few a page shows', async () => {
    for (const name of ['one', 'two', 'three']) await add(name);
    await service.services.queue.cancel((await add('gone')).id);
    const totals = async (query: string) => {
      const { count, total } = (await call(`/queue/jobs?${query}`)).body;
      return [count, total];
    };
    expect(await totals('limit=1')).toEqual([1, 4]);
    expect(await totals('limit=2&status=pending')).toEqual([2, 3]);
    expect(await totals('limit=2&offset=2&status=pending')).toEqual([1, 3]);
    expect(await totals('status=processing')).toEqual([0, 0]);
  });

  test.each([
    'limit=0',
    'limit=x',
    'limit=',
    'limit=1e2',
    'limit=0x10',
    'offset=1.5',
    'limit=1.5',
    'limit=1001',
    'offset=-1',
    'status=done',
    'status=',
  ])('400 for %s', async (query) => {
    const { status, body } = await call(`/queue/jobs?${query}`);
    expect([status, body]).toEqual([
      400,
      { error: 'Bad request', code: 'validation_failed', message: expect.stringContaining(query.split('=')[0] ?? '') },
    ]);
  });

  test('one of them, or 404', async () => {
    const { id } = await add('one');
    expect(await call(`/queue/jobs/${id}`)).toEqual({
      status: 200,
      body: {
        id,
        filePath: 'films/one.mp4',
        transformation: 'w_320',
        url: '/t/w_320/films/one.mp4',
        status: 'pending',
        priority: 2,
        progress: 0,
        attempts: 0,
        createdAt: time,
        startedAt: null,
        completedAt: null,
        error: null,
      },
    });
    expect(await call(`/queue/jobs/${unknown}`)).toEqual({
      status: 404,
      body: { error: 'Not found', code: 'job_not_found', message: `There is no job "${unknown}".` },
    });
  });
});

describe('the url of a job', () => {
  test.each([
    ['w_80,q_40', 'w_80,q_40'],
    // A bare "transcode" has an empty canonical text, and no text is the original.
    ['q_auto', 'q_auto'],
    ['q_75', 'q_auto'],
  ])('of a job for %s delivers its result', async (asked, canonical) => {
    await service.place('my films/größe 1,5.mp4', await sample());
    const path = 'my%20films/gr%C3%B6%C3%9Fe%201%2C5.mp4';
    expect((await ask(service.url, `/t/${asked}/${path}`)).status).toBe(202);
    const [job] = (await call('/queue/jobs')).body.jobs as { id: string; url: string }[];
    expect(job?.url).toBe(`/t/${canonical}/${path}`);
    const ended = service.event('job:completed', job?.id ?? '');
    service.services.worker?.start();
    await ended;
    await service.services.worker?.stop();
    const result = await ask(service.url, job?.url ?? '');
    const same = await ask(service.url, `/t/${asked}/${path}`);
    expect([result.status, result.headers['content-type'], result.headers.etag]).toEqual([
      200,
      'video/mp4',
      same.headers.etag,
    ]);
    await service.authorized(`/storage/${path}`, { method: 'DELETE' });
  });

  test('begins with PUBLIC_URL', async () => {
    const own = await startVideoService({ PUBLIC_URL: 'https://media.example.org/files' });
    await own.services.queue.enqueue(filmJob('one'));
    const { jobs } = (await ask(own.url, '/queue/jobs', { headers: { 'x-api-key': TEST_KEY } })).json();
    expect(jobs).toMatchObject([{ url: 'https://media.example.org/files/t/w_320/films/one.mp4' }]);
    await own.close();
  });
});

describe('what is done to all jobs in a state', () => {
  const states = ['pending', 'running', 'completed', 'error', 'cancelled'] as const;

  async function send(method: string, path: string, body?: unknown) {
    const answer = await askJson(service.url, method, path, body, { 'x-api-key': TEST_KEY });
    return { status: answer.status, body: answer.json() };
  }

  test('retry queues every failed job again, and no other', async () => {
    const ids = await addEach();
    for (const name of ['second', 'third']) {
      await add(name, { priority: 1 });
      await service.services.queue.fail(await claim(), 'broken');
    }
    expect(await send('POST', '/queue/jobs/retry', { status: 'error' })).toEqual({
      status: 200,
      body: { success: true, count: 3 },
    });
    const { jobs } = (await call('/queue/jobs')).body as { jobs: { id: string; status: string }[] };
    const inState = (status: string) => jobs.filter((job) => job.status === status).map(({ id }) => id);
    expect(inState('pending')).toEqual(expect.arrayContaining([ids.pending, ids.error]));
    expect(jobs.filter(({ status }) => status === 'pending')).toHaveLength(4);
    expect(states.map((state) => inState(state).length)).toEqual([4, 1, 1, 0, 1]);
    expect(jobs.find(({ id }) => id === ids.error)).toMatchObject({ attempts: 0, error: null, completedAt: null });
    expect((await send('POST', '/queue/jobs/retry', { status: 'error' })).body).toEqual({ success: true, count: 0 });
  });

  test.each(states)('delete removes every job that is %s, and no other', async (state) => {
    const ids = await addEach();
    expect(await send('DELETE', `/queue/jobs?status=${state}`)).toEqual({
      status: 200,
      body: { success: true, count: 1 },
    });
    const { jobs } = (await call('/queue/jobs')).body as { jobs: { id: string }[] };
    const left = Object.entries(ids).filter(([one]) => one !== state);
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(left.map(([, id]) => id).toSorted());
  });

  test('more jobs than one statement takes', async () => {
    const { queue } = service.services;
    for (let n = 0; n < 401; n++) await add(`many ${n}`);
    // One after another, the leases of the last ones end meanwhile.
    const claimed = await queue.claim(401);
    await Promise.all(claimed.map((job) => queue.fail(job, 'broken')));
    expect((await send('POST', '/queue/jobs/retry', { status: 'error' })).body.count).toBe(401);
    expect((await send('DELETE', '/queue/jobs?status=pending')).body.count).toBe(401);
    expect((await call('/queue/jobs')).body.total).toBe(0);
  });

  test('`processing` is taken for `running`', async () => {
    await addEach();
    expect((await send('DELETE', '/queue/jobs?status=processing')).body.count).toBe(1);
    expect((await call('/queue/stats')).body).toMatchObject({ running: 0, pending: 1 });
  });

  test.each([
    ['POST', '/queue/jobs/retry', undefined, 'body'],
    ['POST', '/queue/jobs/retry', {}, 'status'],
    ['POST', '/queue/jobs/retry', { status: 'cancelled' }, 'status'],
    ['DELETE', '/queue/jobs', undefined, 'status'],
    ['DELETE', '/queue/jobs?status=', undefined, 'status'],
    ['DELETE', '/queue/jobs?status=all', undefined, 'status'],
  ])('%s %s with %j is 400, and nothing is changed', async (method, path, body, named) => {
    await addEach();
    const answer = await send(method, path, body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'Bad request', code: 'validation_failed', message: expect.stringContaining(named) },
    ]);
    expect((await call('/queue/stats')).body).toMatchObject({
      pending: 1,
      running: 1,
      completed: 1,
      error: 1,
      cancelled: 1,
    });
  });
});

describe('what is done to a job', () => {
  const actions = [
    ['retry', 'POST', 'error', 'pending', 'queued for retry', 'retried'],
    ['cancel', 'POST', 'pending', 'cancelled', 'cancelled', 'cancelled'],
  ] as const;

  test.each(actions)('%s needs the right state and leads to the next', async (action, method, from, to, said, verb) => {
    const ids = await addEach();
    for (const [state, id] of Object.entries(ids)) {
      const answer = await call(`/queue/jobs/${id}/${action}`, method);
      const after = (await call(`/queue/jobs/${id}`)).body;
      if (state === from) {
        expect(answer).toEqual({ status: 200, body: { success: true, message: `The job ${id} was ${said}.` } });
        expect(after).toMatchObject({ status: to, progress: 0, error: null });
      } else {
        const message = `Only a job that is "${from}" can be ${verb}; this one is "${state}".`;
        expect(answer).toEqual({ status: 400, body: { error: 'Bad request', code: 'wrong_job_state', message } });
        expect(after.status).toBe(state);
      }
    }
  });

  test('delete removes a job in any state', async () => {
    for (const id of Object.values(await addEach())) {
      const message = `The job ${id} was deleted.`;
      expect(await call(`/queue/jobs/${id}`, 'DELETE')).toEqual({ status: 200, body: { success: true, message } });
      expect((await call(`/queue/jobs/${id}`)).status).toBe(404);
    }
    expect((await call('/queue/jobs')).body.total).toBe(0);
  });

  test.each([
    ['POST', '/retry', 'retried'],
    ['POST', '/cancel', 'cancelled'],
    ['DELETE', '', 'deleted'],
  ])('%s %s of an unknown job is 400', async (method, action, verb) => {
    expect(await call(`/queue/jobs/${unknown}${action}`, method)).toEqual({
      status: 400,
      body: {
        error: 'Bad request',
        code: 'wrong_job_state',
        message: `The job "${unknown}" does not exist, so it cannot be ${verb}.`,
      },
    });
  });

  test('clients may name the type of a body that they do not send', async () => {
    const { id } = await add('typed');
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
    expect((await call(`/queue/jobs/${id}/cancel`, 'POST', headers)).status).toBe(200);
  });

  test('deleting a running job stops its encoder', async () => {
    // A minute of a large VP9 takes long enough to be in progress when it is deleted.
    const studio = await openStudio();
    const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:d=60:r=30', ...H264];
    await service.place('slow.mp4', await readFile(await studio.make('slow.mp4', ...noise)));
    await studio.close();
    await ask(service.url, '/t/w_1280,f_webm/slow.mp4');
    const [id = ''] = await service.jobsOf('slow.mp4');
    const progress = service.event('job:progress', id);
    service.services.worker?.start();
    await progress;
    expect((await call('/queue/worker/stats')).body.processingCount).toBe(1);
    expect((await call(`/queue/jobs/${id}`, 'DELETE')).status).toBe(200);
    // It ends with its encoder: `stop` waits for that, and has nothing to requeue.
    await service.services.worker?.stop();
    expect((await call('/queue/jobs')).body.total).toBe(0);
  });
});

describe('who may', () => {
  const keyWith = async (...permissions: Permission[]) => ({
    'x-api-key': (await service.services.keyring.create({ name: permissions.join(), permissions })).key,
  });
  const reads = ['/queue/stats', '/queue/worker/stats', '/queue/jobs', `/queue/jobs/${unknown}`].map(
    (path) => ['GET', path] as const,
  );
  const changes = [
    ['POST', `/queue/jobs/${unknown}/retry`],
    ['POST', `/queue/jobs/${unknown}/cancel`],
    ['DELETE', `/queue/jobs/${unknown}`],
    ['POST', '/queue/jobs/retry'],
    ['DELETE', '/queue/jobs'],
  ] as const;

  test('nobody without a key, or with a wrong one', async () => {
    for (const [method, path] of [...reads, ...changes]) {
      for (const headers of [{}, { 'x-api-key': 'wrong' }] as Record<string, string>[]) {
        const { status, body } = await call(path, method, headers);
        expect([status, body], path).toEqual([
          401,
          {
            error: 'Unauthorized',
            code: 'x-api-key' in headers ? 'invalid_api_key' : 'unauthorized',
            message: expect.any(String),
          },
        ]);
      }
    }
  });

  test('whoever may read looks, whoever may manage acts', async () => {
    const reader = await keyWith('read');
    const manager = await keyWith('manage');
    for (const [method, path] of reads) {
      expect((await call(path, method, manager)).status, path).toBe(403);
      expect([200, 404], path).toContain((await call(path, method, reader)).status);
    }
    for (const [method, path] of changes) {
      const refused = await call(path, method, reader);
      expect([refused.status, refused.body.message], path).toEqual([403, expect.stringContaining('"manage"')]);
      expect((await call(path, method, manager)).status, path).toBe(400);
    }
  });

  test('other methods are 405, and `/api` leads to the same', async () => {
    const answer = await ask(service.url, '/queue/jobs', { method: 'PUT' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, DELETE']);
    const head = await ask(service.url, '/queue/events', { method: 'HEAD' });
    expect([head.status, head.headers.allow]).toEqual([405, 'GET']);
    expect((await call('/api/queue/stats')).status).toBe(200);
  });
});
