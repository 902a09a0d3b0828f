import { expect, test } from 'vitest';
import { fuzz } from './images.ts';

const MEGABYTE = 1024 * 1024;

// `npm run fuzz images` tries thousands.
test('hostile files and 60 damaged pictures crash nothing, hang nothing and are never our fault', async () => {
  const { problems, peakBytes } = await fuzz({ count: 60, seed: 7 });
  expect(problems).toEqual([]);
  expect(peakBytes?.service).toBeLessThan(500 * MEGABYTE);
  expect(peakBytes?.worker).toBeLessThan(1000 * MEGABYTE);
}, 240_000);
