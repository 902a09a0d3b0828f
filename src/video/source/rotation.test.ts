import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withMatrix } from '../../../test/mp4-patches.ts';
import { BLUE, H264, isNear, openStudio, RED, redLeftBlueRight, type Studio } from '../../../test/video-samples.ts';
import { probeVideo } from './probe.ts';

let studio: Studio;
let sides: Buffer;
beforeAll(async () => {
  studio = await openStudio();
  sides = await readFile(await studio.make('sides.mp4', ...redLeftBlueRight('160x90'), ...H264));
});
afterAll(() => studio.close());

/** Side on which the red half is shown, which is stored on the left. */
test.each([
  ['as it is stored', [1, 0, 0, 1], 0, 'left'],
  ['turned to the right', [0, 1, -1, 0], -90, 'top'],
  ['turned upside down', [-1, 0, 0, -1], 180, 'right'],
  ['turned to the left', [0, -1, 1, 0], 90, 'bottom'],
  ['mirrored', [-1, 0, 0, 1], 0, 'right'],
  ['mirrored upside down', [1, 0, 0, -1], 0, 'left'],
  ['mirrored and turned to the right', [0, -1, -1, 0], 90, 'bottom'],
  ['mirrored and turned to the left', [0, 1, 1, 0], 90, 'top'],
] as const)('a video that is %s', async (_what, matrix, degrees, side) => {
  const file = studio.path('turned.mp4');
  await writeFile(file, withMatrix(sides, matrix));
  const { rotation, upright } = await probeVideo(studio.tools, file);
  expect(Object.is(rotation, -0)).toBe(false);
  // Half a turn is equal in both directions, and so is a quarter turn of mirrored frames.
  expect(degrees === 90 || degrees === 180 ? Math.abs(rotation) : rotation).toBe(degrees);
  const [frame] = await studio.frames(await studio.transcode(file, {}));
  expect({ width: frame?.width, height: frame?.height }).toEqual(upright);
  const right = (frame?.width ?? 0) - 5;
  const bottom = (frame?.height ?? 0) - 5;
  const points = { left: [5, 45], right: [right, 45], top: [45, 5], bottom: [45, bottom] } as const;
  const opposite = { left: 'right', right: 'left', top: 'bottom', bottom: 'top' } as const;
  const at = ([x = 0, y = 0]: readonly number[]) => frame?.at(x, y);
  expect(isNear(at(points[side]), RED)).toBe(true);
  expect(isNear(at(points[opposite[side]]), BLUE)).toBe(true);
});
