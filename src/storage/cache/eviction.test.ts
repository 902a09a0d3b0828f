import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CachedFile, Eviction, timeOfUse } from './eviction.ts';

const BUDGET = 10_000;
const TARGET = 9000;
const PROTECTED = 8000;

/** Creates a file that was stored in that second, requested again or not. */
const file = (second: number, size: number, again: boolean): CachedFile => ({
  file: `${second}`,
  size,
  usedAt: 1000 * second + (again ? 0 : 123.4),
});

/** Returns the files that an eviction removes, least recently used first. */
function evict(files: readonly CachedFile[], budget = BUDGET): CachedFile[] {
  const eviction = new Eviction(budget);
  for (const found of files) eviction.add(found);
  const choice = eviction.choose();
  const chosen = files.filter((found) => choice.has(found)).toSorted(byUse);
  expect(chosen.every(({ usedAt }) => usedAt <= choice.usedUntil)).toBe(true);
  return chosen;
}

/** Compares files in the order in which they go. */
function orderOf(files: readonly CachedFile[]): (a: CachedFile, b: CachedFile) => number {
  const again = files.filter(isAgain).sort(byUse);
  const target = TARGET - Math.min(PROTECTED, sum(again));
  const ranks = new Map(files.map((found) => [found, found.size > target ? 0 : 1]));
  let surplus = sum(again) - PROTECTED;
  for (const found of again) {
    ranks.set(found, surplus > 0 ? 1 : 2);
    surplus -= found.size;
  }
  return (a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || byUse(a, b);
}

const byUse = (a: CachedFile, b: CachedFile) => a.usedAt - b.usedAt;

const sum = (files: readonly CachedFile[]) => files.reduce((total, { size }) => total + size, 0);
const isAgain = ({ usedAt, size }: CachedFile) => usedAt % 1000 === 0 && size <= BUDGET / 5;
const names = (files: readonly CachedFile[]) => files.map(({ file }) => Number(file));

/** Returns the files in an arbitrary order, the same in each run. */
const shuffled = (files: readonly CachedFile[]) => files.map((_, n) => files[(n * 7919) % files.length] as CachedFile);

/** Any cache; each of its files has a different time of use. */
const caches = fc
  .array(fc.record({ size: fc.integer({ min: 1, max: 4000 }), again: fc.boolean() }), { maxLength: 60 })
  .chain((shapes) => fc.shuffledSubarray(shapes.map(({ size, again }, n) => file(n + 1, size, again))));

describe('what goes', () => {
  test('is the longest unused of what was asked for once', () => {
    const files = [file(3, 4000, false), file(1, 3000, false), file(2, 4000, false)];
    expect(names(evict(files))).toEqual([1]);
  });

  test('is nothing that was asked for again, while there is something that was not', () => {
    const files = [file(1, 2000, true), file(2, 2000, true), file(3, 2000, true), file(4, 900, false)];
    expect(names(evict([...files, file(5, 900, false), file(6, 3100, false)]))).toEqual([6]);
    expect(names(evict([...files, file(5, 900, false), file(6, 900, false), file(7, 1500, false)]))).toEqual([4, 5]);
  });

  test('is what was asked for again beyond its share, in the order of use with the others', () => {
    const entry = Array.from({ length: 6 }, (_, n) => file(n + 1, 1900, true));
    expect(names(evict([...entry, file(10, 500, false)]))).toEqual([1, 2]);
    expect(names(evict([...entry, file(0, 500, false)]))).toEqual([0, 1, 2]);
  });

  test('is one that is larger than a fifth of the budget, also when it was asked for again', () => {
    const entry = Array.from({ length: 4 }, (_, n) => file(n + 1, 1900, true));
    expect(names(evict([...entry, file(9, 2500, true)]))).toEqual([9]);
  });

  test('is no more than what was seen asks for, however much comes into the cache meanwhile', () => {
    const eviction = new Eviction(BUDGET);
    const seen = [
      file(1, 2000, true),
      file(2, 2000, true),
      file(3, 3000, false),
      file(4, 900, false),
      file(5, 3000, false),
    ];
    for (const found of seen) eviction.add(found);
    const choice = eviction.choose();
    const stored = Array.from({ length: 20 }, (_, n) => file(10 + n, 900, n % 2 === 0));
    expect(names([...stored, ...seen].filter((found) => choice.has(found)))).toEqual([3]);
  });

  test('leaves nothing over the target, nothing for no reason, and who was protected', () => {
    fc.assert(
      fc.property(caches, (files) => {
        const removed = evict(files);
        const left = files.filter((found) => !removed.includes(found));
        expect(sum(left)).toBeLessThanOrEqual(TARGET);
        const last = removed.toSorted(orderOf(files)).at(-1);
        if (last) expect(sum(left) + last.size).toBeGreaterThan(TARGET);
        // The most recently used of those requested again, as far as they fit into their share.
        let protectedBytes = 0;
        for (const found of files.filter(isAgain).sort((a, b) => b.usedAt - a.usedAt)) {
          protectedBytes += found.size;
          if (protectedBytes <= PROTECTED) expect(removed).not.toContain(found);
        }
      }),
    );
  });

  test('goes in the order of its last use, among its kind, but for what is too large to stay', () => {
    fc.assert(
      fc.property(caches, (files) => {
        const target = TARGET - Math.min(PROTECTED, sum(files.filter(isAgain)));
        const removed = evict(files);
        for (const kind of [isAgain, (found: CachedFile) => !isAgain(found) && found.size <= target]) {
          const ofKind = removed.filter(kind);
          const longestUnused = files.filter(kind).sort((a, b) => a.usedAt - b.usedAt);
          expect(names(ofKind)).toEqual(names(longestUnused.slice(0, ofKind.length)));
        }
      }),
    );
  });

  test('is known in one go, whatever the number of files', () => {
    const files = shuffled(Array.from({ length: 100_000 }, (_, n) => file(n + 1, 500, n % 45 === 0)));
    const removed = evict(files, sum(files));
    expect(removed.some(isAgain)).toBe(false);
    expect(sum(removed) / sum(files)).toBeCloseTo(0.1, 2);
    // The order is exact to a two-hundredth of all bytes.
    const position = new Map(
      files
        .filter((found) => !isAgain(found))
        .sort(byUse)
        .map((found, at) => [found, at]),
    );
    const last = Math.max(...removed.map((found) => position.get(found) ?? Number.NaN));
    expect(last - removed.length).toBeLessThan(files.length / 200);
  });

  test('is known also where all files were used in the same moment, or are empty', () => {
    const files = Array.from({ length: 20_000 }, (_, n) => ({ file: `${n}`, size: n % 2, usedAt: 1000.5 }));
    expect(sum(evict(files, 10_000))).toBe(1000);
  });

  test('is known in bounded memory where a smaller budget makes all files large', () => {
    const files = shuffled(Array.from({ length: 5000 }, (_, n) => file(n + 1, 5000, false)));
    const removed = new Set(evict(files));
    expect(names(files.filter((found) => !removed.has(found)))).toEqual([5000]);
  });
});

test('a use is written down in whole seconds, of the past', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e13 }), (now) => {
      const seconds = timeOfUse(now);
      expect(isAgain({ file: '', size: 1, usedAt: seconds * 1000 })).toBe(true);
      expect(now - seconds * 1000).toBeGreaterThanOrEqual(0);
      expect(now - seconds * 1000).toBeLessThan(1000);
    }),
  );
});
