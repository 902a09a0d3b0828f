import fc from 'fast-check';
import { createDiskWorld } from '../catalog/disk-world.ts';
import { catalogProperty } from '../catalog/model-test.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';

export const unit = 'rounds';
export const defaultCount = 1000;

/** Random changes of a disk by the service and by others, kills and restarts; then the catalog has to be what lies there. */
export async function fuzz({ count, seed }: FuzzOrder): Promise<FuzzReport> {
  const { failed, counterexample, numRuns, errorInstance } = await fc.check(catalogProperty(createDiskWorld), {
    numRuns: count,
    seed,
  });
  const problems = failed ? [`${JSON.stringify(counterexample)}\n${errorInstance}`] : [];
  return { lines: [`${numRuns} rounds`], problems };
}
