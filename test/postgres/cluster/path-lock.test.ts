import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { HttpProblem } from '../../../src/errors.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { join, terminate, waitingLocks } from './nodes.ts';

describeOnPostgres('the path lock of several nodes', () => {
  let url: string;
  let nodes: Cluster[];
  let [one, two]: Cluster[] = [];
  beforeAll(async () => {
    url = await newDatabase();
    nodes = await join(url, 2, { lockWaitMs: 300 });
    [one, two] = nodes;
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });
  let [patient, other]: Cluster[] = [];
  beforeAll(async () => {
    [patient, other] = await join(url, 2);
    nodes.push(...([patient, other] as Cluster[]));
  });

  const caught = (work: Promise<unknown> | undefined) => work?.catch((error: unknown) => error as HttpProblem);

  it.each<[string, string, string]>([
    ['the same path', 'a/b', 'a/b'],
    ['what is in a folder', 'a', 'a/b/c'],
    ['a folder of what is in it', 'a/b/c', 'a'],
    ['anything, for the root', '', 'a/b'],
    ['the root, for anything', 'a/b', ''],
  ])('refuses %s after a while, and says when to come back', async (_what, held, wanted) => {
    const work = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const holding = one?.lock.run([parsePath(held)], () => {
      begun.resolve();
      return work.promise;
    });
    await begun.promise;
    const refused = await caught(two?.lock.run([parsePath(wanted)], async () => 'inside'));
    work.resolve('done');
    expect(refused).toBeInstanceOf(HttpProblem);
    expect(refused).toMatchObject({ status: 503, code: 'overloaded', headers: { 'Retry-After': '5' } });
    expect(await holding).toBe('done');
    expect(await two?.lock.run([parsePath(wanted)], async () => 'inside')).toBe('inside');
  });

  it.each([
    ['neighbours', 'a/b', 'a/c'],
    ['names that begin alike', 'a', 'ab/c'],
  ])('lets %s in together', async (_what, held, wanted) => {
    const inside = one?.lock.run([parsePath(held)], async () => {
      return two?.lock.run([parsePath(wanted)], async () => 'both');
    });
    expect(await inside).toBe('both');
  });

  it('lets in as many at once as have nothing to do with each other', async () => {
    const all = Promise.withResolvers<void>();
    let inside = 0;
    const enter = () => {
      if (++inside === 100) all.resolve();
      return all.promise;
    };
    await Promise.all(Array.from({ length: 100 }, (_, n) => one?.lock.run([parsePath(`folder/${n}`)], enter)));
    expect(inside).toBe(100);
  });

  it('lets nobody overtake who waits for a folder', async () => {
    const order: string[] = [];
    const work = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = patient?.lock.run([parsePath('a/b')], () => {
      begun.resolve();
      return work.promise;
    });
    await begun.promise;
    const folder = other?.lock.run([parsePath('a')], async () => order.push('folder'));
    await expect.poll(() => waitingLocks(url)).toBe(1);
    const late = patient?.lock.run([parsePath('a/c')], async () => order.push('late'));
    await expect.poll(() => waitingLocks(url)).toBe(2);
    work.resolve();
    await Promise.all([first, folder, late]);
    expect(order).toEqual(['folder', 'late']);
  });

  it.each(['darkroom session', 'darkroom locks'])('lets work end whose %s was lost', async (connection) => {
    const inside = one?.lock.run([parsePath('a/b')], async () => {
      // This one must wait, and gets its lock in a transaction.
      const behind = patient?.lock.run([parsePath('a')], async () => {
        await terminate(url, connection);
        return 'behind';
      });
      await expect.poll(() => waitingLocks(url)).toBe(1);
      return { behind };
    });
    expect(await (await inside)?.behind).toBe('behind');
    expect(await patient?.lock.run([parsePath('a')], async () => 'again')).toBe('again');
    await expect.poll(() => one?.stats().isConnected).toBe(true);
    expect(await one?.lock.run([parsePath('a')], async () => 'again')).toBe('again');
  });
});
