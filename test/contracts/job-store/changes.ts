import { expect, test } from 'vitest';
import type { StoragePath } from '../../../src/path.ts';
import { claimNext, type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

export function changing(bench: () => JobStoreBench): void {
  test('progress rises and never falls', async () => {
    const { store } = bench();
    await store.add(newJob('a'));
    const job = await claimNext(store);
    const seen: (number | undefined)[] = [];
    for (const percent of [10, 40, 30, undefined, 55]) {
      await store.renew(job, LEASE_MS, percent);
      seen.push((await store.find(job.id))?.progress);
    }
    expect(seen).toEqual([10, 40, 40, 40, 55]);
  });

  test('a completed job is at 100 and knows when it ended', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    const job = await claimNext(store);
    clock.now += 4000;
    const done = await store.complete(job);
    expect(done).toMatchObject({
      status: 'completed',
      progress: 100,
      completedAt: new Date(clock.now),
      error: undefined,
    });
    expect(await store.complete(job)).toBeUndefined();
  });

  test('a failed attempt with a delay waits for its time, then counts', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    const failed = await store.fail(await claimNext(store), 'broken', 2000);
    expect(failed).toMatchObject({
      status: 'pending',
      attempts: 1,
      progress: 0,
      startedAt: undefined,
      error: undefined,
    });
    clock.now += 1999;
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
    clock.now += 1;
    expect(await claimNext(store)).toMatchObject({ attempts: 1 });
  });

  test('without a delay it ends in error and says why', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    const failed = await store.fail(await claimNext(store), 'broken');
    expect(failed).toMatchObject({ status: 'error', attempts: 1, error: 'broken', completedAt: new Date(clock.now) });
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
  });

  test('a reason loses U+0000, which not every database can keep', async () => {
    const { store } = bench();
    await store.add(newJob('a'));
    const defer = await store.defer(await claimNext(store), 'no\0 room', 0);
    expect(defer?.trouble).toBe('no room');
    expect((await store.fail(await claimNext(store), 'bro\0ken'))?.error).toBe('broken');
  });

  test('a job that is put off is pending, says what is to blame, and is due in a while; no attempt is counted', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    const job = await claimNext(store);
    await store.renew(job, LEASE_MS, 60);
    expect(await store.defer(job, 'no room on the disk', 2000)).toMatchObject({
      status: 'pending',
      attempts: 0,
      progress: 0,
      startedAt: undefined,
      completedAt: undefined,
      error: undefined,
      trouble: 'no room on the disk',
    });
    expect(await store.defer(job, 'again', 2000)).toBeUndefined();
    clock.now += 1999;
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
    clock.now += 1;
    const again = await claimNext(store);
    expect(again).toMatchObject({ id: job.id, attempts: 0, trouble: undefined });
    await store.defer(again, 'no room on the disk', 2000);
    expect(await store.cancel(job.id)).toMatchObject({ status: 'cancelled', trouble: undefined });
  });

  test('a released job is pending at once, and nothing is counted', async () => {
    const { store } = bench();
    await store.add(newJob('a'));
    const job = await claimNext(store);
    await store.renew(job, LEASE_MS, 60);
    expect(await store.release(job)).toMatchObject({
      status: 'pending',
      attempts: 0,
      progress: 0,
      startedAt: undefined,
    });
    expect((await claimNext(store)).id).toBe(job.id);
  });

  test('only a pending job is cancelled', async () => {
    const { store } = bench();
    const { job } = await store.add(newJob('a'));
    expect(await store.cancel(job.id)).toMatchObject({ status: 'cancelled' });
    expect(await store.cancel(job.id)).toBeUndefined();
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
    await store.add(newJob('b'));
    const running = await claimNext(store);
    expect(await store.cancel(running.id)).toBeUndefined();
    expect(await store.find(running.id)).toMatchObject({ status: 'running' });
    expect(await store.cancel('unknown')).toBeUndefined();
  });

  test('only a job in error is retried, from the beginning', async () => {
    const { store } = bench();
    const { job } = await store.add(newJob('a'));
    expect(await store.retry(job.id)).toBeUndefined();
    await store.fail(await claimNext(store), 'broken');
    const fresh = {
      status: 'pending',
      attempts: 0,
      progress: 0,
      error: undefined,
      startedAt: undefined,
      completedAt: undefined,
    };
    expect(await store.retry(job.id)).toMatchObject(fresh);
    expect((await claimNext(store)).id).toBe(job.id);
  });

  test('a job is removed in any state, and its worker learns of it', async () => {
    const { store, other } = bench();
    await store.add(newJob('a'));
    const job = await claimNext(store);
    expect(await other.remove(job.id)).toMatchObject({ id: job.id });
    expect(await other.remove(job.id)).toBeUndefined();
    expect(await store.renew(job, LEASE_MS)).toBe(false);
    expect(await store.find(job.id)).toBeUndefined();
  });

  test('the jobs of a file go with it, those of a folder too, and no others', async () => {
    const { store } = bench();
    const paths = [
      'films/ä/one.mp4',
      'films/ä/b/two.mp4',
      'films/äx/three.mp4',
      'films/ä',
      'films%ä/four.mp4',
      '🎬/a.mp4',
      '🎬b/c.mp4',
    ];
    for (const [n, path] of paths.entries()) await store.add(newJob(`v${n}`, { path: path as StoragePath }));
    const remove = async (path: string) =>
      (await store.removeWithin(path as StoragePath)).map((job) => job.path).sort();
    expect(await remove('films/ä')).toEqual(['films/ä', 'films/ä/b/two.mp4', 'films/ä/one.mp4']);
    expect(await remove('🎬')).toEqual(['🎬/a.mp4']);
    expect(await remove('films/äx/three.mp4')).toEqual(['films/äx/three.mp4']);
    expect(await remove('')).toHaveLength(2);
  });

  test('what ended long ago is forgotten, what has not ended is not', async () => {
    const { store, clock } = bench();
    for (const key of ['completed', 'error', 'running', 'pending']) await store.add(newJob(key));
    await store.complete(await claimNext(store));
    await store.fail(await claimNext(store), 'broken');
    await claimNext(store);
    clock.now += 3_600_000;
    const { job } = await store.add(newJob('cancelled'));
    await store.cancel(job.id);
    clock.now += 1;
    expect(await store.removeFinished(3_600_000)).toBe(2);
    const { jobs } = await store.list({ limit: 50, offset: 0 });
    expect(jobs.map(({ variantKey }) => variantKey)).toEqual(['cancelled', 'pending', 'running']);
  });
}
