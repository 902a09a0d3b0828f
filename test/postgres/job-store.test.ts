import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import { claimNext, newJob } from '../contracts/job-store/bench.ts';
import { jobStoreContract } from '../contracts/job-store.ts';
import { describeOnPostgres, openTwice } from './database.ts';

const HOUR_MS = 3_600_000;

describeOnPostgres('jobs on PostgreSQL', () => {
  const nodes = openTwice({ poolMax: 20 });
  beforeEach(async () => {
    await sql`truncate job restart identity`.execute(nodes.one.db);
  });

  jobStoreContract('PostgreSQL', async (clock) => {
    await sql`truncate job restart identity`.execute(nodes.one.db);
    return {
      store: new SqlJobStore(nodes.one.db, () => clock.now),
      other: new SqlJobStore(nodes.two.db, () => clock.now),
      clock,
      close: async () => undefined,
    };
  });

  describe('the clock', () => {
    test("is the server's: a machine whose own is wrong takes over no job, and delays none", async () => {
      const store = new SqlJobStore(nodes.one.db);
      const other = new SqlJobStore(nodes.two.db);
      const before = Date.now();
      await store.add(newJob('a'));
      const [held] = await store.claim(60_000, 1);
      const wrong = vi.spyOn(Date, 'now');
      for (const offset of [HOUR_MS, -HOUR_MS]) {
        wrong.mockReturnValue(before + offset);
        expect(await other.claim(60_000, 1)).toEqual([]);
        await other.add(newJob(`b ${offset}`));
        expect(await claimNext(store)).toMatchObject({ variantKey: `b ${offset}` });
      }
      wrong.mockRestore();
      expect(held?.startedAt?.getTime()).toBeGreaterThan(before - 60_000);
      expect(held?.startedAt?.getTime()).toBeLessThan(Date.now() + 60_000);
      expect(await store.complete(held ?? { id: '', lease: '' })).toMatchObject({ status: 'completed' });
    });

    test('is written as all other times are', async () => {
      await new SqlJobStore(nodes.one.db).add(newJob('a'));
      const { createdAt } = await nodes.one.db.selectFrom('job').select('createdAt').executeTakeFirstOrThrow();
      expect(new Date(createdAt).toISOString()).toBe(createdAt);
    });
  });

  test('the limits hold for jobs that are added at the same moment', async () => {
    const stores = [new SqlJobStore(nodes.one.db), new SqlJobStore(nodes.two.db)];
    const limits = { pending: 10, reserved: 0, ofClient: 4 };
    const added = await Promise.all(
      Array.from({ length: 40 }, (_, n) => stores[n % 2]?.add(newJob(`v${n}`, { client: `client ${n % 4}` }), limits)),
    );
    expect(added.filter((result) => result && 'job' in result)).toHaveLength(10);
    const rows = await nodes.one.db.selectFrom('job').select('client').execute();
    for (const client of new Set(rows.map((row) => row.client))) {
      expect(rows.filter((row) => row.client === client).length).toBeLessThanOrEqual(4);
    }
  });

  test('a job that is cancelled while it is claimed is either cancelled or claimed', async () => {
    const canceller = new SqlJobStore(nodes.one.db);
    const claimer = new SqlJobStore(nodes.two.db);
    const added = await canceller.addAll(
      Array.from({ length: 200 }, (_, n) => newJob(`v${n}`, { client: `client ${n}` })),
      { pending: 1000, reserved: 0, ofClient: 10 },
    );
    const ids = added.map((result) => ('job' in result ? result.job.id : ''));
    const cancelled: string[] = [];
    const claimed: string[] = [];
    const cancelling = async () => {
      for (const id of ids) if (await canceller.cancel(id)) cancelled.push(id);
    };
    const claiming = async () => {
      for (const _ of ids) for (const { id } of await claimer.claim(60_000, 1)) claimed.push(id);
    };
    await Promise.all([cancelling(), claiming()]);
    expect(claimed.filter((id) => cancelled.includes(id))).toEqual([]);
    expect(new Set([...claimed, ...cancelled]).size).toBe(ids.length);
  });

  test('thirty claims at once hand out thirty jobs, none of them twice', async () => {
    const stores = [new SqlJobStore(nodes.one.db), new SqlJobStore(nodes.two.db)];
    for (let n = 0; n < 40; n++) await stores[0]?.add(newJob(`v${n}`, { client: `client ${n % 3}` }));
    const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => stores[n % 2]?.claim(60_000, 1)));
    expect(new Set(claims.map((jobs) => jobs?.[0]?.id)).size).toBe(30);
    expect(claims.every((jobs) => jobs?.length === 1)).toBe(true);
  });
});
