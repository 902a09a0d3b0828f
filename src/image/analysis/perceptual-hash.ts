import { onWhite, type Sample, shrink } from './sample.ts';

/** Side of the transformed image, and the retained frequencies of each direction. */
const SIDE = 32;
const HASH_SIZE = 8;

/**
 * Steps in which waves are measured, in grey levels: what is weaker is noise, and in drawings there is nothing else in
 * most waves.
 */
const STEP = 0.25;

/**
 * 64 bits that are alike for images that look alike, as 16 hexadecimal digits: whether each of the lowest frequencies
 * of a cosine transform of the luma is above their median. The first bit is 0, because the constant frequency says only
 * how bright the image is. Size and coding change a few bits; different images differ in about half of them. Undefined
 * for an image of one colour, which is like any other of one colour.
 */
export function hashPerceptually(sample: Sample): string | undefined {
  const [, ...waves] = lowFrequencies(lumaOf(onWhite(shrink(sample, { width: SIDE, height: SIDE }))));
  if (waves.every((wave) => wave === 0)) return undefined;
  const median = waves.toSorted((one, other) => one - other)[waves.length >> 1] as number;
  const bits = waves.reduce((number, wave) => (number << 1n) | BigInt(wave > median), 0n);
  return bits.toString(16).padStart(16, '0');
}

/** ITU-R BT.601. */
function lumaOf({ rgba }: Sample): Float64Array {
  return Float64Array.from({ length: SIDE * SIDE }, (_, index) => {
    const at = index * 4;
    return 0.299 * (rgba[at] as number) + 0.587 * (rgba[at + 1] as number) + 0.114 * (rgba[at + 2] as number);
  });
}

/**
 * The cosine transform (DCT-II), by rows and then by columns: in grey levels, row by row from the constant frequency
 * on.
 */
function lowFrequencies(luma: Float64Array): number[] {
  const rows = Float64Array.from({ length: SIDE * HASH_SIZE }, (_, index) => {
    const y = Math.floor(index / HASH_SIZE);
    const u = index % HASH_SIZE;
    return dot(COSINES[u] as Float64Array, (x) => luma[y * SIDE + x] as number);
  });
  return Array.from({ length: HASH_SIZE * HASH_SIZE }, (_, index) => {
    const v = Math.floor(index / HASH_SIZE);
    const u = index % HASH_SIZE;
    const sum = dot(COSINES[v] as Float64Array, (y) => rows[y * HASH_SIZE + u] as number);
    return Math.round((sum * 2) / (SIDE * SIDE) / STEP) * STEP;
  });
}

const COSINES = Array.from({ length: HASH_SIZE }, (_, frequency) =>
  Float64Array.from({ length: SIDE }, (_, at) => Math.cos(((at + 0.5) * frequency * Math.PI) / SIDE)),
);

function dot(cosines: Float64Array, valueAt: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < SIDE; index++) sum += (cosines[index] as number) * valueAt(index);
  return sum;
}
