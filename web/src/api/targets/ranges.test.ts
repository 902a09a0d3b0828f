import { describe, expect, test } from 'vitest';
import { covers, lengthOf, rangesOf, union } from './ranges.ts';

describe('ranges of a list', () => {
  test('are joined where they touch, and kept in order', () => {
    expect(
      union(
        [[5, 9]],
        [
          [0, 2],
          [10, 12],
          [20, 20],
        ],
      ),
    ).toEqual([
      [0, 2],
      [5, 12],
      [20, 20],
    ]);
    expect(union([[0, 100]], [[3, 4]])).toEqual([[0, 100]]);
    expect(union([], [])).toEqual([]);
  });

  test('know which places are theirs, and how many', () => {
    const ranges = union(
      [[2, 4]],
      [
        [8, 8],
        [100, 1_000_000],
      ],
    );
    expect([1, 2, 4, 5, 8, 9, 99, 100, 1_000_000, 1_000_001].map((at) => covers(ranges, at))).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(lengthOf(ranges)).toBe(3 + 1 + 999_901);
  });

  test('are a rectangle of a grid, which has no places behind the last item', () => {
    expect(rangesOf({ rows: [1, 2], columns: [1, 2] }, 4, 11)).toEqual([
      [5, 6],
      [9, 10],
    ]);
    expect(rangesOf({ rows: [1, 2], columns: [2, 3] }, 4, 11)).toEqual([
      [6, 7],
      [10, 10],
    ]);
    expect(rangesOf({ rows: [1, 2], columns: [3, 3] }, 4, 11)).toEqual([[7, 7]]);
    expect(rangesOf({ rows: [0, 2], columns: [0, 3] }, 4, 11)).toEqual([[0, 10]]);
  });
});
