import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { hears, join, resyncs, startHolder, terminate } from './nodes.ts';

const nothing = async () => undefined;

/** A store in which all nodes find the results of any node. */
function shelf() {
  const made: string[] = [];
  let looks = 0;
  return {
    made,
    looks: () => looks,
    find: async () => {
      looks++;
      return made[0];
    },
    make: (name: string) => async () => {
      await new Promise(setImmediate);
      made.push(name);
      return name;
    },
  };
}

/** Lets a node begin work, which ends when the test decides. */
async function begin(node: Cluster | undefined, key: string, signal?: AbortSignal) {
  const begun = Promise.withResolvers<void>();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = () => {
    begun.resolve();
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise;
  };
  const result = node?.once.run(key, nothing, work, signal);
  await begun.promise;
  return { result, resolve, reject };
}

describeOnPostgres('work that several nodes do once', () => {
  let url: string;
  let nodes: Cluster[];
  let [one, two]: Cluster[] = [];
  beforeAll(async () => {
    url = await newDatabase();
    nodes = await join(url, 4, { onceWaitMs: 120_000 });
    [one, two] = nodes;
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });

  it('is done by one of them, and all get the same', async () => {
    const { made, find, make } = shelf();
    const runs = Array.from({ length: 50 }, (_, n) => nodes[n % 4]?.once.run('stampede', find, make(`by run ${n}`)));
    const results = await Promise.all(runs);
    expect(made).toHaveLength(1);
    expect(new Set(results)).toEqual(new Set(made));
  });

  it('costs no look when nobody else has worked', async () => {
    const { looks, find, make } = shelf();
    await one?.once.run('alone', find, make('one'));
    expect(looks()).toBe(0);
  });

  it('is not done again by a node that asks a moment later', async () => {
    const { find, make, made } = shelf();
    await one?.once.run('a moment later', find, make('one'));
    await expect.poll(() => two?.once.run('a moment later', find, make('two'))).toBe('one');
    expect(made).toEqual(['one']);
  });

  it('is found by others when it is stored, while the first client has its answer', async () => {
    const { made, find } = shelf();
    const stored = Promise.withResolvers<void>();
    const first = await one?.once.run('behind', find, async (hold) => {
      hold(stored.promise);
      return 'one';
    });
    expect(first).toBe('one');
    const waits = two?.stats().waits ?? 0;
    const second = two?.once.run('behind', find, async () => 'two');
    await expect.poll(() => two?.stats().waits).toBe(waits + 1);
    made.push('one');
    stored.resolve();
    expect(await second).toBe('one');
  });

  it('is done by the next one when the first one fails', async () => {
    const first = await begin(one, 'fails');
    const waits = two?.stats().waits ?? 0;
    const second = two?.once.run('fails', nothing, async () => 'two');
    await expect.poll(() => two?.stats().waits).toBe(waits + 1);
    first.reject(new Error('no luck'));
    await expect(first.result).rejects.toThrow('no luck');
    expect(await second).toBe('two');
  });

  it('is given back by a client that leaves, whether it works or waits', async () => {
    const working = new AbortController();
    const waiting = new AbortController();
    const first = await begin(one, 'left', working.signal);
    const waits = two?.stats().waits ?? 0;
    const second = two?.once.run('left', nothing, async () => 'two', waiting.signal);
    await expect.poll(() => two?.stats().waits).toBe(waits + 1);
    waiting.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    working.abort(new Error('gone too'));
    await expect(first.result).rejects.toThrow('gone too');
    expect(await two?.once.run('left', nothing, async () => 'two again')).toBe('two again');
  });

  it('is given back by a client that leaves before PostgreSQL has answered', async () => {
    const leaving = new AbortController();
    const left = one?.once.run('left early', nothing, async () => 'one', leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await two?.once.run('left early', nothing, async () => 'two')).toBe('two');
    expect(await one?.once.run('left early', nothing, async () => 'one')).toBe('one');
  });

  it('is done by the next one when the process that does it is killed', async () => {
    const holder = await startHolder(url, 'killed');
    const waits = one?.stats().waits ?? 0;
    const run = one?.once.run('killed', nothing, async () => 'done');
    await expect.poll(() => one?.stats().waits).toBe(waits + 1);
    await holder.kill();
    expect(await run).toBe('done');
    expect(one?.stats().timeouts).toBe(0);
  });

  it('is done by others as well when the process that does it is stopped', async () => {
    const holder = await startHolder(url, 'stopped');
    holder.signal('SIGSTOP');
    const [impatient] = await join(url, 1, { onceWaitMs: 300 });
    expect(await impatient?.once.run('stopped', nothing, async () => 'done')).toBe('done');
    expect(impatient?.stats()).toMatchObject({ waits: 1, timeouts: 1, found: 0, alone: 0 });
    await impatient?.close();
    await holder.kill();
  });

  it('waits for a place that does not answer no longer than for another node', async () => {
    const first = await begin(one, 'dark');
    const [impatient] = await join(url, 1, { onceWaitMs: 300 });
    const heard = hears(impatient as Cluster, 'rendered');
    await one?.bus.publish({ kind: 'rendered', key: 'dark' });
    await heard;
    const never = () => new Promise<undefined>(() => undefined);
    expect(await impatient?.once.run('dark', never, async () => 'done')).toBe('done');
    await impatient?.close();
    first.resolve('made');
    await first.result;
  });

  it('can be taken again after the connection was lost with the lock', async () => {
    const first = await begin(one, 'lost');
    const back = Promise.all(nodes.map(resyncs));
    await terminate(url, 'darkroom session');
    await back;
    expect(await two?.once.run('lost', nothing, async () => 'two')).toBe('two');
    first.resolve('one');
    expect(await first.result).toBe('one');
    expect(await one?.once.run('lost', nothing, async () => 'again')).toBe('again');
  });
});
