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

/** Returns the files that an eviction removes, in order. */
function evict(files: readonly CachedFile[]): CachedFile[] {
  const eviction = new Eviction(BUDGET);
  for (const found of files) eviction.add(found);
  const removed: CachedFile[] = [];
  let left = sum(files);
  for (const victim of eviction.victims()) {
    if (left <= eviction.targetBytes) break;
    left -= victim.size;
    removed.push(victim);
  }
  return removed;
}

const sum = (files: readonly CachedFile[]) => files.reduce((total, { size }) => total + size, 0);
const isAgain = ({ usedAt, size }: CachedFile) => usedAt % 1000 === 0 && size <= BUDGET / 5;
const names = (files: readonly CachedFile[]) => files.map(({ file }) => Number(file));

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
    expect(names([...eviction.victims()])).toEqual([3]);
  });

  test('leaves nothing over the target, nothing for no reason, and who was protected', () => {
    fc.assert(
      fc.property(caches, (files) => {
        const removed = evict(files);
        const left = files.filter((found) => !removed.includes(found));
        expect(sum(left)).toBeLessThanOrEqual(TARGET);
        if (removed.length > 0) expect(sum(left) + (removed.at(-1)?.size ?? 0)).toBeGreaterThan(TARGET);
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

  test('ends where not all files were candidates, and not with the wrong ones', () => {
    const eviction = new Eviction(BUDGET * 1000);
    for (let n = 1; n <= 45_000; n++) eviction.add(file(n, 500, n % 45 === 0));
    const victims = [...eviction.victims()];
    expect(victims).toHaveLength(20_000);
    expect(victims.some(isAgain)).toBe(false);
    expect(names(victims)).toEqual(names(victims).toSorted((a, b) => a - b));
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
