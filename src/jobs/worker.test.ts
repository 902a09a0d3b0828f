import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { filmJob, openTestQueue, silentLog, type TestQueue } from '../../test/job-queue.ts';
import type { StoragePath } from '../path.ts';
import { findFfmpeg, runFfmpeg } from '../video/ffmpeg/run.ts';
import type { JobEvent } from './events.ts';
import { FinalFailure, TransientFailure, Worker, type WorkerOptions } from './worker.ts';

let desk: TestQueue;
let workers: Worker[];
beforeEach(async () => {
  desk = await openTestQueue();
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  desk.close();
});

function startWorker(run: WorkerOptions['run'], more: Partial<WorkerOptions> = {}, from = desk): Worker {
  // An hour: nothing in these tests may depend on polling.
  const pollIntervalMs = 3_600_000;
  const worker = new Worker({ queue: from.queue, run, maxConcurrent: 1, log: silentLog, pollIntervalMs, ...more });
  workers.push(worker);
  worker.start();
  return worker;
}

/** Returns the next event of a type, or an earlier one. */
function heard(type: JobEvent['type'], count = 1, from = desk): Promise<void> {
  return vi
    .waitUntil(() => from.said().filter((said) => said === type).length >= count, { timeout: 20_000, interval: 5 })
    .then(() => undefined);
}

/** Runs until its signal aborts. */
const untilAborted: WorkerOptions['run'] = (_job, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('running', () => {
  test('a job begins when it is queued, without waiting for a poll', async () => {
    const ran: string[] = [];
    startWorker(async (job) => void ran.push(job.transformation));
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await heard('job:completed');
    expect(ran).toEqual(['w_320']);
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'completed', progress: 100 });
  });

  test('jobs that were waiting before the start are run, by priority', async () => {
    const order: string[] = [];
    await desk.queue.enqueue(filmJob('upload', { priority: 3 }));
    await desk.queue.enqueue(filmJob('visitor'));
    startWorker(async (job) => void order.push(job.variantKey));
    await heard('job:completed', 2);
    expect(order).toEqual(['visitor', 'upload']);
  });

  test('no more than the maximum run at a time', async () => {
    let now = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
    };
    startWorker(run, { maxConcurrent: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, n) => desk.queue.enqueue(filmJob(`v${n}`))));
    await heard('job:completed', 12);
    expect(most).toBe(3);
  });

  test('jobs that were claimed together run one after the other if they cannot be made together', async () => {
    const path = 'films/a.mp4' as StoragePath;
    const rendition = (height: number) => filmJob(String(height), { path, transformation: `h_${height},f_cmaf` });
    await desk.queue.enqueue(rendition(360));
    const order: string[] = [];
    let now = 0;
    let most = 0;
    startWorker(async (job) => {
      most = Math.max(most, ++now);
      // The others are claimed after the first.
      if (order.push(job.variantKey) === 1) {
        await Promise.all([540, 720, 1080].map((height) => desk.queue.enqueue(rendition(height))));
      }
      await new Promise(setImmediate);
      now--;
      if (job.variantKey === '720') throw new FinalFailure('too large');
    });
    await heard('job:completed', 3);
    await heard('job:error');
    expect([order, most]).toEqual([['360', '540', '720', '1080'], 1]);
  });

  test('one bad file does not delay the next', async () => {
    desk.close();
    desk = await openTestQueue({ retryMax: 5, retryDelayMs: 3_600_000 });
    startWorker(async (job) => {
      if (job.variantKey === 'bad') throw new Error('broken');
    });
    const { job: bad } = await desk.queue.enqueue(filmJob('bad'));
    await desk.queue.enqueue(filmJob('good'));
    await heard('job:completed');
    expect(await desk.queue.jobs.find(bad.id)).toMatchObject({ status: 'pending', attempts: 1 });
  });

  test('a failed job is tried again when its time has come, and then ends in error', async () => {
    desk.close();
    desk = await openTestQueue({ retryMax: 2, retryDelayMs: 1 });
    const { job } = await desk.queue.enqueue(filmJob('bad'));
    startWorker(() => Promise.reject(new Error('broken')));
    await heard('job:error');
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'error', error: 'broken', attempts: 3 });
    expect(desk.said().filter((type) => type === 'job:started')).toHaveLength(3);
  });

  test('a failure that would be the same again is not tried again', async () => {
    desk.close();
    desk = await openTestQueue({ retryMax: 5 });
    const { job } = await desk.queue.enqueue(filmJob('large'));
    startWorker(() => Promise.reject(new FinalFailure('too large')));
    await heard('job:error');
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'error', error: 'too large', attempts: 1 });
  });

  test('a job waits for the trouble of the server to pass, longer than any retries, and is done then', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    let troubles = 8;
    startWorker(async () => {
      if (troubles-- > 0) throw new TransientFailure('no room');
    });
    await heard('job:completed');
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'completed', attempts: 0, trouble: undefined });
    expect(desk.said()).not.toContain('job:error');
  });

  test('an error of the file system does not show a path', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    startWorker(async () => {
      await rm('/nonexistent/secret/path');
    });
    await heard('job:error');
    expect((await desk.queue.jobs.find(job.id))?.error).toBe('The server failed to lstat a file (ENOENT).');
  });

  test('a program that cannot be started does not show its path', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    const program = '/nonexistent/secret/ffmpeg';
    const tools = {
      ffmpeg: program,
      ffprobe: program,
      version: '0',
      canMapTones: false,
      libraries: new Set<string>(),
      guard: [],
    };
    startWorker(async () => {
      await runFfmpeg(tools, []);
    });
    await heard('job:error');
    expect((await desk.queue.jobs.find(job.id))?.error).toBe('The server failed to spawn a file (ENOENT).');
  });
});

