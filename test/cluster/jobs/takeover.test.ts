import { afterEach, expect, test } from 'vitest';
import { filmJob } from '../../job-queue.ts';
import { describeOnPostgres } from '../../postgres/database.ts';
import { openToys } from './toys.ts';

const MINUTE_MS = 60_000;

describeOnPostgres('a job that changes hands', () => {
  let toys: Awaited<ReturnType<typeof openToys>>;
  afterEach(() => toys.close());

  test('is taken from a worker that is frozen for longer than its lease, whose late result is refused', async () => {
    toys = await openToys({ leaseMs: 1000 });
    const frozen = await toys.start();
    const { job } = await toys.queue.enqueue(filmJob('a'));
    await expect.poll(() => frozen.running()).toEqual([job.id]);
    await expect.poll(() => toys.count('job:started', job.id)).toBe(1);
    frozen.child.kill('SIGSTOP');
    const other = await toys.start({ workMs: 0 });
    await expect.poll(() => toys.count('job:completed', job.id)).toBe(1);
    await expect.poll(() => other.said).toContain(`completed ${job.id}`);
    frozen.finish();
    frozen.child.kill('SIGCONT');
    await expect.poll(() => frozen.said).toContain(`refused ${job.id}`);
    expect(await toys.store.find(job.id)).toMatchObject({ status: 'completed', attempts: 0 });
    expect([toys.count('job:started', job.id), toys.count('job:completed', job.id)]).toEqual([2, 1]);
  });

  test('does not do so because the clocks of the machines differ', async () => {
    toys = await openToys({ leaseMs: 30_000, workMs: 200 });
    await Promise.all([0, MINUTE_MS, -MINUTE_MS].map((clockMs) => toys.start({ clockMs })));
    const added = await Promise.all(Array.from({ length: 18 }, (_, n) => toys.queue.enqueue(filmJob(`v${n}`))));
    await expect.poll(() => toys.count('job:completed')).toBe(added.length);
    expect(toys.count('job:started')).toBe(added.length);
    expect(toys.count('job:error')).toBe(0);
  });
});
