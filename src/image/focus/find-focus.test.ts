import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gradient, openStudio, type Studio } from '../../../test/pictures/studio.ts';
import { createFaceDetector } from './detect-faces.ts';
import { findFocus } from './find-focus.ts';

const limits = { inputMegapixels: 100, animationFrames: 1000 };
const detector = createFaceDetector();

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

test.each(['face', 'auto'] as const)(
  'g_%s of a picture that ends in the middle says that it is undecodable',
  async (gravity) => {
    const whole = await gradient(600, 400).jpeg().toBuffer();
    const input = await studio.keep(`cut-${gravity}`, whole.subarray(0, whole.length / 2));
    const result = await findFocus({ input, output: studio.file(`no-${gravity}`), gravity, limits }, detector);
    expect(result).toMatchObject({ outcome: 'undecodable' });
  },
);

test('for a picture without a face the interest is kept, also with g_face', async () => {
  const input = await studio.keep('plain', await gradient(60, 40).png().toBuffer());
  const found = await findFocus({ input, output: studio.file('kept'), gravity: 'face', limits }, detector);
  expect(found).toEqual({ outcome: 'found' });
  expect(JSON.parse(await readFile(studio.file('kept'), 'utf8'))).toHaveProperty('interest');
});
