import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { planLayout, type Rectangle, type Size, turnBy, WHOLE } from '../layout/geometry.ts';
import { mapInterest } from './map-interest.ts';
import { placeByInterest, turnInterest } from './place-by-interest.ts';

const fixture = (name: string) => sharp(new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname);

/** The part of an image that a filled box shows when interest decides. */
const shown = async (image: Sharp, original: Size, box: Size) =>
  planLayout(original, { ...box, crop: 'fill', angle: 0 }, placeByInterest(await mapInterest(image), WHOLE)).region;

const overlap = (a: Rectangle, b: Rectangle) =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));

/** A grey image with a patch of coloured noise. */
async function patchAt(left: number, top: number) {
  const noise = {
    create: {
      width: 100,
      height: 100,
      channels: 3 as const,
      noise: { type: 'gaussian' as const, mean: 128, sigma: 60 },
    },
  };
  const patch = await sharp({ ...noise, create: { ...noise.create, background: 'white' } })
    .png()
    .toBuffer();
  const ground = sharp({ create: { width: 800, height: 400, channels: 3, background: '#606060' } });
  return sharp(
    await ground
      .composite([{ input: patch, left, top }])
      .png()
      .toBuffer(),
  );
}

describe('a window placed by interest', () => {
  const size = { width: 800, height: 400 };

  test.each([
    [0, 0],
    [700, 300],
    [350, 0],
    [120, 200],
  ])('holds the only detail, at %d,%d', async (left, top) => {
    const image = await patchAt(left, top);
    for (const box of [
      { width: 100, height: 100 },
      { width: 400, height: 100 },
      { width: 50, height: 200 },
    ]) {
      const region = await shown(image, size, box);
      const most = Math.min(region.width, 100) * Math.min(region.height, 100);
      expect(overlap(region, { left, top, width: 100, height: 100 })).toBeGreaterThan(0.9 * most);
    }
  });

  test('is in the middle of a plain picture', async () => {
    const plain = sharp({ create: { width: 800, height: 400, channels: 3, background: '#336699' } }).png();
    const region = await shown(sharp(await plain.toBuffer()), size, { width: 100, height: 100 });
    expect(region).toEqual({ left: 200, top: 0, width: 400, height: 400 });
  });

  test.each([
    { name: 'portrait-face.jpg', original: { width: 800, height: 533 }, subject: [290, 130, 220, 270] },
    { name: 'orientation-1.jpg', original: { width: 1200, height: 1800 }, subject: [440, 1100, 160, 460] },
    { name: 'no-face.jpg', original: { width: 640, height: 480 }, subject: [290, 62, 256, 384] },
    { name: 'photo-2725x2225.jpg', original: { width: 2725, height: 2225 }, subject: [440, 490, 1440, 1110] },
  ])('keeps the subject of $name', async ({ name, original, subject }) => {
    const [left = 0, top = 0, width = 0, height = 0] = subject;
    for (const box of [
      { width: 200, height: 400 },
      { width: 400, height: 200 },
      { width: 300, height: 300 },
    ]) {
      const region = await shown(fixture(name), original, box);
      const most = Math.min(region.width, width) * Math.min(region.height, height);
      expect(overlap(region, { left, top, width, height })).toBeGreaterThan(0.7 * most);
    }
  });
});

describe('an interest map', () => {
  test('is small and survives JSON', async () => {
    const map = await mapInterest(fixture('photo-2725x2225.jpg'));
    expect(map.columns).toBe(32);
    expect(map.cells).toHaveLength(map.columns * map.rows);
    expect(JSON.parse(JSON.stringify(map))).toEqual(map);
    expect(JSON.stringify(map).length).toBeLessThan(4500);
  });

  test('is made of grey, transparent and one-pixel-high pictures alike', async () => {
    const line = sharp({ create: { width: 900, height: 1, channels: 3, background: 'red' } }).png();
    expect(await mapInterest(sharp(await line.toBuffer()))).toMatchObject({ columns: 32, rows: 1 });
    expect(Math.max(...(await mapInterest(fixture('concert.jpg'))).cells)).toBe(255);
    expect(Math.max(...(await mapInterest(fixture('flag-alpha.png'))).cells)).toBe(255);
  });

  test('turns with its picture', () => {
    const map = { columns: 3, rows: 2, cells: [1, 2, 3, 4, 5, 6] };
    expect(turnInterest(map, turnBy(0))).toEqual(map);
    expect(turnInterest(map, turnBy(90))).toEqual({ columns: 2, rows: 3, cells: [4, 1, 5, 2, 6, 3] });
    expect(turnInterest(map, turnBy(180))).toEqual({ columns: 3, rows: 2, cells: [6, 5, 4, 3, 2, 1] });
    expect(turnInterest(map, { isMirrored: true, degrees: 0 })).toEqual({ ...map, cells: [3, 2, 1, 6, 5, 4] });
    expect(turnInterest(map, { isMirrored: true, degrees: 90 })).toMatchObject({ cells: [6, 3, 5, 2, 4, 1] });
    expect(turnInterest(map, turnBy(270))).toEqual({ columns: 2, rows: 3, cells: [3, 6, 2, 5, 1, 4] });
  });
});
