import { afterAll, beforeAll, expect, test } from 'vitest';
import { filmJob } from '../../job-queue.ts';
import { describeOnPostgres } from '../../postgres/database.ts';
import { openToys, type ToyNode } from './toys.ts';

const WORKERS = 3;
const KILLS = 20;
const JOBS_A_KILL = 10;
const MINUTE_MS = 60_000;

describeOnPostgres('workers that are killed', () => {
  let toys: Awaited<ReturnType<typeof openToys>>;
  beforeAll(async () => {
    toys = await openToys({ leaseMs: 1000, workMs: 40 });
  });
  afterAll(() => toys.close());

  test('lose no job and do none twice: 200 jobs, 3 workers, 20 times kill -9, clocks a minute apart', async () => {
    const clocks = [0, MINUTE_MS, -MINUTE_MS];
    const start = (n: number) => toys.start({ clockMs: clocks[n] ?? 0 });
    const workers: ToyNode[] = await Promise.all(Array.from({ length: WORKERS }, (_, n) => start(n)));
    const ids: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      for (let n = 0; n < JOBS_A_KILL; n++) {
        ids.push((await toys.queue.enqueue(filmJob(`v${kill} ${n}`))).job.id);
      }
      const victim = await workerWith(workers, ids.slice(-JOBS_A_KILL));
      await workers[victim]?.kill();
      workers[victim] = await start(victim);
    }
    await expect.poll(() => toys.count('job:completed')).toBe(ids.length);
    expect(await toys.store.counts()).toEqual({ pending: 0, running: 0, completed: 200, error: 0, cancelled: 0 });
    for (const id of ids) {
      const lives = [toys.count('job:created', id), toys.count('job:completed', id)];
      expect(lives).toEqual([1, 1]);
    }
    const all = toys.heard.map(({ id }) => id);
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
    const stored = await toys.db.selectFrom('job_event').select('id').orderBy('id').execute();
    expect(all).toEqual(stored.map(({ id }) => id));
  });

  /**
   * Returns a random worker that is running one of these jobs, or was a moment ago. A job that has lost three workers
   * would end in error.
   */
  async function workerWith(workers: readonly ToyNode[], ids: readonly string[]): Promise<number> {
    const isTired = (id: string) => toys.count('job:started', id) > 2;
    const order = workers.map((_, n) => n).sort(() => Math.random() - 0.5);
    const find = () =>
      order.find((n) => {
        const { said, running } = workers[n] as ToyNode;
        return said.some((line) => ids.some((id) => line === `begun ${id}`)) && !running().some(isTired);
      });
    await expect.poll(find, { interval: 5 }).toBeDefined();
    return find() ?? (order[0] as number);
  }
});
