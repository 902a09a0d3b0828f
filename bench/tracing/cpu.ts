import { readdirSync, readFileSync } from 'node:fs';
import type { Darkroom } from '../tools/service.ts';
import { askOften, CASES, type Case, SIDES, type Side, startSide, warmUpWith } from './services.ts';

const SERVER_CPU = 0;
/** The order within a round: what drifts meets both alike. */
const ORDER: readonly Side[] = ['traced', 'without', 'without', 'traced'];

/**
 * The CPU time of the service for one request in ratio to that of the service without the calls, in short rounds.
 * @returns for each case the ratio of every round of this pair of processes
 */
export async function compareCpu({
  warmUp,
  rounds,
  requests,
}: {
  warmUp: number;
  rounds: number;
  requests: number;
}): Promise<Map<Case, { ratio: number; microseconds: number }[]>> {
  const sides = {
    traced: await startSide('traced', { cpu: SERVER_CPU }),
    without: await startSide('without', { cpu: SERVER_CPU }),
  };
  const compared = new Map<Case, { ratio: number; microseconds: number }[]>();
  for (const one of CASES) {
    for (const side of SIDES) await warmUpWith(sides[side], one, warmUp);
    const results: { ratio: number; microseconds: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const used = { traced: 0, without: 0 };
      for (const side of ORDER) used[side] += await cost(sides[side], one, requests);
      results.push({ ratio: used.traced / used.without, microseconds: used.traced / requests / 2 });
    }
    compared.set(one, results);
  }
  for (const side of SIDES) await sides[side].stop();
  return compared;
}

/** Microseconds of CPU time for so many requests. */
function cost(darkroom: Darkroom, one: Case, requests: number): Promise<number> {
  return askOften(darkroom, one, requests, async (work) => {
    const before = cpuMicroseconds(darkroom.pid);
    await work();
    return cpuMicroseconds(darkroom.pid) - before;
  });
}

/** What all threads of a process have used, as the scheduler counts it: in nanoseconds, and not in ticks. */
function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1000;
}
