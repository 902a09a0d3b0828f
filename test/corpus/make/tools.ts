import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Triple } from '../../pictures/colours.ts';
import type { Pixels } from '../resample.ts';
import { HEIGHT, sceneAt, WIDTH } from '../scene.ts';
import { halves } from './png.ts';

const run = promisify(execFile);

/**
 * Runs programs in their own folder: writes `inputs` by name, runs the commands one after another, reads `output`.
 * @throws when a program fails
 */
export async function withTools(
  inputs: Readonly<Record<string, Buffer>>,
  commands: readonly (readonly string[])[],
  output: string,
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-corpus-'));
  try {
    for (const [name, bytes] of Object.entries(inputs)) await writeFile(join(folder, name), bytes);
    for (const [program = '', ...args] of commands) {
      await run(program, args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
    }
    return await readFile(join(folder, output));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Encodes an image as PPM or PGM, which every tool reads. Maxima above 255 give 16-bit samples. */
export function portable(
  colour: (x: number, y: number) => readonly number[] = sceneAt,
  { width = WIDTH, height = HEIGHT, most = 255 } = {},
): Buffer {
  const channels = colour(0, 0).length;
  const samples: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) samples.push(...colour(x, y).map((value) => Math.round(value * most)));
  }
  const head = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n${most}\n`, 'latin1');
  return Buffer.concat([head, most > 255 ? halves(...samples) : Buffer.from(samples)]);
}

/** Decodes an 8-bit PPM as opaque pixels. */
export function readPortable(ppm: Buffer): Pixels {
  const [head = '', width = '0', height = '0'] =
    /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 64)) ?? [];
  const data = new Uint8ClampedArray(Number(width) * Number(height) * 4).fill(255);
  for (let from = head.length, to = 0; from < ppm.length; from += 3, to += 4)
    data.set(ppm.subarray(from, from + 3), to);
  return { width: Number(width), height: Number(height), data };
}

/** Maps positions of the stored image to those of the upright one, for each EXIF orientation. */
export function storedAs(
  orientation: number,
  colour: (x: number, y: number) => Triple = sceneAt,
): { colour: (x: number, y: number) => Triple; width: number; height: number } {
  const isTurned = orientation > 4;
  const [width, height] = isTurned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
  const right = WIDTH - 1;
  const bottom = HEIGHT - 1;
  const origins: Readonly<Record<number, (x: number, y: number) => readonly [number, number]>> = {
    1: (x, y) => [x, y],
    2: (x, y) => [right - x, y],
    3: (x, y) => [right - x, bottom - y],
    4: (x, y) => [x, bottom - y],
    5: (x, y) => [y, x],
    6: (x, y) => [right - y, x],
    7: (x, y) => [right - y, bottom - x],
    8: (x, y) => [y, bottom - x],
  };
  const origin = origins[orientation] ?? ((x, y) => [x, y] as const);
  return { colour: (x, y) => colour(...origin(x, y)), width, height };
}
