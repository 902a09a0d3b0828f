import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import { createLocalCluster } from '../../src/cluster/local.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createLocalJobEvents } from '../../src/jobs/events/local.ts';
import { type JobEvent, jobEvent } from '../../src/jobs/events.ts';
import type { ClaimedJob, NewJob } from '../../src/jobs/job.ts';
import { type JobQueue, Queue } from '../../src/jobs/queue.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import type { StoragePath } from '../../src/path.ts';
import { createRootedJobEvents } from '../../src/spaces/rooted/job-events.ts';
import { createRootedQueue } from '../../src/spaces/rooted/queue.ts';
import { createRoot } from '../../src/spaces/rooted/root.ts';
import { openTestDatabase } from '../database.ts';

const ACME = createRoot('customers/acme' as StoragePath);
const BETA = createRoot('beta' as StoragePath);
const HOUR_MS = 3_600_000;

let folder: string;
let database: OpenDatabase;
let store: SqlJobStore;
let queue: Queue;
let acme: JobQueue;
let beta: JobQueue;
let heard: JobEvent[];
const events = () => createLocalJobEvents();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-space-jobs-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  store = new SqlJobStore(database.db);
  const published = events();
  heard = [];
  published.subscribe((event) => heard.push(event));
  const limits = { queueMax: 1000, queueMaxPerClient: 1000 };
  const times = { retryMax: 0, retryDelayMs: 1, cleanupMs: HOUR_MS, leaseMs: 15_000 };
  queue = new Queue({ store, events: published, bus: createLocalCluster().bus, ...limits, ...times });
  acme = createRootedQueue(queue, 'acme', ACME);
  beta = createRootedQueue(queue, 'beta', BETA);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

function film(name: string, more: Partial<NewJob> = {}): NewJob {
  const path = `films/${name}.mp4` as StoragePath;
  return {
    path,
    variantKey: `${name} v`,
    transformation: 'w_320',
    version: 'e',
    priority: 2,
    client: TRUSTED,
    ...more,
  };
}
const claim = async () => (await queue.claim(1))[0] as ClaimedJob;
/** @throws the refusal of the queue */
async function enqueue(of: JobQueue, newJob: NewJob) {
  const [added] = await of.enqueueAll([newJob]);
  if (!added) throw new Error('Expected a job, received none.');
  if ('problem' in added) throw added.problem;
  return added;
}

const paths = async (of: JobQueue) => (await of.jobs.list({ limit: 10, offset: 0 })).jobs.map(({ path }) => path);

test('the jobs of a deleted space end in error, those of others go on', async () => {
  const { job: running } = await enqueue(acme, film('a'));
  const claimed = await claim();
  const { job: pending } = await enqueue(acme, film('b'));
  await queue.enqueue(film('c'));
  const stopped: string[] = [];
  queue.watch({ pending: () => undefined, removed: (id) => stopped.push(id), unsure: () => undefined });
  expect(await queue.failAll('acme', 'The space "acme" was deleted.')).toBe(2);
  for (const { id } of [running, pending])
    expect(await queue.jobs.find(id)).toMatchObject({
      status: 'error',
      error: 'The space "acme" was deleted.',
      completedAt: expect.any(Date),
    });
  expect(stopped).toEqual([running.id]);
  expect(await queue.renew(claimed)).toBe(false);
  expect(await queue.complete(claimed)).toBeUndefined();
  expect(heard.filter(({ type }) => type === 'job:error')).toHaveLength(2);
  expect(await queue.jobs.counts()).toMatchObject({ pending: 1, running: 0, error: 2 });
  expect(await queue.failAll('acme', 'again')).toBe(0);
});

