import fc from 'fast-check';
import { test } from 'vitest';
import { step } from './model.ts';
import { Rig } from './rig.ts';
import type { OwnWorld } from './worlds.ts';

/** How many rounds the tests run in each of the four places, which are 200 together. */
export const ROUNDS = 50;

/** So many steps are taken between two looks at most. */
const MAX_STEPS = 25;

/** What each round does: random steps on a world, and then a look whether the catalog is what is stored. */
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
