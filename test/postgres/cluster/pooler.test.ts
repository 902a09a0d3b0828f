import { beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { usePgBouncer } from '../pgbouncer.ts';
import { hears, join, log } from './nodes.ts';

describeOnPostgres('a pooler before PostgreSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });
  const transactions = usePgBouncer(() => url, 'transaction');
  const sessions = usePgBouncer(() => url, 'session');

  it('that shares connections between transactions prevents the start, which says what to set', async () => {
    const refused = await joinPostgresCluster({ url: transactions.url, log }).catch((error: Error) => error);
    expect(String(refused)).toMatch(/transaction pooling, such as PgBouncer.*DATABASE_SESSION_URL/s);
    expect(String(refused)).not.toContain(new URL(url).password);
  });

  it('is no hindrance for nodes that have an address past it', async () => {
    const [one, two] = (await join(transactions.url, 2, { sessionUrl: url })) as [Cluster, Cluster];
    const heard = hears(two, 'cleared');
    await one.bus.publish({ kind: 'cleared' });
    expect(await heard).toEqual({ kind: 'cleared' });
    const nested = one.lock.run([parsePath('a')], () => two.lock.run([parsePath('b')], async () => 'both'));
    expect(await nested).toBe('both');
    await one.close();
    await two.close();
  });

  it('that gives each session a connection of its own is none either', async () => {
    const [node] = await join(sessions.url, 1);
    expect(await node?.isAlive(node.node)).toBe(true);
    await node?.close();
  });
});
