import { expect, test } from 'vitest';
import { type Client, TRUSTED } from '../../../src/client.ts';
import type { ClaimedJob } from '../../../src/jobs/job.ts';
import type { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import { claimNext, type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

const MANY = Number.MAX_SAFE_INTEGER;

/** Adds jobs of a client, named after it. */
async function addJobs(store: SqlJobStore, client: Client, count: number, priority = 2): Promise<void> {
  const name = client === TRUSTED ? 'owner' : client;
  for (let n = 1; n <= count; n++) await store.add(newJob(`${name} ${n}`, { client, priority }));
}

export function sharing(bench: () => JobStoreBench): void {
  test('those who ask are served in turn, however many jobs one of them has', async () => {
    const { store } = bench();
    await addJobs(store, 'a', 6);
    await addJobs(store, 'b', 2);
    const order: string[] = [];
    const serve = async () => {
      const job = await claimNext(store);
      order.push(job.variantKey);
      await store.complete(job);
    };
    for (let n = 0; n < 3; n++) await serve();
    await addJobs(store, 'c', 2);
    for (let n = 0; n < 7; n++) await serve();
    expect(order).toEqual(['a 1', 'b 1', 'a 2', 'c 1', 'b 2', 'a 3', 'c 2', 'a 4', 'a 5', 'a 6']);
  });

  test('who has fewer jobs running goes first', async () => {
    const { store } = bench();
    await addJobs(store, 'a', 4);
    await addJobs(store, 'b', 3);
    const running = [await claimNext(store), await claimNext(store), await claimNext(store), await claimNext(store)];
    expect(running.map(({ variantKey }) => variantKey)).toEqual(['a 1', 'b 1', 'a 2', 'b 2']);
    await store.complete(running[0] as (typeof running)[0]);
    await store.complete(running[2] as (typeof running)[0]);
    expect((await claimNext(store)).variantKey).toBe('a 3');
    expect((await claimNext(store)).variantKey).toBe('a 4');
    expect((await claimNext(store)).variantKey).toBe('b 3');
  });

  test('many jobs are handed out at once as they would be one after the other', async () => {
    const { store, other } = bench();
    await addJobs(store, 'a', 6);
    await addJobs(store, 'b', 2);
    await addJobs(store, 'urgent', 1, 1);
    const several = await store.claim(LEASE_MS, 4);
    expect(several.map(({ variantKey }) => variantKey)).toEqual(['urgent 1', 'a 1', 'b 1', 'a 2']);
    const [first] = several;
    expect(await store.complete(first as ClaimedJob)).toMatchObject({ status: 'completed' });
    expect((await other.claim(LEASE_MS, 10)).map(({ variantKey }) => variantKey)).toEqual([
      'b 2',
      'a 3',
      'a 4',
      'a 5',
      'a 6',
    ]);
    expect(await other.claim(LEASE_MS, 10)).toEqual([]);
  });

  test('it stays fair when several claim at the same moment', async () => {
    const { store, other } = bench();
    await addJobs(store, 'a', 8);
    for (const client of ['b', 'c', 'd']) await addJobs(store, client, 1);
    const claims = await Promise.all(Array.from({ length: 4 }, (_, n) => (n % 2 ? store : other).claim(LEASE_MS, 1)));
    expect(
      claims
        .flat()
        .map(({ variantKey }) => variantKey)
        .sort(),
    ).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
  });

  test('jobs that fail, are put off or given back were served too', async () => {
    const { store } = bench();
    await addJobs(store, 'a', 6);
    const order: string[] = [];
    const ends = [
      (job: Awaited<ReturnType<typeof claimNext>>) => store.fail(job, 'broken', 60_000),
      (job: Awaited<ReturnType<typeof claimNext>>) => store.defer(job, 'no room', 60_000),
      (job: Awaited<ReturnType<typeof claimNext>>) => store.fail(job, 'broken'),
    ];
    for (const end of ends) await end(await claimNext(store));
    await addJobs(store, 'b', 2);
    for (let n = 0; n < 4; n++) {
      const job = await claimNext(store);
      order.push(job.variantKey);
      await store.complete(job);
    }
    expect(order).toEqual(['b 1', 'a 4', 'b 2', 'a 5']);
  });

  test('whoever needs no bound shares a turn; priority goes before all turns', async () => {
    const { store } = bench();
    await addJobs(store, TRUSTED, 2, 3);
    await addJobs(store, 'a', 2, 3);
    await addJobs(store, 'a visitor', 2, 2);
    const order: string[] = [];
    for (let n = 0; n < 6; n++) {
      const job = await claimNext(store);
      order.push(job.variantKey);
      await store.complete(job);
    }
    expect(order).toEqual(['a visitor 1', 'a visitor 2', 'owner 1', 'a 1', 'owner 2', 'a 2']);
  });

  test('one more pending job than the limits allow is refused, until one is claimed', async () => {
    const { store, other } = bench();
    const limits = { pending: 3, reserved: 0, ofClient: MANY };
    for (const [key, client] of [
      ['v1', TRUSTED],
      ['v2', 'a'],
      ['v3', 'b'],
    ] as const) {
      expect(await store.add(newJob(key, { client }), limits)).toMatchObject({ isNew: true });
    }
    expect(await other.add(newJob('v4', { client: 'c' }), limits)).toEqual({ refusal: 'pending' });
    expect(await other.add(newJob('v4'), limits)).toEqual({ refusal: 'pending' });
    await claimNext(store);
    expect(await other.add(newJob('v4', { client: 'c' }), limits)).toMatchObject({ isNew: true });
    expect(await store.newestOfVariant('v4')).toMatchObject({ status: 'pending' });
  });

  test('anonymous clients together leave the reserved share of the queue to trusted ones', async () => {
    const { store, other } = bench();
    const limits = { pending: 10, reserved: 3, ofClient: MANY };
    const add = (key: string, client: Client = TRUSTED) => other.add(newJob(key, { client }), limits);
    for (let n = 1; n <= 7; n++) expect(await add(`a ${n}`, `a ${n}`)).toMatchObject({ isNew: true });
    expect(await add('b', 'b')).toEqual({ refusal: 'reserved' });
    for (let n = 1; n <= 3; n++) expect(await add(`owner ${n}`)).toMatchObject({ isNew: true });
    expect(await add('owner 4')).toEqual({ refusal: 'pending' });
    expect(await add('b', 'b')).toEqual({ refusal: 'pending' });
    expect(await add('a 1', 'b')).toMatchObject({ isNew: false });
    await claimNext(store);
    expect(await add('b', 'b')).toMatchObject({ isNew: true });
  });

  test('trusted clients have the reserved share even where others have more than theirs', async () => {
    const { store } = bench();
    for (let n = 1; n <= 12; n++) await store.add(newJob(`a ${n}`, { client: 'a' }));
    const limits = { pending: 10, reserved: 2, ofClient: MANY };
    const add = (key: string) => store.add(newJob(key), limits);
    expect([await add('owner 1'), await add('owner 2')]).toMatchObject([{ isNew: true }, { isNew: true }]);
    expect(await add('owner 3')).toEqual({ refusal: 'pending' });
  });

  test('trusted clients may fill the whole queue', async () => {
    const { store } = bench();
    const limits = { pending: 4, reserved: 1, ofClient: MANY };
    for (let n = 1; n <= 4; n++) expect(await store.add(newJob(`${n}`), limits)).toMatchObject({ isNew: true });
    expect(await store.add(newJob('a', { client: 'a' }), limits)).toEqual({ refusal: 'pending' });
  });

  test('an anonymous client has one place even where all of them are reserved', async () => {
    const { store } = bench();
    const limits = { pending: 1, reserved: 1, ofClient: MANY };
    expect(await store.add(newJob('a', { client: 'a' }), limits)).toMatchObject({ isNew: true });
    expect(await store.add(newJob('owner'), limits)).toMatchObject({ isNew: true });
    expect(await store.add(newJob('b', { client: 'b' }), limits)).toEqual({ refusal: 'pending' });
  });

  test('jobs of anonymous clients that are added at the same moment leave the reserved share too', async () => {
    const { store, other } = bench();
    const limits = { pending: 10, reserved: 2, ofClient: MANY };
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).add(newJob(`v${n}`, { client: `client ${n}` }), limits),
      ),
    );
    expect(added.filter((result) => 'job' in result)).toHaveLength(8);
  });

  test('a client may have only so many jobs, pending and running, and others have theirs', async () => {
    const { store } = bench();
    const limits = { pending: MANY, reserved: 0, ofClient: 2 };
    const add = (key: string, client: Client = TRUSTED) => store.add(newJob(key, { client }), limits);
    await add('a 1', 'a');
    const running = await claimNext(store);
    await add('a 2', 'a');
    expect(await add('a 3', 'a')).toEqual({ refusal: 'ofClient' });
    expect(await add('b 1', 'b')).toMatchObject({ isNew: true });
    for (let n = 1; n <= 5; n++) expect(await add(`owner ${n}`)).toMatchObject({ isNew: true });
    await store.complete(running);
    expect(await add('a 3', 'a')).toMatchObject({ isNew: true });
  });

  test('a job that is there already counts against no limit', async () => {
    const { store } = bench();
    const { job } = await store.add(newJob('a', { client: 'a', priority: 3 }));
    const full = { pending: 0, reserved: 0, ofClient: 0 };
    const again = await store.add(newJob('a', { client: 'b', priority: 2 }), full);
    expect(again).toMatchObject({ isNew: false, job: { id: job.id, priority: 2 } });
    await store.cancel(job.id);
    expect(await store.add(newJob('a', { client: 'a' }), full)).toMatchObject({ isNew: false });
  });
}
