/** Indices of a list, both ends inclusive. */
export type Range = readonly [first: number, last: number];

/** Number of indices in ranges. */
export const lengthOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** True if an index is in one of the sorted, disjoint ranges. Binary search. */
export function covers(ranges: readonly Range[], index: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as Range;
    if (index < first) high = middle - 1;
    else if (index > last) low = middle + 1;
    else return true;
  }
  return false;
}

/** Union of ranges, sorted and disjoint. */
export function union(some: readonly Range[], others: readonly Range[]): readonly Range[] {
  const joined: [number, number][] = [];
  for (const [first, last] of [...some, ...others].sort(([one], [other]) => one - other)) {
    const before = joined.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** Rectangle of a grid. */
export interface Block {
  rows: Range;
  columns: Range;
}

/** Indices of a rectangle: one range at full width, else one per row. */
export function rangesOf({ rows, columns }: Block, width: number, count: number): Range[] {
  const [top, bottom] = rows;
  const [left, right] = columns;
  const within = ([first, last]: Range): Range => [first, Math.min(last, count - 1)];
  const isWhole = left === 0 && right === width - 1;
  const all: Range[] = isWhole
    ? [[top * width, bottom * width + right]]
    : Array.from({ length: bottom - top + 1 }, (_, at) => [(top + at) * width + left, (top + at) * width + right]);
  return all.map(within).filter(([first, last]) => first <= last);
}
