import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { FetchBudget } from '../../src/pull/fetch-budget.ts';

/** Tests of the budget of fetched originals on any database. `open` opens one database, new or existing. */
export function fetchBudgetContract(name: string, open: () => Promise<OpenDatabase>): void {
  describe(`the budget of fetched originals on ${name}`, () => {
    let one: OpenDatabase;
    let two: OpenDatabase;
    /** Bytes in the folders that are fetched into; undefined while unknown. */
    let stored: number | undefined;
    const budgetOf = ({ db }: OpenDatabase, maxBytes: number) =>
      new FetchBudget({ db, maxBytes, countStored: async () => stored });
    beforeEach(async () => {
      stored = undefined;
      one = await open();
      two = await open();
      await one.db.deleteFrom('storage_total').execute();
    });
    afterEach(async () => {
      await one.close();
      await two.close();
    });

    test('is never exceeded by nodes that take at the same moment, and lasts', async () => {
      const budgets = [budgetOf(one, 1000), budgetOf(two, 1000)];
      const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => budgets[n % 2]?.take(300)));
      expect(taken.filter(Boolean)).toHaveLength(3);
      expect(await budgets[0]?.take(101)).toBe(false);
      expect(await budgets[1]?.isFull()).toBe(false);
      expect(await budgets[1]?.take(100)).toBe(true);
      expect(await budgetOf(one, 1000).isFull()).toBe(true);
      expect(await budgetOf(one, 1001).isFull()).toBe(false);
      expect(await budgetOf(one, 0).isFull()).toBe(false);
    });

    test('counts without a limit too, above 2^31', async () => {
      const budget = budgetOf(one, 0);
      expect(await budget.take(3_000_000_000_000)).toBe(true);
      expect(await budgetOf(two, 1).isFull()).toBe(true);
    });

    test('is given back what was not kept, and never more than was taken', async () => {
      const budget = budgetOf(one, 1000);
      await budget.take(1000);
      await budget.giveBack(400);
      expect(await budget.take(401)).toBe(false);
      expect(await budget.take(400)).toBe(true);
      await budget.giveBack(5000);
      expect([await budget.take(1001), await budget.take(1000)]).toEqual([false, true]);
    });

    test('is at most what lies in its folders, once that is known', async () => {
      const budget = budgetOf(one, 1000);
      await budget.take(1000);
      stored = 5000;
      expect(await budget.isFull()).toBe(true);
      stored = 200;
      expect(await budget.isFull()).toBe(false);
      expect([await budget.take(801), await budget.take(800)]).toEqual([false, true]);
    });
  });
}
