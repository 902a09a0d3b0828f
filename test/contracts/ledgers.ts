import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { openVariantLedger } from '../../src/db/totals-ledger.ts';

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
      const ledgers = [await openVariantLedger(one, nodes('a')), await openVariantLedger(two, nodes('b'))];
      await ledgers[0]?.replace(HUGE);
      const add = async (n: number) => ledgers[n % 2]?.add({ size: 100, fileCount: n % 3 === 0 ? -1 : 2 });
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(n)));
      expect(await ledgers[1]?.read()).toMatchObject({ size: HUGE.size + 3000, fileCount: HUGE.fileCount + 30 });
    });

    test('are unknown before the first count, whatever is added', async () => {
      const ledger = await openVariantLedger(one, nodes('a'));
      await ledger.add({ size: 1, fileCount: 1 });
      expect(await ledger.read()).toBeUndefined();
      await ledger.replace(NONE);
      expect(await ledger.read()).toEqual({ ...NONE, updatedAt: expect.any(Date) });
    });

    test('stay while nobody can tell whether the process of a change runs', async () => {
      const ledger = await openVariantLedger(one, nodes('a'));
      await ledger.replace(NONE);
      await ledger.begin();
      const unsure = { node: 'b', isAlive: () => Promise.reject(new Error('no answer')) };
      expect(await (await openVariantLedger(two, unsure)).read()).toMatchObject(NONE);
    });

    test('of shared variants are forgotten when a process has ended in the middle of a change, and only then', async () => {
      const first = await openVariantLedger(one, nodes('a'));
      await first.replace({ size: 10, fileCount: 1 });
      await first.begin();
      const second = await openVariantLedger(two, nodes('b'));
      expect(await second.read()).toMatchObject({ size: 10 });
      alive = ['b'];
      expect(await (await openVariantLedger(two, nodes('c'))).read()).toBeUndefined();
    });
  });
}
