/** Whether a larger or a smaller figure than the target meets it. */
export type Direction = 'at least' | 'at most' | 'exactly';

/** The middle of the values; 0 of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear between the two nearest values. @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

/** Value by value: what was measured side by side is compared side by side. */
export function ratios(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, index) => value / (others[index] ?? Number.NaN));
}

/** `0.71 (0.69 to 0.74)`: the median and the range. */
export function spread(values: readonly number[], digits = 2): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return `${median(values).toFixed(digits)} (${low} to ${high})`;
}

/** A whole number with thousands apart. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join(
    '\n',
  );
}

/** One line that says whether a target is met. */
export function verdict(what: string, value: number, direction: Direction, target: number, unit = ''): string {
  const met = { 'at least': value >= target, 'at most': value <= target, exactly: value === target }[direction];
  const shown = Number.isInteger(value) ? String(value) : value.toPrecision(3);
  return `- ${met ? 'Met' : '**Missed**'}: ${what} ${shown}${unit}, target ${direction} ${target}${unit}.`;
}

/**
 * Measures the contestants in turn, round by round, in alternating order, so that what else the machine does meets all of them.
 */
export async function alternate<Name extends string, Result>(
  contestants: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contestants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await contestants[name]());
  }
  return results;
}