describe('progress', () => {
  test('rises, at most once per interval', async () => {
    await desk.queue.enqueue(filmJob('a'));
    startWorker(async (_job, { onProgress }) => {
      for (const percent of [1, 5, 3, 20, 60]) onProgress(percent);
    });
    await heard('job:completed');
    const reports = desk.heard.filter(({ type }) => type === 'job:progress');
    expect(reports.map(({ data }) => data)).toEqual([{ jobId: expect.any(String), progress: 1 }]);
  });

  test('without an interval every rise is told', async () => {
    await desk.queue.enqueue(filmJob('a'));
    const run: WorkerOptions['run'] = async (_job, { onProgress }) => {
      for (const percent of [1, 5, 3, 20.9, 600]) onProgress(percent);
    };
    startWorker(run, { progressIntervalMs: 0 });
    await heard('job:completed');
    const reports = desk.heard.flatMap((event) => (event.type === 'job:progress' ? event.data.progress : []));
    expect(reports).toEqual([1, 5, 20, 100]);
  });
});

describe('stopping', () => {
  test('a stopped worker puts its jobs back, uncounted, and claims no more', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    const worker = startWorker(untilAborted);
    await heard('job:started');
    expect(worker.stats()).toEqual({ isRunning: true, maxConcurrent: 1, processingCount: 1, pollInterval: 3_600_000 });
    await worker.stop();
    expect(worker.stats()).toMatchObject({ isRunning: false, processingCount: 0 });
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'pending', attempts: 0 });
    startWorker(async () => undefined);
    await heard('job:completed');
  });

  test('a stopped worker can be started again', async () => {
    const worker = startWorker(async () => undefined);
    await worker.stop();
    await desk.queue.enqueue(filmJob('a'));
    worker.start();
    expect(worker.stats().isRunning).toBe(true);
    await heard('job:completed');
  });

  test('a deleted job stops its encoder', async () => {
    const tools = await findFfmpeg();
    if (!tools) throw new Error('The tests need ffmpeg.');
    const endless = ['-v', 'error', '-re', '-f', 'lavfi', '-i', 'color=red:s=64x64:d=3600', '-f', 'null', '-'];
    const ended = Promise.withResolvers<unknown>();
    const { job } = await desk.queue.enqueue(filmJob('a'));
    startWorker(async (_job, { signal }) => {
      await runFfmpeg(tools, endless, { signal }).catch(ended.resolve);
    });
    await heard('job:started');
    await desk.queue.remove(job.id);
    expect(await ended.promise).toMatchObject({ name: 'JobGone' });
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:deleted']);
  });
});

describe('several processes on one database', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'worker-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('a job deleted by another process stops at the next heartbeat', async () => {
    const mine = await openTestQueue({ file: join(folder, 'a.db') });
    const theirs = await openTestQueue({ file: join(folder, 'a.db') });
    const { job } = await mine.queue.enqueue(filmJob('a'));
    const ended = Promise.withResolvers<unknown>();
    const run: WorkerOptions['run'] = (claimed, context) => untilAborted(claimed, context).catch(ended.resolve);
    const worker = startWorker(run, { heartbeatMs: 20 }, mine);
    await heard('job:started', 1, mine);
    await theirs.queue.remove(job.id);
    expect(await ended.promise).toMatchObject({ name: 'JobGone' });
    await worker.stop();
    mine.close();
    theirs.close();
  });

  test('no job runs twice', async () => {
    const file = join(folder, 'b.db');
    const mine = await openTestQueue({ file });
    for (let n = 0; n < 60; n++) await mine.queue.enqueue(filmJob(`v${n}`));
    const others = [1, 2].map(() => otherProcess(file, `async (job) => console.log(job.id)`));
    const ids: string[] = [];
    for (const child of others) child.stdout.on('data', (chunk) => ids.push(...String(chunk).trim().split('\n')));
    await vi.waitUntil(async () => (await mine.store.counts()).completed === 60, { timeout: 30_000, interval: 20 });
    await Promise.all(others.map((child) => end(child)));
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
    mine.close();
  });

  test('the job of a killed process is taken up again when its lease runs out, and completes once', async () => {
    const file = join(folder, 'c.db');
    const mine = await openTestQueue({ file, leaseMs: 200 });
    const { job } = await mine.queue.enqueue(filmJob('a'));
    const child = otherProcess(file, `() => { console.log('running'); return new Promise(() => {}); }`, 200);
    await once(child.stdout, 'data');
    await end(child);
    expect(await mine.queue.jobs.find(job.id)).toMatchObject({ status: 'running' });
    const worker = startWorker(async () => undefined, { pollIntervalMs: 20 }, mine);
    await heard('job:completed', 1, mine);
    expect(await mine.queue.jobs.find(job.id)).toMatchObject({ status: 'completed', attempts: 0 });
    await worker.stop();
    mine.close();
  });
});

/** Starts a worker in a separate process; `run` is source text. */
function otherProcess(file: string, run: string, leaseMs = 60_000) {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { openTestQueue, silentLog } from ${module('../../test/job-queue.ts')};
    import { Worker } from ${module('./worker.ts')};
    const { queue } = await openTestQueue({ file: ${JSON.stringify(file)}, leaseMs: ${leaseMs} });
    new Worker({ queue, run: ${run}, maxConcurrent: 2, log: silentLog, pollIntervalMs: 20, heartbeatMs: 50 }).start();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function end(child: ReturnType<typeof otherProcess>): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}
