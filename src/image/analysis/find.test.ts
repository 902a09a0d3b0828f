import { readFile } from 'node:fs/promises';
import { createFaceDetector } from '@darkroom/faces/detect-faces';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gradient, openStudio, type Studio } from '../../../test/pictures/studio.ts';
import { analyse, createFinders } from './find.ts';

const limits = { inputMegapixels: 100, animationFrames: 1000 };
const finders = createFinders();

let studio: Studio;

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

test.each([
  { kind: 'faces' },
  { kind: 'interest' },
  { kind: 'ground' },
  { kind: 'cutout' },
  { kind: 'edges', tolerance: 10 },
] as const)('looking for $kind in a picture that ends in the middle says that it is undecodable', async (analysis) => {
  const whole = await gradient(600, 400).jpeg().toBuffer();
  const input = await studio.keep(`cut-${analysis.kind}`, whole.subarray(0, whole.length / 2));
  const result = await analyse({ input, output: studio.file(`no-${analysis.kind}`), analysis, limits }, finders);
  expect(result).toMatchObject({ outcome: 'undecodable' });
});

test('for a picture without a face the interest is kept, also with g_face', async () => {
  const input = await studio.keep('plain', await gradient(60, 40).png().toBuffer());
  const found = await analyse({ input, output: studio.file('kept'), analysis: { kind: 'faces' }, limits }, finders);
  expect(found).toEqual({ outcome: 'found' });
  expect(JSON.parse(await readFile(studio.file('kept'), 'utf8'))).toHaveProperty('interest');
});

test('where faces cannot be looked for the interest is found, and it says that nobody knows of any face', async () => {
  const input = await studio.keep('unknown', await gradient(60, 40).png().toBuffer());
  const without = { ...finders, faces: createFaceDetector(new URL('file:///nowhere/')) };
  const order = { input, output: studio.file('guess'), analysis: { kind: 'faces' }, limits } as const;
  expect(await analyse(order, without)).toEqual({ outcome: 'found' });
  const found = JSON.parse(await readFile(studio.file('guess'), 'utf8'));
  expect(found).toEqual({ interest: expect.anything(), areFacesUnknown: true });
});
