import fc from 'fast-check';
import { test } from 'vitest';
import { step } from './model.ts';
import { Rig } from './rig.ts';
import type { OwnWorld } from './worlds.ts';

/** Rounds of the tests in each of the four storage combinations, 200 in total. */
export const ROUNDS = 50;

/** Maximum number of steps between two checks. */
const MAX_STEPS = 25;

/** Returns the property of each round: random steps on a world, then a check that the catalog matches the storage. */
export function catalogProperty(newWorld: () => Promise<OwnWorld>) {
  return fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: MAX_STEPS }), async (steps) => {
    const world = await newWorld();
    try {
      await new Rig(world).run(steps);
    } finally {
      await world.close();
    }
  });
}

export function testCatalogModel(
  where: string,
  newWorlds: () => Promise<() => Promise<OwnWorld>>,
  numRuns: number,
): void {
  test(`after any changes by anybody, kills and restarts, the catalog is what is stored ${where}`, async () => {
    await fc.assert(catalogProperty(await newWorlds()), { numRuns });
  }, 300_000);
}
