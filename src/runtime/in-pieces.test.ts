import { expect, test } from 'vitest';
import { byCodeUnits, inPieces, sortInPieces } from './in-pieces.ts';

/** Counts the turns of the event loop that other tasks get during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await working;
  return turns;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => (n * 7919) % count);

test.each([0, 1, 999, 1000, 1001, 2000, 5003])(
  'sorts %i items as one sort does, equal ones in their order',
  async (count) => {
    const items = numbers(count).map((value, n) => ({ value: value % 100, n }));
    const compare = (one: { value: number }, other: { value: number }) => one.value - other.value;
    expect(await sortInPieces(items, compare)).toEqual(items.toSorted(compare));
  },
);

test('sorts texts as JavaScript does', async () => {
  const texts = numbers(3000).map((n) => `${n % 2 === 0 ? '\u{1F600}' : '\uFF5E'}${n}`);
  expect(await sortInPieces(texts, byCodeUnits)).toEqual(texts.toSorted());
});

test('leaves what it sorts as it is', async () => {
  const items = [3, 1, 2];
  await sortInPieces(items, (one, other) => one - other);
  expect(items).toEqual([3, 1, 2]);
});

test('yields all items in pieces', async () => {
  const pieces = await Array.fromAsync(inPieces(numbers(2500)));
  expect(pieces.map(({ length }) => length)).toEqual([1000, 1000, 500]);
  expect(pieces.flat()).toEqual(numbers(2500));
});

test('lets everything else run meanwhile', async () => {
  const items = numbers(20_000);
  expect(await turnsDuring(() => sortInPieces(items, (one, other) => one - other))).toBeGreaterThan(50);
});
