/** Long enough for any clock and beside a busy machine. Linear time stays below it at all lengths that a request can have. */
const MEASURABLE_MS = 20;
const SHORTEST = 1024;
const LONGEST = 128 * 1024;
const RUNS = 3;
const STEP = 4;
const COST_RUNS = 15;

/**
 * How much longer a function takes for an input of four times the length: about 4 when its time is linear, about 16 when it is
 * quadratic. Zero for one that is too fast to be measured at any length.
 * @param make the worst input of about so many characters
 */
export function growthOf(make: (length: number) => string, act: (input: string) => unknown): number {
  let length = SHORTEST;
  while (length < LONGEST && fastest(make(length), act, 1) < MEASURABLE_MS) length *= 2;
  const short = make(length);
  const long = make(STEP * length);
  const before = fastest(short, act, RUNS);
  return before < MEASURABLE_MS / 2 ? 0 : fastest(long, act, RUNS) / before;
}

/** The fastest of several runs, in milliseconds of this process's own work: what else the machine does takes none of them. */
function fastest(input: string, act: (input: string) => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.cpuUsage();
    try {
      act(input);
    } catch {
      // A refusal has to be as quick.
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/**
 * The time that a function takes for each character of an input, in microseconds of CPU: the least of several runs, which ends as soon
 * as one is within the bound.
 */
export async function costOf(input: string, act: (input: string) => unknown, bound: number): Promise<number> {
  let cost = Number.POSITIVE_INFINITY;
  for (let run = 0; run < COST_RUNS && cost > bound; run++) {
    const start = process.cpuUsage();
    try {
      await act(input);
    } catch {
      // A refusal has to be as cheap.
    }
    const { user, system } = process.cpuUsage(start);
    cost = Math.min(cost, (user + system) / input.length);
  }
  return cost;
}
