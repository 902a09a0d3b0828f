import { rowsOfDatabase } from './scale/database.ts';
import { rowsOfFiles } from './scale/files.ts';
import type { Cost, Row } from './scale/row.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { table, verdict, whole } from './tools/report.ts';

const TARGETS = { slope: { 'look-up': 0.1, whole: 1.05 }, megabytes: 50, stallMs: 20 } as const;

/** A row with its costs, one for each size. */
interface Measured extends Pick<Row, 'label' | 'kind'> {
  sizes: readonly number[];
  costs: readonly Cost[];
  slope: number;
  /** Difference of the peaks at the sizes, in MB. */
  megabytes: number;
  stallMs: number;
}

export const scale: Benchmark = {
  name: 'scale',
  about: 'growth of cost with the library, the queue, the trash and the cache',
  async run({ quick }) {
    const rows: Measured[] = [];
    for (const row of [...rowsOfDatabase, ...rowsOfFiles]) rows.push(await measure(row, quick));
    return [
      'Time of one operation at each size, its log-log slope (least squares), the growth of the memory of the service (peak above that',
      'before the operation, largest minus smallest) and the longest stall of its event loop. Bold: above the target. A look-up is the',
      'median of several. Look-ups run on a SQLite database of up to 1,000,000 originals and as many items in the trash.',
      '',
      table(['', 'sizes', 'ms', 'slope', 'target', 'MB', 'stall, ms'], rows.map(cellsOf)),
      '',
      worst(
        rows.filter(({ kind }) => kind === 'look-up'),
        'slope',
        'steepest look-up',
        TARGETS.slope['look-up'],
      ),
      worst(
        rows.filter(({ kind }) => kind === 'whole'),
        'slope',
        'steepest whole work',
        TARGETS.slope.whole,
      ),
      worst(rows, 'megabytes', 'largest growth of memory', TARGETS.megabytes, ' MB'),
      worst(rows, 'stallMs', 'longest stall', TARGETS.stallMs, ' ms'),
    ].join('\n');
  },
};

async function measure(row: Row, quick: boolean): Promise<Measured> {
  const { label, kind } = row;
  const sizes = quick ? row.quickSizes : row.sizes;
  const costs: Cost[] = [];
  for (const size of sizes) {
    process.stderr.write(`  ${label}: ${whole(size)}\n`);
    costs.push(await row.measure(size));
  }
  const megabytes = costs.map((cost) => cost.megabytes);
  return {
    label,
    kind,
    sizes,
    costs,
    slope: slopeOf(
      sizes,
      costs.map(({ ms }) => ms),
    ),
    megabytes: Math.max(...megabytes) - Math.min(...megabytes),
    stallMs: Math.max(...costs.map(({ stallMs }) => stallMs)),
  };
}

/** Slope of the line with the least squares through the logarithms. */
function slopeOf(sizes: readonly number[], times: readonly number[]): number {
  const xs = sizes.map(Math.log);
  const ys = times.map(Math.log);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(xs), mean(ys)];
  const covariance = mean(xs.map((value, index) => (value - x) * ((ys[index] ?? y) - y)));
  return covariance / mean(xs.map((value) => (value - x) ** 2));
}

function cellsOf({ label, kind, sizes, costs, slope, megabytes, stallMs }: Measured): string[] {
  const target = TARGETS.slope[kind];
  return [
    label,
    sizes.map(whole).join(' / '),
    costs.map(({ ms }) => (ms < 100 ? ms.toPrecision(2) : whole(ms))).join(' / '),
    marked(slope, target, 2),
    `${target}`,
    marked(megabytes, TARGETS.megabytes, 0),
    marked(stallMs, TARGETS.stallMs, 0),
  ];
}

function marked(value: number, target: number, digits: number): string {
  return value > target ? `**${value.toFixed(digits)}**` : value.toFixed(digits);
}

function worst(
  rows: readonly Measured[],
  figure: 'slope' | 'megabytes' | 'stallMs',
  what: string,
  target: number,
  unit = '',
): string {
  const [row] = rows.toSorted((one, other) => other[figure] - one[figure]);
  return verdict(`${what} (${row?.label})`, row?.[figure] ?? 0, 'at most', target, unit);
}
