import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createTotalsLedger, openVariantLedger } from '../../src/db/totals-ledger.ts';

const NONE = { size: 0, fileCount: 0 };
const HUGE = { size: 3_000_000_000_000, fileCount: 4_000_000_000 };

/** What counters that survive a restart must do, whatever database keeps them. `open` gives one database, new or opened again. */
export function ledgerContract(name: string, open: () => Promise<OpenDatabase>): void {
  describe(`counters on ${name}`, () => {
    let one: OpenDatabase;
    let two: OpenDatabase;
    /** Which processes are running. */
    let alive: string[];
    const nodes = (node: string) => ({ node, isAlive: async (other: string) => alive.includes(other) });
    beforeEach(async () => {
      alive = ['a', 'b'];
      one = await open();
      two = await open();
      await one.db.deleteFrom('storage_change').execute();
      await one.db.deleteFrom('storage_total').execute();
    });
    afterEach(async () => {
      await one.close();
      await two.close();
    });

    test('count what is added at the same moment by two machines, above 2^31', async () => {
      const ledgers = [createTotalsLedger(one.db, nodes('a')), createTotalsLedger(two.db, nodes('b'))];
      await ledgers[0]?.replace(HUGE, []);
      const add = async (n: number) => {
        const ledger = ledgers[n % 2];
        await ledger?.finish((await ledger.begin()) ?? '', { size: 100, fileCount: n % 3 === 0 ? -1 : 2 });
      };
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(n)));
      expect(await ledgers[1]?.read()).toMatchObject({ size: HUGE.size + 3000, fileCount: HUGE.fileCount + 30 });
      expect(await ledgers[0]?.unfinished()).toEqual([]);
    });

    test('are unknown before the first count, whatever is added', async () => {
      const ledger = createTotalsLedger(one.db, nodes('a'));
      await ledger.finish(await ledger.begin(), { size: 1, fileCount: 1 });
      expect(await ledger.read()).toBeUndefined();
      await ledger.replace(NONE, []);
      expect(await ledger.read()).toEqual({ ...NONE, updatedAt: expect.any(Date) });
    });

    test('call a change unfinished when its process is gone, and not while it runs', async () => {
      const change = await createTotalsLedger(one.db, nodes('a')).begin();
      const other = createTotalsLedger(two.db, nodes('b'));
      expect(await other.unfinished()).toEqual([]);
      alive = ['b'];
      expect(await other.unfinished()).toEqual([change]);
      await other.replace(NONE, [change]);
      expect(await other.unfinished()).toEqual([]);
    });

    test('give what a process has left to one of the others, when it is gone for the second time in a row', async () => {
      const change = await createTotalsLedger(one.db, nodes('a')).begin();
      alive = ['b', 'c'];
      const ledgers = [createTotalsLedger(one.db, nodes('b')), createTotalsLedger(two.db, nodes('c'))];
      const own = await ledgers[0]?.begin();
      const look = () => Promise.all(ledgers.map((ledger) => ledger.takeOver()));
      expect(await look()).toEqual([[], []]);
      expect((await look()).flat()).toEqual([change]);
      expect(await look()).toEqual([[], []]);
      await ledgers[0]?.finish(own ?? '', NONE);
    });

    test('are to be counted again when a process goes on whose change another one has made up for', async () => {
      const [first, second] = [createTotalsLedger(one.db, nodes('a')), createTotalsLedger(two.db, nodes('b'))];
      const change = await first.begin();
      alive = ['b'];
      await second.replace(HUGE, await second.unfinished());
      alive = ['a', 'b'];
      await first.finish(change, { size: 1, fileCount: 1 });
      expect(await second.unfinished()).toEqual([change]);
    });

    test('call no change unfinished when nobody can tell whether its process runs', async () => {
      await createTotalsLedger(one.db, nodes('a')).begin();
      const unsure = { node: 'b', isAlive: () => Promise.reject(new Error('no answer')) };
      expect(await createTotalsLedger(two.db, unsure).unfinished()).toEqual([]);
    });

    test('of shared variants are forgotten when a process has ended in the middle of a change, and only then', async () => {
      const first = await openVariantLedger(one, nodes('a'));
      await first.replace({ size: 10, fileCount: 1 });
      await first.begin();
      const second = await openVariantLedger(two, nodes('b'));
      expect(await second.read()).toMatchObject({ size: 10 });
      alive = ['b'];
      expect(await (await openVariantLedger(two, nodes('c'))).read()).toBeUndefined();
      expect(await createTotalsLedger(two.db, nodes('b')).unfinished()).toEqual([]);
    });
  });
}
