import { expect, test } from 'vitest';
import type { StoragePath } from '../../../src/path.ts';
import { claimNext, type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

export function answering(bench: () => JobStoreBench): void {
  test('the newest job of a variant and of a file', async () => {
    const { store } = bench();
    const path = 'films/a.mp4' as StoragePath;
    await store.add(newJob('small', { path }));
    await store.complete(await claimNext(store));
    const { job: again } = await store.add(newJob('small', { path }));
    const { job: large } = await store.add(newJob('large', { path }));
    expect((await store.newestOfVariant('small'))?.id).toBe(again.id);
    expect((await store.newestOfPath(path))?.id).toBe(large.id);
    expect(await store.newestOfVariant('none')).toBeUndefined();
    expect(await store.newestOfPath('none' as StoragePath)).toBeUndefined();
    expect(await store.find('none')).toBeUndefined();
  });

  test('a list is a page of the jobs, the newest first, with the number of all', async () => {
    const { store } = bench();
    for (const key of ['a', 'b', 'c', 'd']) await store.add(newJob(key));
    await store.complete(await claimNext(store));
    const page = async (offset: number, status?: 'pending' | 'completed') => {
      const { jobs, total } = await store.list({ limit: 2, offset, status });
      return [jobs.map(({ variantKey }) => variantKey).join(), total];
    };
    expect(await page(0)).toEqual(['d,c', 4]);
    expect(await page(3)).toEqual(['a', 4]);
    expect(await page(0, 'pending')).toEqual(['d,c', 3]);
    expect(await page(0, 'completed')).toEqual(['a', 1]);
    expect(await page(9)).toEqual(['', 4]);
  });

  test('a list can be that of one file', async () => {
    const { store } = bench();
    const one = 'a.mp4' as StoragePath;
    const other = 'a.mp4/b.mp4' as StoragePath;
    for (const [key, path] of [
      ['a', one],
      ['b', other],
      ['c', one],
    ] as const)
      await store.add(newJob(key, { path }));
    const keys = async (status?: 'completed') => {
      const { jobs, total } = await store.list({ path: one, status, limit: 10, offset: 0 });
      return [jobs.map(({ variantKey }) => variantKey).join(), total];
    };
    expect(await keys()).toEqual(['c,a', 2]);
    await store.complete(await claimNext(store));
    expect(await keys('completed')).toEqual(['a', 1]);
  });

  test('every state is counted, the empty ones too', async () => {
    const { store } = bench();
    expect(await store.counts()).toEqual({ pending: 0, running: 0, completed: 0, error: 0, cancelled: 0 });
    for (const key of ['a', 'b', 'c', 'd']) await store.add(newJob(key));
    await store.complete(await claimNext(store));
    await store.fail(await claimNext(store), 'broken');
    await claimNext(store);
    expect(await store.counts()).toEqual({ pending: 1, running: 1, completed: 1, error: 1, cancelled: 0 });
  });

  test('the throughput is that of the last hour', async () => {
    const { store, clock } = bench();
    expect(await store.throughput()).toEqual({ completedLastHour: 0, averageDurationMs: undefined });
    for (const duration of [9000, 2000, 4000]) {
      await store.add(newJob(`takes ${duration}`));
      const job = await claimNext(store);
      clock.now += duration === 9000 ? 900 : duration;
      await store.complete(job);
      if (duration === 9000) clock.now += 3_600_000;
    }
    expect(await store.throughput()).toEqual({ completedLastHour: 2, averageDurationMs: 3000 });
  });

  test('the job that has been due for longest has an age, and what is running, over or due later has none', async () => {
    const { store, clock } = bench();
    expect(await store.oldestDueMs()).toBeUndefined();
    await store.add(newJob('a'));
    clock.now += 400;
    await store.add(newJob('b'));
    clock.now += 200;
    expect(await store.oldestDueMs()).toBe(600);
    const a = await claimNext(store);
    expect(await store.oldestDueMs()).toBe(200);
    await store.complete(await claimNext(store));
    expect(await store.oldestDueMs()).toBeUndefined();
    await store.fail(a, 'broken', 5000);
    expect(await store.oldestDueMs()).toBeUndefined();
    clock.now += 5007;
    expect(await store.oldestDueMs()).toBe(7);
    await claimNext(store);
    clock.now += LEASE_MS + 3;
    expect(await store.oldestDueMs()).toBe(3);
  });

  test('says when the next job can be claimed', async () => {
    const { store, clock } = bench();
    expect(await store.nextDueIn()).toBeUndefined();
    await store.add(newJob('a'));
    expect(await store.nextDueIn()).toBe(0);
    const a = await claimNext(store);
    clock.now += 400;
    expect(await store.nextDueIn()).toBe(LEASE_MS - 400);
    await store.fail(a, 'broken', 5000);
    expect(await store.nextDueIn()).toBe(5000);
    clock.now += 6000;
    expect(await store.nextDueIn()).toBe(0);
    await store.complete(await claimNext(store));
    expect(await store.nextDueIn()).toBeUndefined();
  });
}
