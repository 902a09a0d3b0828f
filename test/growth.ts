/**
 * Minimum time that any clock measures reliably, also on a busy host. Linear time stays below it at every length that a
 * request allows.
 */
const MEASURABLE_MS = 20;
const SHORTEST = 1024;
const LONGEST = 128 * 1024;
const RUNS = 3;
const STEP = 4;
const COST_RUNS = 15;

/**
 * Returns the growth of a function's time for an input of four times the length: about 4 for linear time, about 16 for
 * quadratic time. 0 if it is too fast to measure at any length.
 * @param make creates the worst input of about this many characters
 */
export function growthOf(make: (length: number) => string, act: (input: string) => unknown): number {
  let length = SHORTEST;
  while (length < LONGEST && fastest(make(length), act, 1) < MEASURABLE_MS) length *= 2;
  const short = make(length);
  const long = make(STEP * length);
  const before = fastest(short, act, RUNS);
  return before < MEASURABLE_MS / 2 ? 0 : fastest(long, act, RUNS) / before;
}

/** Returns the fastest of several runs, in ms of CPU time of this process, which excludes other load. */
function fastest(input: string, act: (input: string) => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.cpuUsage();
    try {
      act(input);
    } catch {
      // A rejection must be as fast.
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/**
 * Returns the CPU time per character of an input, in microseconds: the minimum of several runs. Stops at the first run
 * within the bound.
 */
export async function costOf(input: string, act: (input: string) => unknown, bound: number): Promise<number> {
  let cost = Number.POSITIVE_INFINITY;
  for (let run = 0; run < COST_RUNS && cost > bound; run++) {
    const start = process.cpuUsage();
    try {
      await act(input);
    } catch {
      // A rejection must be as cheap.
    }
    const { user, system } = process.cpuUsage(start);
    cost = Math.min(cost, (user + system) / input.length);
  }
  return cost;
}
