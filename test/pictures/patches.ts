import sharp from 'sharp';
import { expect } from 'vitest';
import { differences, type Triple } from './colours.ts';
import type { Studio } from './studio.ts';

/** Side of the square that shows one colour. */
const PATCH = 8;
const COLUMNS = 36;

/** 216 colours spread over the cube, as bytes. */
export const CUBE: readonly Triple[] = Array.from({ length: 216 }, (_, index) => [
  51 * Math.floor(index / 36),
  51 * (Math.floor(index / 6) % 6),
  51 * (index % 6),
]);

export const share = (colour: readonly number[]) => colour.map((value) => value / 255) as unknown as Triple;

/** Returns squares of the given samples, in rows. */
export function patches(colours: readonly (readonly number[])[]) {
  const channels = colours[0]?.length ?? 3;
  const width = COLUMNS * PATCH;
  const height = Math.ceil(colours.length / COLUMNS) * PATCH;
  const samples = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = colours[Math.floor(y / PATCH) * COLUMNS + Math.floor(x / PATCH)] ?? colours[0] ?? [];
      samples.set(colour, (y * width + x) * channels);
    }
  }
  return { samples, width, height, channels: channels as 1 | 3 | 4 };
}

/** Returns the colour of each square in a rendered file, sampled at its centre. */
export async function shownPatches(file: string, count: number): Promise<Triple[]> {
  const { data, info } = await sharp(file)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.channels, (await sharp(file).metadata()).icc]).toEqual([3, undefined]);
  return Array.from({ length: count }, (_, index) => {
    const x = (index % COLUMNS) * PATCH + PATCH / 2;
    const y = Math.floor(index / COLUMNS) * PATCH + PATCH / 2;
    const at = (y * info.width + x) * 3;
    return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0].map((value) => value / 255) as unknown as Triple;
  });
}

/** CIEDE2000. */
export interface Tolerance {
  mean: number;
  largest: number;
}

/** Renders a file of patches as PNG and compares their colours by CIEDE2000. */
export async function expectPatches(
  studio: Studio,
  file: { name: string; bytes: Buffer },
  wanted: readonly Triple[],
  tolerance: Tolerance = { mean: 1, largest: 3 },
): Promise<void> {
  const { file: result } = await studio.render(await studio.keep(file.name, file.bytes), '');
  const { mean, largest } = differences(await shownPatches(result, wanted.length), wanted);
  expect(mean).toBeLessThan(tolerance.mean);
  expect(largest).toBeLessThan(tolerance.largest);
}
