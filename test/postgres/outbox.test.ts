import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { MAX_PURGE_DELAY_MS as maxWaitMs } from '../../src/cdn/purge-sender.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import { outboxContract } from '../contracts/outbox.ts';
import { describeOnPostgres, openTwice } from './database.ts';

const HOUR_MS = 3_600_000;

describeOnPostgres('the outbox on PostgreSQL', () => {
  const nodes = openTwice({ poolMax: 20 });

  outboxContract('PostgreSQL', async (clock) => {
    await sql`truncate outbox restart identity`.execute(nodes.one.db);
    const options = { maxWaitMs, now: () => clock.now };
    const outbox = new Outbox(nodes.one.db, options);
    const other = new Outbox(nodes.two.db, options);
    return { outbox, other, clock, close: async () => undefined };
  });

  test("goes by the server's clock, whatever that of a machine says", async () => {
    await sql`truncate outbox`.execute(nodes.one.db);
    const outbox = new Outbox(nodes.one.db, { maxWaitMs });
    const other = new Outbox(nodes.two.db, { maxWaitMs });
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
    await sql`truncate outbox`.execute(nodes.one.db);
    const outboxes = [new Outbox(nodes.one.db, { maxWaitMs }), new Outbox(nodes.two.db, { maxWaitMs })];
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
