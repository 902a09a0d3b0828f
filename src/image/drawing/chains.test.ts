import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { painted } from '../../../test/pictures/studio.ts';
import { type Effect, type Operations, PLACES, type Place } from '../step.ts';
import { chainMegabytes, drawChains, planChains } from './chains.ts';

const SIZE = { width: 40, height: 30 };
const SCALED = { width: 50, height: 20 };

const original = () =>
  painted(SIZE.width, SIZE.height, (x, y) => [(x * 6) % 256, (y * 8) % 256, (x * y * 3) % 256, 255]).png();

/** One operation of sharp at each place. */
const OPERATIONS: Readonly<Record<Place, Operations['apply']>> = {
  rotate: (image) => image.rotate(180),
  resize: (image) => image.resize(SCALED.width, SCALED.height, { fit: 'fill' }),
  extend: (image) => image.extend({ left: 3, right: 1, background: '#3060f0' }),
  median: (image) => image.median(3),
  blur: (image) => image.blur(2),
  convolve: (image) => image.convolve({ width: 3, height: 3, kernel: [0, -1, 0, -1, 5, -1, 0, -1, 0] }),
  recomb: (image) =>
    image.recomb([
      [0, 1, 0],
      [0, 0, 1],
      [1, 0, 0],
    ]),
  modulate: (image) => image.modulate({ hue: 90 }),
  sharpen: (image) => image.sharpen({ sigma: 1.5 }),
  composite: (image) => image.composite([{ input: dot, left: 4, top: 4 }]),
  linear: (image) => image.linear(0.5, 40),
  tint: (image) => image.tint('#c08040'),
};
const dot = await sharp({ create: { width: 9, height: 7, channels: 3, background: '#10d020' } })
  .png()
  .toBuffer();

/** An effect at a place, with the size that it leaves of an image. */
function effectAt(place: Place): Operations & { sizeOf(size: typeof SIZE): typeof SIZE } {
  const sizeOf = (size: typeof SIZE) => {
    if (place === 'resize') return SCALED;
    return place === 'extend' ? { ...size, width: size.width + 4 } : size;
  };
  return { place, apply: OPERATIONS[place], sizeOf };
}

function listed(places: readonly Place[]): Effect[] {
  let size = SIZE;
  return places.map((place) => {
    const { sizeOf, ...effect } = effectAt(place);
    size = sizeOf(size);
    return { ...effect, size };
  });
}

async function pixelsOf(image: Sharp): Promise<Buffer> {
  return image.removeAlpha().raw().toBuffer();
}

function farthest(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 255;
  return one.reduce((most, value, index) => Math.max(most, Math.abs(value - (other[index] ?? 0))), 0);
}

describe('effects take place in the order they are listed in', () => {
  const pairs = PLACES.flatMap((first) => PLACES.map((second) => [first, second] as const));
  test.each(pairs)('%s, then %s', async (first, second) => {
    const chains = planChains(listed([first, second]), SIZE, 'at once');
    expect(chains).toHaveLength(PLACES.indexOf(first) < PLACES.indexOf(second) ? 1 : 2);
    const between = await sharp(await OPERATIONS[first](original()).toBuffer())
      .png()
      .toBuffer();
    const wanted = await pixelsOf(OPERATIONS[second](sharp(between)));
    const drawn = await drawChains(original(), chains, false);
    expect(farthest(await pixelsOf(drawn), wanted)).toBeLessThanOrEqual(2);
  });
});

describe('a picture is held between two chains', () => {
  const at = (place: Place): Effect => ({ place, apply: OPERATIONS[place] });
  const nowhere: Effect = { apply: (image) => image };
  const overlays: Effect = { overlays: () => [] };
  const lengths = (effects: Effect[], becomes: Parameters<typeof planChains>[2] = 'at once') =>
    planChains(effects, SIZE, becomes).map((chain) => chain.effects.length);

  test('where sharp would apply an effect before those listed before it', () => {
    expect(lengths([])).toEqual([0]);
    expect(lengths([at('rotate'), at('resize'), at('extend'), overlays])).toEqual([4]);
    expect(lengths([at('resize'), at('blur'), at('extend'), overlays])).toEqual([2, 2]);
    expect(lengths([at('blur'), at('blur')])).toEqual([1, 1]);
  });

  test('around an effect that names no place', () => {
    expect(lengths([nowhere])).toEqual([1]);
    expect(lengths([at('resize'), nowhere, at('tint')])).toEqual([1, 1, 1]);
  });

  test('but not between overlays', () => {
    expect(lengths([overlays, overlays, at('linear')])).toEqual([3]);
    expect(lengths([overlays, at('blur'), overlays])).toEqual([1, 2]);
  });

  test('at the start if an effect needs sRGB that sharp would only give it later', () => {
    expect(lengths([at('rotate')], 'once scaled')).toEqual([0, 1]);
    expect(lengths([at('extend')], 'once scaled')).toEqual([1]);
    expect(lengths([at('tint')], 'at the end')).toEqual([0, 1]);
    expect(lengths([{ ...at('rotate'), inAnyColourSpace: true }], 'at the end')).toEqual([1]);
    expect(lengths([{ ...at('blur'), inAnyColourSpace: true }, at('extend')], 'at the end')).toEqual([1, 1]);
    expect(lengths([nowhere], 'once scaled')).toEqual([0, 1]);
  });

  test('at the size it has there, four bytes a pixel', () => {
    const megapixel = { width: 1000, height: 1000 };
    const small = { ...at('resize'), size: { width: 500, height: 500 } };
    const large = { ...at('extend'), size: { width: 500, height: 1000 } };
    const megabytes = (effects: Effect[]) => chainMegabytes(planChains(effects, megapixel, 'at once'));
    expect(megabytes([small, large])).toBe(0);
    expect(megabytes([at('blur'), small])).toBe(4);
    expect(megabytes([small, at('blur'), large, overlays])).toBe(1);
    expect(megabytes([small, large, at('blur'), nowhere])).toBe(2);
  });
});
