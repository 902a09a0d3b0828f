import fc from 'fast-check';
import { test } from 'vitest';
import { step } from './model.ts';
import { Rig, type World } from './rig.ts';

/** So many steps are taken between two looks at most. */
const MAX_STEPS = 25;

/** What each round does: random steps on a world, and then a look whether the catalog is what is stored. */
export function catalogProperty(newWorld: () => Promise<World & { close(): Promise<void> }>) {
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
  newWorld: () => Promise<World & { close(): Promise<void> }>,
  numRuns: number,
): void {
  test(`after any changes by anybody, kills and restarts, the catalog is what is stored ${where}`, async () => {
    await fc.assert(catalogProperty(newWorld), { numRuns });
  }, 300_000);
}
