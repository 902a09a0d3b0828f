import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { isWithin, parsePath, type StoragePath } from '../../src/path.ts';
import { type Random, seededRandom } from '../fuzz/seeded-random.ts';

export interface ClusterBench {
  /** Nodes of one installation: one, or several. */
  nodes: readonly Cluster[];
  close(): Promise<void>;
}

const nothing = async () => undefined;

/** Tests of every cluster, with one node or several. */
export function clusterContract(name: string, create: () => Promise<ClusterBench>): void {
  describe(`${name} as a cluster`, () => {
    let bench: ClusterBench;
    let first: Cluster;
    beforeAll(async () => {
      bench = await create();
      first = bench.nodes[0] as Cluster;
    });
    afterAll(() => bench.close());

    describe('nodes', () => {
      it('have different names, and know who lives', async () => {
        const names = bench.nodes.map(({ node }) => node);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(await first.isAlive(name)).toBe(true);
        expect(await first.isAlive('a process of yesterday')).toBe(false);
      });

      it('are in touch', () => {
        expect(bench.nodes.map((node) => node.stats().isConnected)).toEqual(bench.nodes.map(() => true));
      });
    });

    describe('the bus', () => {
      it('does not tell a node what it says itself', async () => {
        const heard: unknown[] = [];
        const stop = [
          first.bus.subscribe((message) => heard.push(message)),
          first.bus.onResync(() => heard.push('all')),
        ];
        await first.bus.publish({ kind: 'cleared' });
        await first.bus.publish({ kind: 'original', path: 'a/b.jpg', isFolder: false });
        for (const end of stop) end();
        expect(heard).toEqual([]);
      });
    });

    describe('work that is done once', () => onceContract(() => first));
    describe('the path lock', () => pathLockContract(() => bench.nodes));
  });
}

function onceContract(node: () => Cluster): void {
  it('gives what the work gives', async () => {
    expect(await node().once.run('gives', nothing, async () => 'made')).toBe('made');
  });

  it('throws what the work throws, and is done again', async () => {
    const fail = () => Promise.reject(new Error('no luck'));
    await expect(node().once.run('throws', nothing, fail)).rejects.toThrow('no luck');
    expect(await node().once.run('throws', nothing, async () => 'luck')).toBe('luck');
  });

  it('is not begun for a signal that has aborted', async () => {
    const begun: string[] = [];
    const signal = AbortSignal.abort(new Error('gone'));
    const run = node().once.run('aborted', nothing, async () => begun.push('work'), signal);
    await expect(run).rejects.toThrow('gone');
    expect(begun).toEqual([]);
  });

  it('answers at once, also when others have to wait longer', async () => {
    const stored = Promise.withResolvers<void>();
    const work = async (hold: (until: Promise<unknown>) => void) => {
      hold(stored.promise);
      return 'made';
    };
    expect(await node().once.run('held', nothing, work)).toBe('made');
    stored.resolve();
  });
}

const PATHS = ['', 'a', 'a/b', 'a/b/c.jpg', 'a/d.jpg', 'e', 'e/f.jpg', 'ab'].map(parsePath);

function pathLockContract(nodes: () => readonly Cluster[]): void {
  it('gives what the work gives, and throws what it throws', async () => {
    const { lock } = nodes()[0] as Cluster;
    expect(await lock.run([parsePath('a')], async () => 1)).toBe(1);
    const fail = () => Promise.reject(new Error('no luck'));
    await expect(lock.run([parsePath('a')], fail)).rejects.toThrow('no luck');
    expect(await lock.run([parsePath('a')], async () => 2)).toBe(2);
  });

  it('lets nobody inside who would touch the same things, and nobody waits for ever', async () => {
    const inside = new Set<readonly StoragePath[]>();
    const violations: unknown[] = [];
    let sections = 0;
    async function enter(paths: readonly StoragePath[], random: Random): Promise<void> {
      for (const others of inside) if (conflict(paths, others)) violations.push([paths, others]);
      inside.add(paths);
      for (let turns = random.below(5); turns > 0; turns--) await turn();
      inside.delete(paths);
      sections++;
    }
    const visitors = Array.from({ length: 16 }, async (_, index) => {
      const { lock } = nodes()[index % nodes().length] as Cluster;
      const random = seededRandom(index);
      for (let visit = 0; visit < 30; visit++) {
        const paths = [random.pick(PATHS), ...(random.below(3) === 0 ? [random.pick(PATHS)] : [])];
        await lock.run(paths, () => enter(paths, random));
      }
    });
    await Promise.all(visitors);
    expect(violations).toEqual([]);
    expect(sections).toBe(480);
  });
}

function conflict(some: readonly StoragePath[], others: readonly StoragePath[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)));
}
