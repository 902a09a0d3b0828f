import { afterAll, beforeAll, expect, test } from 'vitest';
import { HEAVY } from './heavy.ts';
import { openScales, randomSegments, type Sample } from './sample.ts';

const SEED = 20_261;
const COUNT = 60;
/** Maximum ratio between a price and the CPU time, relative to the median of all. */
const TOLERANCE = 4;
/** Cheaper requests count as light. */
const FLOOR_MS = 40;
const MINUTES = 60_000;

let scales: Awaited<ReturnType<typeof openScales>>;
beforeAll(async () => {
  scales = await openScales();
  // The cost of loading once per worker belongs to no price.
  await scales.render('w_300~l_text:Hello', 'photo.jpg');
  await scales.find({ kind: 'faces' }, 'photo.jpg');
  await scales.find({ kind: 'cutout' }, 'photo.jpg');
}, MINUTES);
afterAll(() => scales.close());

async function weighAll(): Promise<Sample[]> {
  const samples: (Sample | undefined)[] = [];
  for (const file of scales.files) samples.push(await scales.render('w_300', file), await scales.describe(file));
  for (const [segment, file] of randomSegments(SEED, COUNT, scales.files)) {
    samples.push(await scales.render(segment, file, samples.length % 2 === 0 ? 'jpeg' : 'webp'));
  }
  for (const kind of ['faces', 'interest', 'ground', 'cutout'] as const) {
    samples.push(await scales.find({ kind }, 'photo.jpg'), await scales.find({ kind }, 'photo.avif'));
  }
  samples.push(await scales.find({ kind: 'edges', tolerance: 10 }, 'photo.png'));
  for (const [segment, file] of HEAVY) {
    const sample = await scales.render(segment, file);
    expect(sample, `${segment} of ${file}`).toBeDefined();
    samples.push(sample);
  }
  return samples.filter((sample) => sample !== undefined);
}

const ratioOf = ({ cpuMs, pricedMs }: Sample) => Math.max(cpuMs, FLOOR_MS) / Math.max(pricedMs, FLOOR_MS);

test(
  'the price of a task is its CPU time, within a factor of 4 for whatever a URL says',
  async () => {
    const samples = await weighAll();
    const costly = samples.filter(({ cpuMs, pricedMs }) => Math.max(cpuMs, pricedMs) > FLOOR_MS);
    expect(costly.length).toBeGreaterThan(60);
    // Hosts and their load differ: only the ratios among the samples count.
    const ratios = costly.map(ratioOf).toSorted((one, other) => one - other);
    const median = ratios[Math.floor(ratios.length / 2)] as number;
    const mispriced = costly.filter((sample) => {
      const ratio = ratioOf(sample) / median;
      return ratio > TOLERANCE || ratio < 1 / TOLERANCE;
    });
    expect(mispriced).toEqual([]);
  },
  10 * MINUTES,
);
