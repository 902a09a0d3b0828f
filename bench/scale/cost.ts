import { memoryOf, resetPeak } from '../tools/process.ts';
import { median, timed } from '../tools/report.ts';
import type { Darkroom } from '../tools/service.ts';
import type { Cost } from './row.ts';

/** Runs before those that are measured: the first ones load code and fill caches. */
const UNMEASURED = 3;

/**
 * Measures one operation, such as whole work.
 * @param service a service started with `isProbed`
 */
export async function costOf(
  { pid, longestStall }: Pick<Darkroom, 'pid' | 'longestStall'>,
  operation: () => Promise<unknown>,
): Promise<Cost> {
  await longestStall();
  resetPeak(pid);
  const before = memoryOf(pid).now;
  const ms = await timed(operation);
  const stallMs = await longestStall();
  return { ms, megabytes: memoryOf(pid).peak - before, stallMs };
}

/** Measures a look-up: the median of several. @param operation called with rising numbers */
export async function costOfLookUp(
  service: Pick<Darkroom, 'pid' | 'longestStall'>,
  operation: (round: number) => Promise<unknown>,
  rounds = 40,
): Promise<Cost> {
  for (let round = 0; round < UNMEASURED; round++) await operation(round);
  const times: number[] = [];
  const cost = await costOf(service, async () => {
    for (let round = UNMEASURED; round < UNMEASURED + rounds; round++) times.push(await timed(() => operation(round)));
  });
  return { ...cost, ms: median(times) };
}
