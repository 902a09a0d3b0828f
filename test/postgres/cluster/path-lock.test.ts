import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { HttpProblem } from '../../../src/errors.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { join, terminate } from './nodes.ts';

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

  it('lets work end whose connection was lost', async () => {
    const work = one?.lock.run([parsePath('a')], async () => {
      await terminate(url, 'darkroom locks');
      return 'done';
    });
    expect(await work).toBe('done');
    expect(await one?.lock.run([parsePath('a')], async () => 'again')).toBe('again');
  });
});
