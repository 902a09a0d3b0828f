import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { filmJob, openTestQueue, silentLog, type TestQueue } from '../../test/job-queue.ts';
import { createLog } from '../log.ts';
import type { Job } from './job.ts';
import { Worker, type WorkerOptions } from './worker.ts';

const NEVER = 3_600_000;
const DOWN = new Error('The database does not answer.');

let desk: TestQueue;
let job: Job;
let worker: Worker | undefined;
async function open(leaseMs: number): Promise<void> {
  desk = await openTestQueue({ leaseMs });
  ({ job } = await desk.queue.enqueue(filmJob('a')));
}
beforeEach(() => open(NEVER));
afterEach(async () => {
  vi.restoreAllMocks();
  await worker?.stop();
  await desk.close();
});

function work(run: WorkerOptions['run'], more: Partial<WorkerOptions> = {}): void {
  const times = { pollIntervalMs: NEVER, heartbeatMs: NEVER };
  worker = new Worker({ queue: desk.queue, run, maxConcurrent: 1, log: silentLog, ...times, ...more });
  worker.start();
}

const untilAborted: WorkerOptions['run'] = (_job, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
const now = () => desk.store.find(job.id);

describe('when the database does not answer', () => {
  test('the end of a job is written down when it does again, and the work is not done twice', async () => {
    const complete = vi.spyOn(desk.store, 'complete').mockRejectedValueOnce(DOWN).mockRejectedValueOnce(DOWN);
    let runs = 0;
    work(async () => {
      runs++;
    });
    await expect.poll(now).toMatchObject({ status: 'completed' });
    expect([runs, complete.mock.calls.length]).toEqual([1, 3]);
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:completed']);
  });

  test('so is its failure, and that the server is to blame', async () => {
    vi.spyOn(desk.store, 'fail').mockRejectedValueOnce(DOWN);
    work(() => Promise.reject(new Error('broken')));
    await expect.poll(now).toMatchObject({ status: 'error', error: 'broken', attempts: 1 });
  });

  test('the log says so once, and once when it does again', async () => {
    vi.spyOn(desk.store, 'claim').mockRejectedValueOnce(DOWN).mockRejectedValueOnce(DOWN);
    vi.spyOn(desk.store, 'renew').mockRejectedValueOnce(DOWN).mockRejectedValueOnce(DOWN);
    const lines: { level: number; msg: string }[] = [];
    const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
    work(untilAborted, { log, pollIntervalMs: 1, heartbeatMs: 1 });
    await expect
      .poll(() => lines.map(({ level, msg }) => [level, msg]))
      .toEqual([
        [50, 'No job can be claimed'],
        [30, 'Jobs can be claimed again'],
        [50, 'The lease of a job cannot be renewed'],
        [30, 'Leases of jobs can be renewed again'],
      ]);
  });

  test('work goes on when that is over before the lease', async () => {
    const renew = vi.spyOn(desk.store, 'renew').mockRejectedValueOnce(DOWN).mockRejectedValueOnce(DOWN);
    let signal: AbortSignal | undefined;
    const done = Promise.withResolvers<void>();
    work(
      (_job, context) => {
        signal = context.signal;
        return done.promise;
      },
      { heartbeatMs: 5 },
    );
    await expect.poll(() => renew.mock.results.filter(({ type }) => type === 'return').length).toBeGreaterThan(3);
    expect(signal?.aborted).toBe(false);
    done.resolve();
    await expect.poll(now).toMatchObject({ status: 'completed' });
  });

  test('work ends with its lease, because another worker may begin it then, and nothing more is written', async () => {
    await desk.close();
    await open(100);
    vi.spyOn(desk.store, 'renew').mockRejectedValue(DOWN);
    const writes = (['complete', 'fail', 'release', 'defer'] as const).map((name) => vi.spyOn(desk.store, name));
    const reason = Promise.withResolvers<unknown>();
    work(
      (claimed, context) => {
        vi.spyOn(desk.store, 'failLost').mockRejectedValue(DOWN);
        context.signal.addEventListener('abort', () => reason.resolve(context.signal.reason));
        return untilAborted(claimed, context);
      },
      { heartbeatMs: 10 },
    );
    expect(await reason.promise).toMatchObject({ name: 'JobGone' });
    await expect.poll(() => worker?.stats().processingCount).toBe(0);
    expect(writes.flatMap(({ mock }) => mock.calls)).toEqual([]);
    expect(await now()).toMatchObject({ status: 'running' });
  });

  test('a worker that stops does not wait for it', async () => {
    const complete = vi.spyOn(desk.store, 'complete').mockRejectedValue(DOWN);
    work(async () => undefined);
    await expect.poll(() => complete.mock.calls.length).toBeGreaterThan(1);
    await worker?.stop();
    expect(await now()).toMatchObject({ status: 'running' });
  });
});
