import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { NO_USAGE, type Usage } from '../../src/storage/usage.ts';
import { UsageCounter } from '../../src/storage/usage-counter.ts';

const HUGE = { size: 3_000_000_000_000, fileCount: 4_000_000_000 };
const listing = (usage: Usage) => async () => usage;

/** Tests of usage counters on any database. `open` opens one database, new or existing. */
export function usageCounterContract(name: string, open: () => Promise<OpenDatabase>): void {
  describe(`counters on ${name}`, () => {
    const databases: OpenDatabase[] = [];
    let counters: [UsageCounter, UsageCounter];
    /** Reads the row, without the pending delta of this process. */
    const flushed = () =>
      databases[0]?.db.selectFrom('storage_total').select(['size', 'fileCount']).where('id', '=', 2).executeTakeFirst();
    beforeEach(async () => {
      const one = await open();
      const two = await open();
      databases.push(one, two);
      await one.db.deleteFrom('storage_total').execute();
      counters = [new UsageCounter(one.db), new UsageCounter(two.db)];
    });
    afterEach(async () => {
      for (const counter of counters) await counter.close();
      for (const database of databases.splice(0)) await database.close();
    });

    test('count what is added at the same moment by two machines, above 2^31', async () => {
      await counters[0].recalculate(listing(HUGE));
      const add = async (n: number) => {
        counters[n % 2]?.add({ size: 100, fileCount: n % 3 === 0 ? -1 : 2 });
        await counters[n % 2]?.read();
      };
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(n)));
      expect(await counters[1].read()).toEqual({ size: HUGE.size + 3000, fileCount: HUGE.fileCount + 30 });
    });

    test('are unknown before the first count, whatever is added', async () => {
      counters[0].add({ size: 1, fileCount: 1 });
      expect(await counters[0].read()).toBeUndefined();
      await counters[0].recalculate(listing(NO_USAGE));
      expect(await counters[0].read()).toEqual(NO_USAGE);
    });

    test('follow every change immediately where it is made, and on other nodes after a flush', async () => {
      await counters[0].recalculate(listing({ size: 10, fileCount: 1 }));
      counters[0].add({ size: 5, fileCount: 1 });
      expect(await counters[0].read()).toEqual({ size: 15, fileCount: 2 });
      counters[0].add({ size: 7, fileCount: 1 });
      await expect.poll(() => counters[1].read()).toEqual({ size: 22, fileCount: 3 });
    });

    test('flush pending deltas when they are closed', async () => {
      await counters[0].recalculate(listing(NO_USAGE));
      counters[0].add({ size: 5, fileCount: 1 });
      expect(await flushed()).toEqual(NO_USAGE);
      await counters[0].close();
      expect(await flushed()).toEqual({ size: 5, fileCount: 1 });
    });

    test('write the deltas of many changes together', async () => {
      await counters[0].recalculate(listing(NO_USAGE));
      const db = databases[0]?.db;
      if (!db) return expect.unreachable();
      const updates = vi.spyOn(db, 'updateTable');
      for (let n = 1; n <= 20; n++) counters[0].add({ size: 100, fileCount: 1 });
      await expect.poll(flushed).toEqual({ size: 2000, fileCount: 20 });
      expect(updates).toHaveBeenCalledTimes(1);
      updates.mockRestore();
    });

    test('keep what could not be written, and write it later', async () => {
      await counters[0].recalculate(listing(NO_USAGE));
      const db = databases[0]?.db;
      if (!db) return expect.unreachable();
      const outage = vi.spyOn(db, 'updateTable').mockImplementation(() => {
        throw new Error('The database is unreachable.');
      });
      counters[0].add({ size: 5, fileCount: 1 });
      expect(await counters[0].read()).toEqual({ size: 5, fileCount: 1 });
      await expect.poll(() => outage.mock.calls.length).toBeGreaterThan(2);
      expect(await flushed()).toEqual(NO_USAGE);
      outage.mockRestore();
      await expect.poll(flushed).toEqual({ size: 5, fileCount: 1 });
      expect(await counters[0].read()).toEqual({ size: 5, fileCount: 1 });
    });

    test('are replaced by a listing, with what was added during it', async () => {
      await counters[0].recalculate(listing({ size: 900, fileCount: 9 }));
      counters[0].add({ size: 50, fileCount: 1 });
      await counters[0].recalculate(async () => {
        counters[0].add({ size: 7, fileCount: 1 });
        expect(await counters[0].read()).toEqual({ size: 957, fileCount: 11 });
        counters[0].add({ size: 3, fileCount: 1 });
        return { size: 50, fileCount: 1 };
      });
      expect(await counters[0].read()).toEqual({ size: 60, fileCount: 3 });
      expect(await counters[1].read()).toEqual({ size: 60, fileCount: 3 });
    });

    test('stay when a listing fails', async () => {
      await counters[0].recalculate(listing({ size: 10, fileCount: 1 }));
      const failed = counters[0].recalculate(() => Promise.reject(new Error('The bucket is unreachable.')));
      await expect(failed).rejects.toThrow('unreachable');
      expect(await counters[0].read()).toEqual({ size: 10, fileCount: 1 });
    });

    test('are unknown when more was removed than was added, and after a count by both nodes right again', async () => {
      await counters[0].recalculate(listing({ size: 10, fileCount: 1 }));
      counters[0].add({ size: -30, fileCount: -2 });
      expect(await counters[0].read()).toBeUndefined();
      expect(await counters[1].read()).toBeUndefined();
      await Promise.all(counters.map((counter) => counter.recalculate(listing({ size: 20, fileCount: 1 }))));
      expect(await counters[0].read()).toEqual({ size: 20, fileCount: 1 });
    });
  });
}