describe('a job of a space', () => {
  test('has an outer path and its space below, an inner path in the space', async () => {
    const { job } = await enqueue(acme, film('a'));
    expect(job).toMatchObject({ path: 'films/a.mp4', space: '' });
    expect(await queue.jobs.find(job.id)).toMatchObject({ path: 'customers/acme/films/a.mp4', space: 'acme' });
    expect(await acme.jobs.find(job.id)).toEqual(job);
    expect(await acme.jobs.newestOfPath('films/a.mp4' as StoragePath)).toEqual(job);
    expect(await acme.jobs.newestOfVariant('a v')).toEqual(job);
    expect(await claim()).toMatchObject({ id: job.id, path: 'customers/acme/films/a.mp4', space: 'acme' });
  });

  test('is one for its variant, whoever requests it, and becomes one of the space', async () => {
    const path = 'customers/acme/films/a.mp4' as StoragePath;
    const { job } = await enqueue(queue, film('a', { path }));
    expect(await paths(acme)).toEqual([]);
    expect(await enqueue(acme, film('a'))).toMatchObject({ isNew: false, job: { id: job.id, path: 'films/a.mp4' } });
    expect(await enqueue(queue, film('a', { path }))).toMatchObject({ isNew: false, job: { space: 'acme' } });
    expect(await paths(acme)).toEqual(['films/a.mp4']);
  });

  test('is listed, counted and found in the space alone', async () => {
    const { job } = await enqueue(acme, film('a'));
    const { job: other } = await enqueue(beta, film('b'));
    await enqueue(queue, film('c'));
    expect([await paths(acme), await paths(beta)]).toEqual([['films/a.mp4'], ['films/b.mp4']]);
    expect((await paths(queue)).length).toBe(3);
    expect(await acme.jobs.list({ limit: 10, offset: 0, status: 'pending' })).toEqual({ jobs: [job], total: 1 });
    expect(await acme.jobs.list({ limit: 10, offset: 1 })).toEqual({ jobs: [], total: 1 });
    expect(await acme.jobs.list({ limit: 10, offset: 0, status: 'error' })).toEqual({ jobs: [], total: 0 });
    const path = 'films/b.mp4' as StoragePath;
    expect(await acme.jobs.list({ limit: 10, offset: 0, path })).toEqual({ jobs: [], total: 0 });
    expect(await acme.jobs.find(other.id)).toBeUndefined();
    expect(await acme.jobs.newestOfVariant('b v')).toBeUndefined();
    expect(await acme.jobs.newestOfPath(path)).toBeUndefined();
    expect(await acme.jobs.counts()).toMatchObject({ pending: 1, running: 0, completed: 0 });
    expect(await queue.jobs.counts()).toMatchObject({ pending: 3 });
  });

  test('is listed in the order of its creation, over all states', async () => {
    for (const name of ['a', 'b', 'c']) await enqueue(acme, film(name));
    const job = await claim();
    await queue.complete(job);
    await claim();
    expect(await paths(acme)).toEqual(['films/c.mp4', 'films/b.mp4', 'films/a.mp4']);
    const second = await acme.jobs.list({ limit: 1, offset: 1 });
    expect([second.jobs.map(({ path }) => path), second.total]).toEqual([['films/b.mp4'], 3]);
    expect(await acme.stats()).toMatchObject({
      completed: 1,
      running: 1,
      pending: 1,
      throughput: { completedLastHour: 1 },
    });
    expect(await beta.stats()).toMatchObject({ completed: 0, throughput: { completedLastHour: 0 } });
  });

  test.each(['cancel', 'retry', 'remove'] as const)('of another space is unknown to %s', async (action) => {
    const { job } = await enqueue(beta, film('b'));
    const unknown = await acme[action]('nothing').catch(({ message }) => message);
    await expect(acme[action](job.id)).rejects.toMatchObject({
      status: 400,
      code: 'wrong_job_state',
      message: unknown.replace('nothing', job.id),
    });
    expect(await queue.jobs.find(job.id)).toMatchObject({ status: 'pending' });
  });

  test('is cancelled, retried and removed there', async () => {
    const { job } = await enqueue(acme, film('a'));
    const failed = await claim();
    await queue.fail(failed, 'broken', true);
    expect(await acme.retry(job.id)).toMatchObject({ status: 'pending', path: 'films/a.mp4' });
    expect(await acme.cancel(job.id)).toMatchObject({ status: 'cancelled', path: 'films/a.mp4' });
    expect(await acme.remove(job.id)).toMatchObject({ path: 'films/a.mp4' });
    expect(await queue.jobs.find(job.id)).toBeUndefined();
  });

  test('alone is retried and removed with all others of the space', async () => {
    for (const of of [acme, beta, queue]) await enqueue(of, film('a', { variantKey: `${heard.length}` }));
    for (const job of await queue.claim(3)) await queue.fail(job, 'broken', true);
    expect(await acme.retryAll()).toBe(1);
    expect(await queue.jobs.counts()).toMatchObject({ pending: 1, error: 2 });
    expect(await acme.removeAll('error')).toBe(0);
    expect(await beta.removeAll('error')).toBe(1);
    expect(await queue.jobs.counts()).toMatchObject({ pending: 1, error: 1 });
  });

  test('is removed with its file, as are jobs that the library requested for it', async () => {
    await enqueue(acme, film('a'));
    await enqueue(queue, film('b', { path: 'customers/acme/films/b.mp4' as StoragePath }));
    await enqueue(queue, film('a', { variantKey: 'outer' }));
    expect(await acme.removeWithin('films' as StoragePath)).toBe(2);
    expect(await paths(queue)).toEqual(['films/a.mp4']);
  });

  test('has events with its space, also of its progress', async () => {
    await enqueue(acme, film('a'));
    const job = await claim();
    await queue.renew(job, 50);
    await queue.complete(job);
    expect(heard.map(({ type, space }) => [type, space])).toEqual([
      ['job:created', 'acme'],
      ['job:started', 'acme'],
      ['job:progress', 'acme'],
      ['job:completed', 'acme'],
    ]);
  });
});

