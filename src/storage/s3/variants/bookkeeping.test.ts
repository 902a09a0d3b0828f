import { expect, test } from 'vitest';
import type { VariantLedger } from '../../cache/shared-variants.ts';
import { Bookkeeping } from './bookkeeping.ts';

/** A ledger that remembers what it was told. @param hold what a write of the figures waits for */
function recordingLedger(hold?: Promise<void>) {
  const told: string[] = [];
  const ledger: VariantLedger = {
    begin: async () => void told.push('begin'),
    finish: async () => void told.push('finish'),
    async add({ size, fileCount }) {
      told.push(`add ${size} ${fileCount}`);
      await hold;
    },
    replace: async ({ size }) => told.push(`replace ${size}`) > 0,
    read: async () => undefined,
    mark: async () => undefined,
  };
  return { told, ledger };
}

test('changes that follow one another are noted once, and their figures written once', async () => {
  const { told, ledger } = recordingLedger();
  const books = new Bookkeeping(ledger);
  for (let n = 1; n <= 20; n++) await books.during(async () => books.add({ size: 100, fileCount: 1 }));
  expect(told).toEqual(['begin']);
  expect(books.owed).toEqual({ size: 2000, fileCount: 20 });
  await books.close();
  expect(told).toEqual(['begin', 'add 2000 20', 'finish']);
});

test('the figures are written a moment after the last change, without being asked for', async () => {
  const { told, ledger } = recordingLedger();
  const books = new Bookkeeping(ledger);
  await books.during(async () => books.add({ size: 7, fileCount: 1 }));
  await expect.poll(() => told).toEqual(['begin', 'add 7 1', 'finish']);
});

test('a change that begins while the figures are written keeps the ledger from being finished', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { told, ledger } = recordingLedger(promise);
  const books = new Bookkeeping(ledger);
  await books.during(async () => books.add({ size: 7, fileCount: 1 }));
  const closing = books.close();
  await expect.poll(() => told).toContain('add 7 1');
  const later = Promise.withResolvers<void>();
  const change = books.during(() => later.promise);
  resolve();
  await closing;
  expect(told).toEqual(['begin', 'add 7 1']);
  later.resolve();
  await change;
  await books.close();
  expect(told).toEqual(['begin', 'add 7 1', 'finish']);
});

test('a change that fails leaves the ledger open, until there is a new count', async () => {
  const { told, ledger } = recordingLedger();
  const books = new Bookkeeping(ledger);
  await expect(books.during(() => Promise.reject(new Error('The bucket is away.')))).rejects.toThrow('away');
  await books.close();
  expect(told).toEqual(['begin']);
  expect(await books.replace({ size: 3, fileCount: 1 }, undefined)).toBe(true);
  await books.close();
  expect(told).toEqual(['begin', 'replace 3', 'finish']);
});
