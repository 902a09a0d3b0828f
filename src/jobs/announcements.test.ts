import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filmJob, openTestQueue, silentLog, type TestQueue } from '../../test/job-queue.ts';
import { linkBuses } from '../../test/linked-buses.ts';
import type { StoragePath } from '../path.ts';
import { Worker, type WorkerOptions } from './worker.ts';

/** An hour: nothing in these tests may depend on polling. */
const NEVER = 3_600_000;

let folder: string;
let buses: ReturnType<typeof linkBuses>;
/** The node that receives the request, and the one that works. */
let [asked, working]: TestQueue[] = [];
const workers: Worker[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'announcements-'));
  buses = linkBuses(2);
  const open = (n: number) =>
    openTestQueue({ file: join(folder, 'jobs.db'), bus: buses[n] as (typeof buses)[number], retryMax: 1 });
  asked = await open(0);
  working = await open(1);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await asked?.close();
  await working?.close();
  await rm(folder, { recursive: true });
});

function work(run: WorkerOptions['run'], { queue } = working as TestQueue): Worker {
  const times = { pollIntervalMs: NEVER, heartbeatMs: NEVER };
  const worker = new Worker({ queue, run, maxConcurrent: 2, log: silentLog, ...times });
  workers.push(worker);
  worker.start();
  return worker;
}

/** Returns work that runs until its signal aborts, with the recorded signals. */
function endless() {
  const begun = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<unknown>();
  const run: WorkerOptions['run'] = ({ id }, { signal }) =>
    new Promise((_resolve, reject) => {
      begun.resolve(id);
      signal.addEventListener('abort', () => {
        ended.resolve(signal.reason);
        reject(signal.reason);
      });
    });
  return { begun: begun.promise, ended: ended.promise, run };
}

const enqueue = (key: string, more = {}) => (asked as TestQueue).queue.enqueue(filmJob(key, more));
const status = async (id: string) => (await asked?.store.find(id))?.status;

describe('the worker of another node', () => {
  test('begins a job when it is queued', async () => {
    const { begun, run } = endless();
    work(run);
    await expect.poll(() => workers[0]?.stats().isRunning).toBe(true);
    const { job } = await enqueue('a');
    expect(await begun).toBe(job.id);
  });

  test('begins a job that a person wants to be tried again', async () => {
    const { job } = await enqueue('a');
    const [held] = (await asked?.queue.claim(1)) ?? [];
    await asked?.queue.fail(held as NonNullable<typeof held>, 'broken', true);
    const { begun, run } = endless();
    work(run);
    await expect.poll(() => workers[0]?.stats().isRunning).toBe(true);
    await asked?.queue.retry(job.id);
    expect(await begun).toBe(job.id);
  });

  test('begins a job that was given back', async () => {
    const first = endless();
    const stopping = work(first.run, asked);
    const { job } = await enqueue('a');
    await first.begun;
    const second = endless();
    work(second.run);
    await stopping.stop();
    expect(await second.begun).toBe(job.id);
  });

  test('begins a job that has failed, when its time has come', async () => {
    const { job } = await enqueue('a');
    const [held] = (await asked?.queue.claim(1)) ?? [];
    const { begun, run } = endless();
    work(run);
    await expect.poll(() => workers[0]?.stats().isRunning).toBe(true);
    await asked?.queue.fail(held as NonNullable<typeof held>, 'broken');
    expect(await begun).toBe(job.id);
  });

  test('stops a job that is deleted, and no other', async () => {
    const first = endless();
    const second = endless();
    work((job, context) => (job.variantKey === 'a' ? first : second).run(job, context));
    const a = await enqueue('a');
    const b = await enqueue('b');
    await Promise.all([first.begun, second.begun]);
    await asked?.queue.remove(a.job.id);
    expect(await first.ended).toMatchObject({ name: 'JobGone' });
    expect(await status(b.job.id)).toBe('running');
  });

  test('stops the jobs of a folder that is deleted', async () => {
    const { begun, ended, run } = endless();
    work(run);
    await enqueue('a', { path: 'films/new/a.mp4' as StoragePath });
    await begun;
    await asked?.queue.removeWithin('films/new' as StoragePath);
    expect(await ended).toMatchObject({ name: 'JobGone' });
  });

  test('looks by itself when it may not have been told', async () => {
    const { begun, ended, run } = endless();
    work(run);
    const { job } = await enqueue('a');
    await begun;
    await asked?.store.remove(job.id);
    const later = await asked?.store.add(filmJob('later'));
    buses[1]?.resync();
    expect(await ended).toMatchObject({ name: 'JobGone' });
    await expect.poll(() => status(later?.job.id ?? '')).toBe('running');
  });
});