describe('turns', () => {
  const order = async (count: number) => {
    const served: string[] = [];
    for (let n = 0; n < count; n++) {
      const job = await claim();
      served.push(job.variantKey);
      await queue.complete(job);
    }
    return served;
  };
  const add = async (of: JobQueue, name: string, count: number, more: Partial<NewJob> = {}) => {
    for (let n = 1; n <= count; n++) await enqueue(of, film(`${name}${n}`, { variantKey: `${name}${n}`, ...more }));
  };

  test('go by space, the library among them, then by client', async () => {
    await add(acme, 'a', 3, { client: 'one' });
    await add(acme, 'b', 2, { client: 'two' });
    await add(beta, 'c', 2);
    await add(queue, 'd', 1);
    expect(await order(8)).toEqual(['a1', 'c1', 'd1', 'b1', 'c2', 'a2', 'b2', 'a3']);
  });

  test('of one client in two spaces are those of two', async () => {
    await add(acme, 'a', 3);
    await add(acme, 'x', 1, { client: 'x' });
    await add(beta, 'b', 3);
    expect(await order(7)).toEqual(['a1', 'b1', 'x1', 'b2', 'a2', 'b3', 'a3']);
  });

  test('go by space before priority', async () => {
    await add(acme, 'a', 2);
    await add(beta, 'b', 2, { priority: 3 });
    expect(await order(4)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('leave a space at most half of the workers while another waits', async () => {
    await add(acme, 'a', 8);
    const first = await queue.claim(4);
    expect(first.map(({ variantKey }) => variantKey)).toEqual(['a1', 'a2', 'a3', 'a4']);
    await add(beta, 'b', 3);
    const after: string[] = [];
    for (const job of first) {
      await queue.complete(job);
      after.push((await claim()).variantKey);
    }
    expect(after).toEqual(['b1', 'b2', 'a5', 'a6']);
  });

  test('pass over a space whose jobs cannot be claimed', async () => {
    await add(acme, 'a', 1);
    await add(beta, 'b', 1);
    await queue.cancel((await acme.jobs.newestOfVariant('a1'))?.id ?? '');
    expect(await order(1)).toEqual(['b1']);
    expect(await queue.claim(1)).toEqual([]);
  });
});

test('renditions of a stream are claimed with those of the same space', async () => {
  const path = 'customers/acme/films/a.mp4' as StoragePath;
  const stream = async (of: JobQueue, heights: readonly number[], more: Partial<NewJob> = {}) => {
    for (const h of heights) {
      await enqueue(of, film('a', { variantKey: `${h}`, transformation: `f_cmaf,h_${h}`, ...more }));
    }
  };
  await stream(acme, [240]);
  await queue.complete(await claim());
  await stream(acme, [360, 480]);
  await stream(queue, [720, 1080], { path });
  const claims = await queue.claim(2);
  const groups = Array.from(Map.groupBy(claims, ({ lease }) => lease).values());
  expect(groups.map((group) => group.map(({ space, variantKey }) => [space, variantKey]))).toEqual([
    [
      ['', '720'],
      ['', '1080'],
    ],
    [
      ['acme', '360'],
      ['acme', '480'],
    ],
  ]);
});

describe('the events of a space', () => {
  test('are those of its own jobs, with inner paths and the ids of the installation', async () => {
    const all = events();
    const own = createRootedJobEvents(all, 'acme', ACME);
    const told: JobEvent[] = [];
    const leave = own.subscribe((event) => told.push(event));
    const start = await own.lastId();
    const path = ACME.toOuter('a.mp4' as StoragePath);
    const { job: acmeJob } = await enqueue(queue, film('a', { path, space: 'acme' }));
    const betaJob = { ...acmeJob, space: 'beta', path: 'beta/secret.mp4' as StoragePath };
    const outer = { ...acmeJob, space: '', path: 'outer.mp4' as StoragePath };
    for (const job of [betaJob, acmeJob, outer]) {
      await all.publish(jobEvent.created(job));
      await all.publish(jobEvent.progress(job.id, 5, job.space));
    }
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ['job:created', { jobId: acmeJob.id, filePath: 'a.mp4', status: 'pending', priority: 2 }],
      ['job:progress', { jobId: acmeJob.id, progress: 5 }],
    ]);
    const later = await own.since(start);
    expect(later).toMatchObject({ events: told, isAll: true, upTo: await all.lastId() });
    // The id of an event that the space did not hear.
    const [foreign] = (await all.since(start)).events;
    expect((await own.since(foreign?.id ?? 0)).events).toEqual(told);
    expect(JSON.stringify([told, later])).not.toMatch(/customers|secret|outer/);
    leave();
    await all.publish(jobEvent.created(acmeJob));
    expect(told).toHaveLength(2);
  });
});
