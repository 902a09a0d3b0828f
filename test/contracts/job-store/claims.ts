import { expect, test } from 'vitest';
import type { ClaimedJob } from '../../../src/jobs/job.ts';
import type { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import type { StoragePath } from '../../../src/path.ts';
import { claimNext, type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

/** Adds a job for the rendition of each height; its key is the height. */
async function addLadder(store: SqlJobStore, heights: readonly number[]): Promise<void> {
  const path = 'films/ladder.mp4' as StoragePath;
  for (const height of heights) {
    await store.add(newJob(String(height), { path, transformation: `h_${height},f_cmaf` }));
  }
}

export function claiming(bench: () => JobStoreBench): void {
  test('a new job is pending, with all that is needed to run it after a restart', async () => {
    const { store, other, clock } = bench();
    const { job, isNew } = await store.add(newJob('a', { priority: 3 }));
    expect(isNew).toBe(true);
    const { client: _, ...wanted } = newJob('a', { priority: 3 });
    expect(job).toEqual({
      ...wanted,
      id: expect.any(String),
      space: '',
      status: 'pending',
      progress: 0,
      attempts: 0,
      createdAt: new Date(clock.now),
      startedAt: undefined,
      completedAt: undefined,
      error: undefined,
    });
    expect(await other.find(job.id)).toEqual(job);
  });

  test('a variant has one job, however many ask, and the highest priority that was asked for', async () => {
    const { store, other } = bench();
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).add(newJob('a', { priority: n === 7 ? 2 : 3 }))),
    );
    expect(added.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(added.map(({ job }) => job.id)).size).toBe(1);
    expect((await store.find(added[0]?.job.id ?? ''))?.priority).toBe(2);
  });

  test('a job in error or cancelled stands in the way of a new one, a completed job does not', async () => {
    const { store } = bench();
    const { job } = await store.add(newJob('a'));
    await store.cancel(job.id);
    expect(await store.add(newJob('a'))).toMatchObject({ isNew: false, job: { id: job.id, status: 'cancelled' } });
    await store.add(newJob('b'));
    const claimed = await claimNext(store);
    await store.fail(claimed, 'broken');
    expect(await store.add(newJob('b'))).toMatchObject({ isNew: false, job: { id: claimed.id, status: 'error' } });
    await store.add(newJob('c'));
    await store.complete(await claimNext(store));
    expect((await store.add(newJob('c'))).isNew).toBe(true);
  });

  test('the next job is the one of the highest priority, then the oldest', async () => {
    const { store } = bench();
    await store.add(newJob('old upload', { priority: 3 }));
    await store.add(newJob('visitor'));
    await store.add(newJob('second visitor'));
    await store.add(newJob('raised', { priority: 3 }));
    await store.add(newJob('raised', { priority: 2 }));
    const order: string[] = [];
    for (let n = 0; n < 4; n++) order.push((await claimNext(store)).variantKey);
    expect(order).toEqual(['visitor', 'second visitor', 'raised', 'old upload']);
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
  });

  test('the first rendition of a ladder is claimed alone, then all others with one lease', async () => {
    const { store } = bench();
    await addLadder(store, [360, 540, 720, 1080]);
    const [first, ...more] = await store.claim(LEASE_MS, 1);
    expect([first?.variantKey, more]).toEqual(['360', []]);
    // Also while the first is still running, and although there is capacity for one claim only.
    const others = await store.claim(LEASE_MS, 1);
    expect(others.map(({ variantKey }) => variantKey)).toEqual(['540', '720', '1080']);
    expect(new Set(others.map(({ lease }) => lease)).size).toBe(1);
    expect(others[0]?.lease).not.toBe(first?.lease);
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
  });

  test('each job of a claim ends on its own', async () => {
    const { store } = bench();
    await addLadder(store, [360, 540, 720]);
    await claimNext(store);
    const [one, other] = (await store.claim(LEASE_MS, 1)) as [ClaimedJob, ClaimedJob];
    expect(await store.renew(one, LEASE_MS, 40)).toBe(true);
    expect(await store.complete(one)).toMatchObject({ variantKey: '540', status: 'completed' });
    expect(await store.find(other.id)).toMatchObject({ status: 'running', progress: 0 });
    expect(await store.fail(other, 'broken')).toMatchObject({ variantKey: '720', status: 'error' });
  });

  test('a job that has failed or lost its lease is claimed alone', async () => {
    const { store, clock } = bench();
    await addLadder(store, [360, 540, 720, 1080]);
    await claimNext(store);
    const [failed, ...others] = await store.claim(LEASE_MS, 1);
    await store.fail(failed as ClaimedJob, 'broken', 1);
    await store.release(others[0] as ClaimedJob);
    clock.now += LEASE_MS + 1;
    const claims = [];
    for (let n = 0; n < 4; n++) claims.push((await store.claim(LEASE_MS, 1)).map(({ variantKey }) => variantKey));
    expect(claims.toSorted()).toEqual([['1080'], ['360'], ['540'], ['720']]);
  });

  test('a ladder that is made again, because its files are gone, begins with its first rendition alone', async () => {
    const { store } = bench();
    const heights = [360, 540, 720];
    await addLadder(store, heights);
    for (let n = 0; n < 2; n++) for (const job of await store.claim(LEASE_MS, 1)) await store.complete(job);
    await addLadder(store, heights);
    const claims = [];
    for (let n = 0; n < 2; n++) claims.push((await store.claim(LEASE_MS, 1)).map(({ variantKey }) => variantKey));
    expect(claims).toEqual([['360'], ['540', '720']]);
  });

  test('jobs of another ladder, video, version or priority are claimed apart', async () => {
    const { store } = bench();
    const path = 'films/a.mp4' as StoragePath;
    await store.add(newJob('first', { path, transformation: 'h_360,f_cmaf' }));
    await store.complete(await claimNext(store));
    await store.add(newJob('leader', { path, transformation: 'h_540,f_cmaf' }));
    await store.add(newJob('quality', { path, transformation: 'h_720,q_50,f_cmaf' }));
    await store.add(newJob('audio', { path, transformation: 'au_aac,f_cmaf' }));
    await store.add(newJob('file', { path, transformation: 'h_720' }));
    await store.add(newJob('other film', { transformation: 'h_720,f_cmaf' }));
    await store.add(newJob('other version', { path, transformation: 'h_720,f_cmaf', version: 'etag-2' }));
    await store.add(newJob('upload', { path, transformation: 'h_1080,f_cmaf', priority: 3 }));
    for (let n = 0; n < 7; n++) expect(await store.claim(LEASE_MS, 1)).toHaveLength(1);
  });

  test('one claim has at most ten jobs', async () => {
    const { store } = bench();
    await addLadder(
      store,
      Array.from({ length: 24 }, (_, n) => 100 + n),
    );
    const counts = [];
    for (let n = 0; n < 4; n++) counts.push((await store.claim(LEASE_MS, 1)).length);
    expect(counts).toEqual([1, 10, 10, 3]);
  });

  test('jobs that are added together are seen together, each within the limits', async () => {
    const { store } = bench();
    const jobs = ['a', 'b', 'c'].map((key) => newJob(key, { client: 'somebody' }));
    await store.add(newJob('b', { client: 'somebody' }));
    const added = await store.addAll(jobs, { pending: 10, reserved: 0, ofClient: 2 });
    expect(added).toMatchObject([
      { isNew: true, job: { variantKey: 'a' } },
      { isNew: false, job: { variantKey: 'b' } },
      { refusal: 'ofClient' },
    ]);
  });

  test('a claimed job is running, since now', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    clock.now += 5000;
    expect(await claimNext(store)).toMatchObject({ status: 'running', startedAt: new Date(clock.now), progress: 0 });
  });

  test('two workers never get the same job', async () => {
    const { store, other } = bench();
    for (let n = 0; n < 50; n++) await store.add(newJob(`v${n}`));
    const claims = await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 ? store : other).claim(LEASE_MS, 1)));
    const ids = claims.flat().map(({ id }) => id);
    expect(ids).toHaveLength(50);
    expect(new Set(ids).size).toBe(50);
  });

  test('a lease that is renewed holds, one that ran out is taken over', async () => {
    const { store, other, clock } = bench();
    await store.add(newJob('a'));
    const first = await claimNext(store);
    clock.now += LEASE_MS;
    expect(await store.renew(first, LEASE_MS)).toBe(true);
    clock.now += LEASE_MS;
    expect(await other.claim(LEASE_MS, 1)).toEqual([]);
    clock.now += 1;
    const second = await claimNext(other);
    expect(second).toMatchObject({ id: first.id, status: 'running', attempts: 0 });
    expect(second.lease).not.toBe(first.lease);
  });

  test('who lost the lease changes nothing any more', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    const lost = await claimNext(store);
    clock.now += LEASE_MS + 1;
    const current = await claimNext(store);
    expect(await store.renew(lost, LEASE_MS, 50)).toBe(false);
    expect(await store.complete(lost)).toBeUndefined();
    expect(await store.fail(lost, 'late')).toBeUndefined();
    expect(await store.release(lost)).toBeUndefined();
    expect(await store.find(current.id)).toMatchObject({ status: 'running', progress: 0 });
    expect(await store.complete(current)).toMatchObject({ status: 'completed' });
  });

  test('a job that keeps losing its lease ends in error', async () => {
    const { store, clock } = bench();
    await store.add(newJob('a'));
    for (let loss = 0; loss < 3; loss++) {
      await claimNext(store);
      clock.now += LEASE_MS + 1;
      expect(await store.failLost(2, 'it kills us')).toHaveLength(loss < 2 ? 0 : 1);
    }
    expect(await store.claim(LEASE_MS, 1)).toEqual([]);
    expect(await store.newestOfVariant('a')).toMatchObject({ status: 'error', error: 'it kills us' });
  });
}
