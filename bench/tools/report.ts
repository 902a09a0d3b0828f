/** Relation to the target that meets it. */
export type Direction = 'at least' | 'at most' | 'exactly';

/** Median. 0 for no values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Interpolates linearly between the two nearest values. @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? 0;
  return below + (above - below) * (at - Math.floor(at));
}

/** Ratios of values measured in the same round. */
export function ratios(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, index) => value / (others[index] ?? Number.NaN));
}

/** Median and range: `0.71 (0.69 to 0.74)`. */
export function spread(values: readonly number[], digits = 2): string {
  const format = (value: number) => value.toFixed(digits);
  return `${format(median(values))} (${format(Math.min(...values))} to ${format(Math.max(...values))})`;
}

/** Integer with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Markdown table. The first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join(
    '\n',
  );
}

/** List item that says if a target is met. */
export function verdict(what: string, value: number, direction: Direction, target: number, unit = ''): string {
  const met = { 'at least': value >= target, 'at most': value <= target, exactly: value === target }[direction];
  const shown = Number.isInteger(value) ? String(value) : value.toPrecision(3);
  return `- ${met ? 'Met' : '**Missed**'}: ${what} ${shown}${unit}, target ${direction} ${target}${unit}.`;
}

/** Measures contestants round by round, in alternating order, so that other load of the host affects all of them. */
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

/** Duration of the work in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
