import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MAX_PURGE_DELAY_MS as maxWaitMs } from '../../src/cdn/purge-sender.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import { outboxContract } from '../contracts/outbox.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

const HOUR_MS = 3_600_000;

describeOnPostgres('the outbox on PostgreSQL', () => {
  let one: OpenDatabase;
  let two: OpenDatabase;
  beforeAll(async () => {
    const url = await newDatabase();
    one = await openPostgres({ url, poolMax: 20 });
    two = await openPostgres({ url, poolMax: 20 });
  });
  afterAll(async () => {
    await one.close();
    await two.close();
  });

  outboxContract('PostgreSQL', async (clock) => {
    await sql`truncate outbox restart identity`.execute(one.db);
    const options = { maxWaitMs, now: () => clock.now };
    const outbox = new Outbox(one.db, options);
    const other = new Outbox(two.db, options);
    return { outbox, other, clock, close: async () => undefined };
  });

  test("goes by the server's clock, whatever that of a machine says", async () => {
    await sql`truncate outbox`.execute(one.db);
    const outbox = new Outbox(one.db, { maxWaitMs });
    const other = new Outbox(two.db, { maxWaitMs });
    const options = { max: 10, leaseMs: 60_000, aheadMs: 0 };
    await outbox.add([{ target: 'cdn', payload: 'a' }]);
    const held = await outbox.claim('cdn', options);
    const before = Date.now();
    const wrong = vi.spyOn(Date, 'now');
    for (const offset of [HOUR_MS, -HOUR_MS]) {
      wrong.mockReturnValue(before + offset);
      expect(await other.claim('cdn', options)).toEqual([]);
      expect(await other.nextDueIn('cdn')).toBeGreaterThan(30_000);
    }
    wrong.mockRestore();
    expect(held).toHaveLength(1);
  });

  test('thirty claims at once hand out all entries, none of them twice', async () => {
    await sql`truncate outbox`.execute(one.db);
    const outboxes = [new Outbox(one.db, { maxWaitMs }), new Outbox(two.db, { maxWaitMs })];
    const payloads = Array.from({ length: 150 }, (_, n) => `p${n}`);
    await outboxes[0]?.add(payloads.map((payload) => ({ target: 'cdn', payload })));
    const claim = (n: number) => outboxes[n % 2]?.claim('cdn', { max: 7, leaseMs: 60_000, aheadMs: 0 });
    const found: string[] = [];
    while (found.length < payloads.length) {
      const batches = await Promise.all(Array.from({ length: 30 }, (_, n) => claim(n)));
      for (const batch of batches) {
        expect(batch?.length).toBeLessThanOrEqual(7);
        found.push(...(batch ?? []).map(({ payload }) => payload));
      }
    }
    expect(found.sort()).toEqual(payloads.sort());
  });
});
