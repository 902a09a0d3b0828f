import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import type { Message } from '../../../src/cluster/messages.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { hears, join, resyncs, terminate } from './nodes.ts';

describeOnPostgres('the bus of several nodes', () => {
  let url: string;
  let nodes: Cluster[];
  let [one, two, three]: Cluster[] = [];
  beforeAll(async () => {
    url = await newDatabase();
    nodes = await join(url, 3);
    [one, two, three] = nodes as [Cluster, Cluster, Cluster];
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });

  it('tells all others what one of them says, word by word', async () => {
    const message: Message = { kind: 'original', path: 'it\'s/50 % \\ "ü".jpg', isFolder: false };
    const heard = Promise.all([hears(two as Cluster, 'original'), hears(three as Cluster, 'original')]);
    await one?.bus.publish(message);
    expect(await heard).toEqual([message, message]);
  });

  it('tells everything that is said at once, in its order and each thing once', async () => {
    const heard: Message[] = [];
    const stop = two?.bus.subscribe((message) => heard.push(message));
    const last = hears(two as Cluster, 'events');
    const said: Message[] = [
      { kind: 'original', path: 'a', isFolder: true },
      { kind: 'variants', path: 'b.jpg', isFolder: false },
      { kind: 'cleared' },
      { kind: 'key' },
      { kind: 'job' },
      { kind: 'job' },
      { kind: 'rendered', key: 'k' },
      { kind: 'events' },
    ];
    await Promise.all(said.map((message) => one?.bus.publish(message)));
    await last;
    stop?.();
    expect(heard).toEqual(said.toSpliced(5, 1));
  });

  it('has everybody assume the worst when there is more to say than fits', async () => {
    const heard: Message[] = [];
    const stop = two?.bus.subscribe((message) => heard.push(message));
    const resynced = resyncs(two as Cluster);
    const paths = Array.from({ length: 100 }, (_, n) => `${'long'.repeat(25)}/${n}.jpg`);
    await Promise.all(paths.map((path) => one?.bus.publish({ kind: 'original', path, isFolder: false })));
    await resynced;
    stop?.();
    expect(heard).toEqual([]);
  });

  it('ignores what it does not understand, and hears what comes with it', async () => {
    const newer = [{ kind: 'moon', phase: 3 }, { kind: 'key', id: 'with more than we know' }, { kind: 'original' }];
    const heard = hears(one as Cluster, 'key');
    const client = new Client({ connectionString: url });
    await client.connect();
    for (const text of ['no json', '{}', 'null', JSON.stringify({ from: 'a newer node', messages: newer })]) {
      await client.query(`select pg_notify('darkroom', $1)`, [text]);
    }
    await client.end();
    expect(await heard).toEqual({ kind: 'key' });
  });

  it('goes on when a listener fails', async () => {
    const stop = two?.bus.subscribe(() => {
      throw new Error('no luck');
    });
    const heard = hears(two as Cluster, 'job');
    await one?.bus.publish({ kind: 'job' });
    stop?.();
    expect(await heard).toEqual({ kind: 'job' });
  });

  it('has every node assume the worst when its connection was lost, and goes on', async () => {
    const resynced = Promise.all(nodes.map(resyncs));
    await terminate(url, 'darkroom session');
    await resynced;
    await expect.poll(() => nodes.map((node) => node.stats().isConnected)).toEqual([true, true, true]);
    const heard = hears(three as Cluster, 'cleared');
    await two?.bus.publish({ kind: 'cleared' });
    expect(await heard).toEqual({ kind: 'cleared' });
  });

  it('tells no more who has left, and knows that he has', async () => {
    const [left] = await join(url, 1);
    expect(await one?.isAlive(left?.node ?? '')).toBe(true);
    await left?.close();
    await expect.poll(() => one?.isAlive(left?.node ?? '')).toBe(false);
    await expect(left?.bus.publish({ kind: 'key' })).resolves.toBeUndefined();
  });
});
