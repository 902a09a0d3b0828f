import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { type PgBouncer, startPgBouncer } from '../pgbouncer.ts';
import { hears, join, log } from './nodes.ts';

describeOnPostgres('a pooler before PostgreSQL', () => {
  let url: string;
  let pooler: PgBouncer | undefined;
  let missing: string | undefined;
  beforeAll(async () => {
    url = await newDatabase();
    try {
      pooler = await startPgBouncer(url, 'transaction');
    } catch (error) {
      missing = error instanceof Error ? error.message : String(error);
      if (process.env.CI === 'true') throw error;
    }
  });
  afterAll(() => pooler?.close());
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });

  const pooled = () => pooler?.url ?? '';

  it('that shares connections between transactions prevents the start, which says what to set', async () => {
    const refused = await joinPostgresCluster({ url: pooled(), log }).catch((error: Error) => error);
    expect(String(refused)).toMatch(/PgBouncer with transaction pooling.*DATABASE_SESSION_URL/s);
    expect(String(refused)).not.toContain(new URL(url).password);
  });

  it('is no hindrance for nodes that have an address past it', async () => {
    const [one, two] = (await join(pooled(), 2, { sessionUrl: url })) as [Cluster, Cluster];
    const heard = hears(two, 'cleared');
    await one.bus.publish({ kind: 'cleared' });
    expect(await heard).toEqual({ kind: 'cleared' });
    const nested = one.lock.run([parsePath('a')], () => two.lock.run([parsePath('b')], async () => 'both'));
    expect(await nested).toBe('both');
    await one.close();
    await two.close();
  });

  it('that gives each session a connection of its own is none either', async () => {
    const sessions = await startPgBouncer(url, 'session');
    const [node] = await join(sessions.url, 1);
    expect(await node?.isAlive(node.node)).toBe(true);
    await node?.close();
    await sessions.close();
  });
});
