import type { Benchmark } from './tools/benchmark.ts';
import { requirePrograms } from './tools/programs.ts';
import { median, spread, table, verdict } from './tools/report.ts';
import { type Cost, compareCpu, type Effort } from './tracing/cpu.ts';
import { CASES, type Case } from './tracing/services.ts';

const MOST = 1.05;

interface Runs extends Effort {
  /** Pairs of new ones. */
  processes: number;
}

const FULL: Runs = { processes: 4, warmUp: 10_000, rounds: 40, requests: 500 };
const QUICK: Runs = { processes: 1, warmUp: 500, rounds: 2, requests: 200 };

/** What the calls of tracing cost where no SDK is loaded. */
export const tracing: Benchmark = {
  name: 'tracing',
  async run({ quick }) {
    requirePrograms('taskset');
    const effort = quick ? QUICK : FULL;
    const pairs = new Map<Case, Cost[]>(CASES.map((one) => [one, []]));
    for (let n = 0; n < effort.processes; n++) {
      const compared = await compareCpu(effort);
      for (const [one, measured] of pairs) {
        const rounds = compared.get(one) ?? [];
        const [ratio, microseconds] = [rounds.map((r) => r.ratio), rounds.map((r) => r.microseconds)].map(median);
        measured.push({ ratio: ratio ?? Number.NaN, microseconds: microseconds ?? Number.NaN });
      }
    }
    return describe(pairs, effort);
  },
};

function describe(pairs: ReadonlyMap<Case, readonly Cost[]>, { processes, rounds, requests }: Runs): string {
  const ratiosOf = (measured: readonly Cost[]) => measured.map(({ ratio }) => ratio);
  return [
    'What the calls of tracing cost where no SDK is loaded: the service as it is beside the same with them taken out of its source as it',
    `is loaded, attributes included. ${processes} pairs of new processes; for each request the median of the rounds of a pair, then the`,
    'median of the pairs with their range. CPU is the time of the server process, kernel included, as the scheduler counts it, in',
    `${rounds} rounds of 4 times ${requests} requests, in the order with, without, without, with. Requests are not logged.`,
    '',
    table(
      ['request', 'CPU us, with', 'with : without'],
      [...pairs].map(([{ label }, measured]) => [
        label,
        median(measured.map(({ microseconds }) => microseconds)).toFixed(1),
        spread(ratiosOf(measured), 3),
      ]),
    ),
    '',
    ...[...pairs].map(([{ label }, measured]) => verdict(label, median(ratiosOf(measured)), 'at most', MOST)),
  ].join('\n');
}
