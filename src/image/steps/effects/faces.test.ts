import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gradient, openStudio, type Shown, type Studio } from '../../../../test/pictures/studio.ts';
import type { Focus } from '../../analysis/focus.ts';

/** 400 x 200: one face from the left in the middle third, one at the right edge, as fractions. */
const FACES = [
  { left: 0.2, top: 0.25, width: 0.1, height: 0.2 },
  { left: 0.9, top: 0.5, width: 0.1, height: 0.2 },
];
/** The same in pixels: their middles, and half of the sides of their ovals. */
const OVALS = [
  { x: 100, y: 70, radius: 26 },
  { x: 380, y: 120, radius: 26 },
];

let studio: Studio;
let image: string;
beforeAll(async () => {
  studio = await openStudio();
  // Stripes, so that everything that is blurred or made into squares changes.
  const stripes = Buffer.alloc(400 * 200 * 3, 0).map((_, at) => (Math.floor(at / 3) % 4 < 2 ? 230 : 20));
  const raw = { width: 400, height: 200, channels: 3 } as const;
  image = await studio.keep('stripes', await sharp(stripes, { raw }).png().toBuffer());
});
afterAll(() => studio.close());

const render = (segment: string, faces = FACES) => studio.render(image, segment, 'png', { faces: { faces } });

/** Counts the pixels that differ, inside and outside of the ovals. */
function changes(one: Shown, other: Shown, isIn: (x: number, y: number) => boolean) {
  let inside = 0;
  let outside = 0;
  for (let y = 0; y < one.height; y++) {
    for (let x = 0; x < one.width; x++) {
      if (one.at(x, y) === other.at(x, y)) continue;
      if (isIn(x + 0.5, y + 0.5)) inside++;
      else outside++;
    }
  }
  return { inside, outside };
}

const isInOval = (x: number, y: number) =>
  OVALS.some((oval) => Math.hypot((x - oval.x) / oval.radius, (y - oval.y) / oval.radius) < 1);

describe.each(['e_blur_faces', 'e_blur_faces:8', 'e_pixelate_faces', 'e_pixelate_faces:9'])('%s', (effect) => {
  test('changes ovals 1.3 times the faces, and not a pixel beside them', async () => {
    const { inside, outside } = changes(await render('f_png'), await render(`${effect},f_png`), isInOval);
    expect(outside).toBe(0);
    // The one at the edge is cut off.
    expect(inside).toBeGreaterThan(0.7 * Math.PI * 26 ** 2 * 1.8);
  });

  test('follows the faces when the picture is turned, mirrored, cut and scaled', async () => {
    for (const [segment, x, y] of [
      ['a_90', 200 - 70, 100],
      ['a_180', 400 - 100, 200 - 70],
      ['a_hflip', 400 - 100, 70],
      ['a_vflip.90', 70, 100],
      ['rg_50:40:100:100', 50, 30],
      ['w_800,h_400', 200, 140],
      ['w_100,h_100,g_west', 50, 35],
      ['w_600,h_300,c_pad,pd_0:0:0:200', 300, 120],
    ] as const) {
      const before = await render(segment);
      const after = await render(`${segment},${effect}`);
      const { inside } = changes(before, after, (atX, atY) => Math.hypot(atX - x, atY - y) < 8);
      expect([segment, inside > 0.7 * Math.PI * 8 ** 2]).toEqual([segment, true]);
    }
  });

  test('shows no picture in which nobody knows of any face, because faces could not be looked for', async () => {
    const faces: Focus = { interest: { columns: 1, rows: 1, cells: [1] }, areFacesUnknown: true };
    const edges = { left: 20, top: 20, width: 300, height: 150 };
    const rendered = (segment: string, others = {}) => studio.render(image, segment, 'png', { faces, ...others });
    await expect(rendered(`w_50,${effect}`)).rejects.toThrow('Faces cannot be found');
    await expect(rendered(`tr,a_20,w_50,${effect}`, { edges })).rejects.toThrow('Faces cannot be found');
    expect((await rendered('w_50,h_50,g_face')).width).toBe(50);
  });

  test('hides all of a face in a picture that is turned by any angle', async () => {
    const before = await render('a_30');
    const after = await render(`a_30,${effect}`);
    // The middle of the first face, turned around that of the image.
    const x = 100 - 200;
    const y = 70 - 100;
    const cosine = Math.cos(Math.PI / 6);
    const sine = Math.sin(Math.PI / 6);
    const atX = before.width / 2 + x * cosine - y * sine;
    const atY = before.height / 2 + x * sine + y * cosine;
    const near = (x: number, y: number) => Math.hypot(x - atX, y - atY) < 18;
    const { inside } = changes(before, after, near);
    expect(inside).toBeGreaterThan(0.8 * Math.PI * 18 ** 2);
  });

  test('keeps alpha as it was', async () => {
    const glass = await studio.keep('glass', await gradient(60, 40).ensureAlpha(0.5).png().toBuffer());
    const faces = { faces: [{ left: 0.2, top: 0.2, width: 0.4, height: 0.4 }] };
    const { pixel } = await studio.render(glass, `${effect}`, 'png', { faces });
    expect(Math.abs(pixel(24, 16)[3] - pixel(2, 2)[3])).toBeLessThanOrEqual(2);
  });

  test('leaves a picture without faces as it is', async () => {
    const before = await render('f_png');
    const after = await render(`${effect},f_png`, []);
    expect(changes(before, after, () => true)).toEqual({ inside: 0, outside: 0 });
  });
});

test('faces are hidden more where they are larger, unless it is said how much', async () => {
  const large = [{ left: 0.1, top: 0, width: 0.5, height: 1 }];
  const contrast = ({ pixel }: Shown) => Math.abs((pixel(140, 100)[0] ?? 0) - (pixel(142, 100)[0] ?? 0));
  expect(contrast(await render('e_blur_faces', large))).toBeLessThan(3);
  expect(contrast(await render('e_blur_faces:0.3', large))).toBeGreaterThan(100);
});
