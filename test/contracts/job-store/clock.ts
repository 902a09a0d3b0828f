import { expect, test } from 'vitest';
import { claimNext, type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

const TWO_DAYS_MS = 172_800_000;

export function timing(bench: () => JobStoreBench): void {
  test('a job waits for no clock that was set back', async () => {
    const { store, clock } = bench();
    await store.add(newJob('failed'));
    await store.fail(await claimNext(store), 'broken', 2000);
    await store.add(newJob('new'));
    clock.now -= TWO_DAYS_MS;
    await store.add(newJob('newer'));
    const keys = [await claimNext(store), await claimNext(store), await claimNext(store)];
    expect(keys.map(({ variantKey }) => variantKey).sort()).toEqual(['failed', 'new', 'newer']);
  });

  test('a lease from before the clock was set back ends when a lease from now would', async () => {
    const { store, other, clock } = bench();
    await store.add(newJob('lost'));
    await store.add(newJob('alive'));
    const lost = await claimNext(store);
    const alive = await claimNext(store);
    clock.now -= TWO_DAYS_MS;
    await other.shortenLeases(LEASE_MS);
    expect(await other.claim(LEASE_MS, 1)).toEqual([]);
    clock.now += LEASE_MS;
    expect(await store.renew(alive, LEASE_MS)).toBe(true);
    clock.now += 1;
    expect((await claimNext(other)).id).toBe(lost.id);
    expect(await other.claim(LEASE_MS, 1)).toEqual([]);
  });

  test('a lease that ends in time is not made shorter', async () => {
    const { store, other, clock } = bench();
    await store.add(newJob('a'));
    await claimNext(store);
    clock.now += LEASE_MS / 2;
    await other.shortenLeases(LEASE_MS);
    clock.now += LEASE_MS / 2;
    expect(await other.claim(LEASE_MS, 1)).toEqual([]);
    clock.now += 1;
    expect(await other.claim(LEASE_MS, 1)).toHaveLength(1);
  });

  test('what ended before the clock was set back is forgotten as well, and took no time less than none', async () => {
    const { store, clock } = bench();
    await store.add(newJob('ahead'));
    await store.complete(await claimNext(store));
    await store.add(newJob('between'));
    const job = await claimNext(store);
    clock.now -= TWO_DAYS_MS;
    await store.complete(job);
    expect((await store.throughput()).averageDurationMs).toBe(0);
    expect(await store.removeFinished(3_600_000)).toBe(1);
    expect(await store.newestOfVariant('ahead')).toBeUndefined();
    expect(await store.newestOfVariant('between')).toBeDefined();
  });
}
