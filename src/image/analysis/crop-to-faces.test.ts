import { createFaceDetector, detectFaces } from '@darkroom/faces/detect-faces';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { planLayout, type Rectangle, type Size, turnBy } from '../layout/geometry.ts';
import { placeByFaces, turnFaces } from './place-by-faces.ts';

const portrait = new URL('../../../test/fixtures/portrait-face.jpg', import.meta.url).pathname;
const portraitSize = { width: 800, height: 533 };
/** Where the face of the portrait is, from brow to chin and ear to ear. */
const face: Rectangle = { left: 290, top: 130, width: 220, height: 270 };

const detector = createFaceDetector();

/** The part of an image that a filled box shows when faces decide. */
const shown = (image: Size, box: Size, faces: Rectangle[], angle = 0) =>
  planLayout(image, { ...box, crop: 'fill', angle }, placeByFaces(faces)).region;

function expectInFrame(region: Rectangle, inner: Rectangle) {
  expect(region.left).toBeLessThanOrEqual(inner.left);
  expect(region.top).toBeLessThanOrEqual(inner.top);
  expect(region.left + region.width).toBeGreaterThanOrEqual(inner.left + inner.width);
  expect(region.top + region.height).toBeGreaterThanOrEqual(inner.top + inner.height);
}

const boxes = [
  { width: 200, height: 400 },
  { width: 400, height: 200 },
  { width: 100, height: 100 },
  { width: 300, height: 300 },
];

const copies: { name: string; make: () => Sharp; size: Size; face: Rectangle }[] = [
  { name: 'as it is', make: () => sharp(portrait), size: portraitSize, face },
  {
    name: 'mirrored',
    make: () => sharp(portrait).flop(),
    size: portraitSize,
    face: { ...face, left: 800 - 510 },
  },
  {
    name: 'turned by 90 degrees',
    make: () => sharp(portrait).rotate(90),
    size: { width: 533, height: 800 },
    face: { left: 533 - 400, top: 290, width: 270, height: 220 },
  },
  {
    name: 'turned by 180 degrees',
    make: () => sharp(portrait).rotate(180),
    size: portraitSize,
    face: { ...face, left: 800 - 510, top: 533 - 400 },
  },
  {
    name: 'turned by 270 degrees',
    make: () => sharp(portrait).rotate(270),
    size: { width: 533, height: 800 },
    face: { left: 130, top: 800 - 510, width: 270, height: 220 },
  },
  {
    name: 'turned in pixels and upright again by its EXIF orientation',
    make: () => sharp(portrait).rotate(90).withMetadata({ orientation: 8 }),
    size: portraitSize,
    face,
  },
];

describe('a portrait', () => {
  test.each(copies)('$name keeps its face whole in crops of any shape', async ({ make, size, face }) => {
    const faces = await detectFaces(sharp(await make().jpeg().toBuffer()), detector);
    expect(faces).toHaveLength(1);
    // A wide crop of a tall image cannot hold the face: then it shows the middle of it.
    for (const box of boxes) {
      const region = shown(size, box, faces);
      if (region.width >= face.width && region.height >= face.height) expectInFrame(region, face);
      else expectInFrame(region, { left: face.left + 100, top: face.top + 80, width: 40, height: 40 });
    }
  });

  test('turned by the transformation keeps its face in frame', async () => {
    const faces = await detectFaces(sharp(portrait), detector);
    const region = shown(portraitSize, { width: 300, height: 300 }, turnFaces(faces, portraitSize, turnBy(90)), 90);
    expectInFrame(region, { left: 533 - 400, top: 290, width: 270, height: 220 });
  });
});

describe('several faces', () => {
  const head = () => sharp(portrait).extract({ left: 180, top: 40, width: 460, height: 460 });

  async function twoFaces(width: number) {
    const [large, small] = await Promise.all([head().resize(460).toBuffer(), head().resize(340).toBuffer()]);
    const image = sharp({ create: { width, height: 500, channels: 3, background: '#5a7a3a' } });
    const layers = [
      { input: large, left: 20, top: 20 },
      { input: small, left: width - 360, top: 90 },
    ];
    return { width, height: 500, data: await image.composite(layers).png().toBuffer() };
  }
  /** The faces of the two heads, brow to chin. */
  const largeFace = { left: 20 + 110, top: 20 + 90, width: 220, height: 270 };
  const smallFace = (width: number) => ({ left: width - 360 + 81, top: 90 + 67, width: 163, height: 200 });

  test('near each other are all in frame', async () => {
    const image = await twoFaces(1000);
    const faces = await detectFaces(sharp(image.data), detector);
    expect(faces).toHaveLength(2);
    const region = shown(image, { width: 340, height: 200 }, faces);
    expect(region.width).toBeLessThan(image.width);
    expectInFrame(region, largeFace);
    expectInFrame(region, smallFace(1000));
  });

  test('too far apart for the crop leave the largest in frame', async () => {
    const image = await twoFaces(1400);
    const faces = await detectFaces(sharp(image.data), detector);
    expect(faces).toHaveLength(2);
    expectInFrame(shown(image, { width: 200, height: 200 }, faces), largeFace);
  });
});
