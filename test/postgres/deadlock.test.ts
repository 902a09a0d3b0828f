import { type Kysely, sql } from 'kysely';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Schema } from '../../src/db/schema.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import type { StoragePath } from '../../src/path.ts';
import { newJob } from '../contracts/job-store/bench.ts';
import { describeOnPostgres, openTwice } from './database.ts';

const LIMITS = { pending: 10, reserved: 0, ofClient: 10 };

describeOnPostgres('a deadlock with another node', () => {
  const nodes = openTwice();
  let store: SqlJobStore;
  beforeAll(async () => {
    store = new SqlJobStore(nodes.one.db);
  });
  beforeEach(async () => {
    await sql`truncate job restart identity`.execute(nodes.one.db);
    await store.add(newJob('a'));
    await store.add(newJob('b'));
  });

  /** Holds job `b`, and locks `a` when the change has locked that and waits for `b`: PostgreSQL ends the change. */
  async function meet<T>(change: () => Promise<T>): Promise<T> {
    const changing = await nodes.two.db.transaction().execute(async (transaction) => {
      // Otherwise it might end this transaction.
      await sql`set local deadlock_timeout = '1min'`.execute(transaction);
      await lock(transaction, 'b');
      const changed = change();
      // Until it is awaited, its failure is nobody's.
      changed.catch(() => undefined);
      await vi.waitFor(async () => expect(await countWaiting()).toBe(1), 5000);
      await lock(transaction, 'a');
      return { changed };
    });
    return changing.changed;
  }

  async function countWaiting(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'advisory'
    `.execute(nodes.two.db);
    return rows[0]?.count ?? 0;
  }

  async function lock(db: Kysely<Schema>, variantKey: string): Promise<void> {
    await db.selectFrom('job').select('id').where('variantKey', '=', variantKey).forUpdate().execute();
  }

  test('lets jobs be added, in a second transaction', async () => {
    const jobs = ['a', 'b', 'c'].map((key) => newJob(key, { priority: 1 }));
    expect(await meet(() => store.addAll(jobs, LIMITS))).toMatchObject([
      { isNew: false, job: { variantKey: 'a', priority: 1 } },
      { isNew: false, job: { variantKey: 'b', priority: 1 } },
      { isNew: true, job: { variantKey: 'c' } },
    ]);
  });

  test('lets jobs be removed, in a second statement', async () => {
    const removed = await meet(() => store.removeWithin('films' as StoragePath));
    expect(removed.map(({ variantKey }) => variantKey).toSorted()).toEqual(['a', 'b']);
  });
});
