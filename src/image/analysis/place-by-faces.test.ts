import { describe, expect, test } from 'vitest';
import { turnBy } from '../layout/geometry.ts';
import { placeByFaces, turnFaces } from './place-by-faces.ts';

const image = { width: 1000, height: 500 };
/** A square face, given in the image's pixels. */
const faceAt = (left: number, top: number, side: number) => ({
  left: left / 1000,
  top: top / 500,
  width: side / 1000,
  height: side / 500,
});

describe('a window placed by faces', () => {
  test('is in the middle without a face', () => {
    expect(placeByFaces([])(image, { width: 400, height: 500 })).toEqual({ left: 300, top: 0 });
  });

  test('is centred on a face', () => {
    expect(placeByFaces([faceAt(600, 200, 100)])(image, { width: 400, height: 500 })).toEqual({ left: 450, top: 0 });
  });

  test('leaves more room above a face than below it', () => {
    const { top } = placeByFaces([faceAt(400, 200, 100)])(image, { width: 1000, height: 200 });
    const above = 200 - top;
    const below = top + 200 - 300;
    expect(above).toBeGreaterThan(below);
    expect(below).toBeGreaterThan(0);
  });

  test('stays within the picture', () => {
    expect(placeByFaces([faceAt(0, 0, 100)])(image, { width: 400, height: 300 })).toEqual({ left: 0, top: 0 });
    expect(placeByFaces([faceAt(900, 400, 100)])(image, { width: 400, height: 300 })).toEqual({
      left: 600,
      top: 200,
    });
  });

  test('holds all faces that fit, centred on their common box', () => {
    const faces = [faceAt(500, 200, 100), faceAt(750, 200, 50)];
    expect(placeByFaces(faces)(image, { width: 400, height: 500 })).toEqual({ left: 450, top: 0 });
  });

  test('holds the largest if they do not all fit, whatever their order', () => {
    const faces = [faceAt(20, 200, 50), faceAt(800, 200, 100)];
    const window = { width: 400, height: 500 };
    expect(placeByFaces(faces)(image, window)).toEqual({ left: 600, top: 0 });
    expect(placeByFaces(faces.toReversed())(image, window)).toEqual({ left: 600, top: 0 });
  });

  test('holds with the largest those that fit, and leaves out only the others', () => {
    const faces = [faceAt(500, 200, 100), faceAt(0, 200, 60), faceAt(700, 200, 50)];
    expect(placeByFaces(faces)(image, { width: 300, height: 500 })).toEqual({ left: 475, top: 0 });
  });

  test('is centred on the largest face if even that does not fit', () => {
    expect(placeByFaces([faceAt(300, 100, 300)])(image, { width: 100, height: 500 })).toEqual({ left: 400, top: 0 });
  });
});

describe('faces of a turned picture', () => {
  const face = faceAt(600, 100, 100);

  test('by 90 degrees go clockwise', () => {
    const [turned] = turnFaces([face], image, turnBy(90));
    expect(turned?.left).toBeCloseTo(300 / 500);
    expect(turned?.top).toBeCloseTo(600 / 1000);
    expect(turned?.width).toBeCloseTo(100 / 500);
    expect(turned?.height).toBeCloseTo(100 / 1000);
  });

  test('by 180 degrees change to the opposite corner', () => {
    const [turned] = turnFaces([face], image, turnBy(180));
    expect(turned?.left).toBeCloseTo(300 / 1000);
    expect(turned?.top).toBeCloseTo(300 / 500);
  });

  test('and mirrored change sides, before they turn', () => {
    const [mirrored] = turnFaces([face], image, { isMirrored: true, degrees: 0 });
    expect([mirrored?.left, mirrored?.top]).toEqual([expect.closeTo(0.3), expect.closeTo(0.2)]);
    const [turned] = turnFaces([face], image, { isMirrored: true, degrees: 90 });
    expect([turned?.left, turned?.top]).toEqual([expect.closeTo(300 / 500), expect.closeTo(300 / 1000)]);
  });

  test('by 0 degrees stay where they are', () => {
    expect(turnFaces([face], image, turnBy(0))[0]?.left).toBeCloseTo(0.6);
  });

  test('by 45 degrees are held by a larger box', () => {
    const middle = faceAt(450, 200, 100);
    const [turned] = turnFaces([middle], image, turnBy(45));
    expect((turned?.left ?? 0) + (turned?.width ?? 0) / 2).toBeCloseTo(0.5, 2);
    expect((turned?.width ?? 0) * 1061).toBeCloseTo(141.4, 0);
  });
});
