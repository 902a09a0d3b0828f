import fc from 'fast-check';
import { catalogProperty } from '../catalog/model-test.ts';
import { worldsIn } from '../catalog/worlds.ts';
import { combinationsOf, inPlaces, placeChoice } from './chosen-places.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';

export const unit = 'rounds';
export const defaultCount = 1000;

/**
 * Runs random changes of a storage by the service and by other programs, kills and restarts, then compares the catalog
 * with the stored files.
 */
export async function fuzz({ count, seed, places = placeChoice() }: FuzzOrder): Promise<FuzzReport> {
  const lines: string[] = [];
  const problems: string[] = [];
  const combinations = combinationsOf(places);
  const numRuns = Math.ceil(count / combinations.length);
  await inPlaces(combinations, async (where, newPlaces) => {
    const property = catalogProperty(worldsIn(await newPlaces()));
    const { failed, counterexample, counterexamplePath, ...run } = await fc.check(property, { numRuns, seed });
    lines.push(`${where}: ${run.numRuns} rounds`);
    if (failed)
      problems.push(`${where}, at ${counterexamplePath}: ${JSON.stringify(counterexample)}\n${run.errorInstance}`);
  });
  return { lines, problems };
}
