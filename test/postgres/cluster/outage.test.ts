import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres } from '../database.ts';
import { PostgresServer } from '../server.ts';
import { hears, join, log, resyncs } from './nodes.ts';

const nothing = async () => undefined;

describeOnPostgres('nodes whose PostgreSQL goes', () => {
  let server: PostgresServer;
  let nodes: Cluster[];
  let [one, two]: Cluster[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
    nodes = await join(server.url(), 2, { heartbeatMs: 100, answerMs: 1000, lockWaitMs: 1000 });
    [one, two] = nodes;
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await server.close();
  });

  const connected = () => nodes.map((node) => node.stats().isConnected);
  const change = () => one?.lock.run([parsePath('a')], async () => 'changed');

  it('go on when it is killed, and tell each other afterwards what they could not tell', async () => {
    const work = Promise.withResolvers<string>();
    const working = one?.once.run('begun', nothing, () => work.promise);
    await server.kill();
    await expect.poll(connected).toEqual([false, false]);
    expect(await two?.once.run('begun', nothing, async () => 'two works alone')).toBe('two works alone');
    expect(two?.stats().alone).toBe(1);
    await expect(change()).rejects.toMatchObject({ status: 503, code: 'database_unavailable' });
    await expect(one?.isAlive('any')).rejects.toThrow('no connection to PostgreSQL');
    await one?.bus.publish({ kind: 'key' });

    const heard = Promise.race([hears(two as Cluster, 'key'), resyncs(two as Cluster)]);
    const resynced = Promise.all(nodes.map(resyncs));
    await server.start();
    await resynced;
    await heard;
    await expect.poll(connected).toEqual([true, true]);
    work.resolve('one ends');
    expect(await working).toBe('one ends');
    expect(await change()).toBe('changed');
    const again = hears(two as Cluster, 'job');
    await one?.bus.publish({ kind: 'job' });
    expect(await again).toEqual({ kind: 'job' });
  });

  it('notice when it is stopped without closing its connections, and go on', async () => {
    await server.signal('SIGSTOP');
    expect(await one?.once.run('while it is stopped', nothing, async () => 'works')).toBe('works');
    await expect(change()).rejects.toMatchObject({ status: 503 });
    await expect.poll(connected).toEqual([false, false]);
    const resynced = Promise.all(nodes.map(resyncs));
    await server.signal('SIGCONT');
    await resynced;
    await expect.poll(connected).toEqual([true, true]);
    expect(await change()).toBe('changed');
  });

  it('begin without it, and join when it is there', async () => {
    await server.stop();
    const [late] = await join(server.url(), 1);
    expect(late?.stats().isConnected).toBe(false);
    expect(await late?.once.run('early', nothing, async () => 'alone')).toBe('alone');
    const joined = resyncs(late as Cluster);
    await server.start();
    await joined;
    expect(late?.stats().isConnected).toBe(true);
    await late?.close();
  });

  it('do not begin when it refuses them, and do not say the password', async () => {
    const url = new URL(server.url());
    url.password = 'wrong-horse';
    const refused = await joinPostgresCluster({ url: url.href, log }).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/DATABASE_SESSION_URL.*password authentication failed/);
    expect(String(refused)).not.toContain('wrong-horse');
    const unknown = joinPostgresCluster({ url: server.url('nowhere'), log });
    await expect(unknown).rejects.toThrow('database "nowhere" does not exist');
  });
});
