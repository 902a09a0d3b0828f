import { cpuMicroseconds } from '../tools/process.ts';
import type { Darkroom } from '../tools/service.ts';
import { askOften, CASES, type Case, SIDES, type Side, startSide, warmUpWith } from './services.ts';

const SERVER_CPU = 0;
/** The order within a round: what drifts meets both alike. */
const ORDER: readonly Side[] = ['traced', 'without', 'without', 'traced'];

export interface Effort {
  /** Requests before anything is measured. */
  warmUp: number;
  rounds: number;
  /** Of each side's turn in a round. */
  requests: number;
}

export interface Cost {
  /** With the calls, in ratio to without them. */
  ratio: number;
  /** Of CPU time for one request, with the calls. */
  microseconds: number;
}

/**
 * The CPU time of the service for one request in ratio to that of the service without the calls, in short rounds.
 * @returns for each case the cost in every round of this pair of processes
 */
export async function compareCpu(effort: Effort): Promise<Map<Case, Cost[]>> {
  const traced = await startSide('traced', { cpu: SERVER_CPU });
  try {
    const without = await startSide('without', { cpu: SERVER_CPU });
    try {
      return await compare({ traced, without }, effort);
    } finally {
      await without.stop();
    }
  } finally {
    await traced.stop();
  }
}

async function compare(
  sides: Readonly<Record<Side, Darkroom>>,
  { warmUp, rounds, requests }: Effort,
): Promise<Map<Case, Cost[]>> {
  const compared = new Map<Case, Cost[]>();
  for (const one of CASES) {
    for (const side of SIDES) await warmUpWith(sides[side], one, warmUp);
    const results: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      const used = { traced: 0, without: 0 };
      for (const side of ORDER) used[side] += await cost(sides[side], one, requests);
      results.push({ ratio: used.traced / used.without, microseconds: used.traced / requests / 2 });
    }
    compared.set(one, results);
  }
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
