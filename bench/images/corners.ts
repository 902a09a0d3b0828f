import sharp from 'sharp';
import { prepareSharp } from '../../src/image/loaders.ts';
import { openStudio } from '../../test/pictures/studio.ts';
import { alternate, median, ratios, spread, table } from '../tools/report.ts';
import { PHOTO } from './steps.ts';

const SEGMENTS = ['f_png', 'r_max,f_png', 'r_40,f_png', 'r_max,b_336699,f_png'] as const;

/** What rounded corners cost at the full size of a photo: CPU time of this process, side by side with the photo without them. */
export async function measureCorners(rounds: number): Promise<string> {
  prepareSharp();
  const studio = await openStudio();
  const photo = await studio.keep('24-megapixels.jpg', await detailedPhoto(6000, 4000));
  const contestants = Object.fromEntries(
    SEGMENTS.map((segment) => [segment, () => cpuSeconds(() => studio.attempt(photo, segment))]),
  ) as Record<(typeof SEGMENTS)[number], () => Promise<number>>;
  const times = await alternate(contestants, rounds);
  await studio.close();
  const rows = SEGMENTS.map((segment) => [
    `\`${segment}\``,
    median(times[segment]).toFixed(1),
    spread(ratios(times[segment], times.f_png)),
  ]);
  return [
    '### Rounded corners at full size',
    '',
    'A photo of 24 megapixels with grain, through the pipeline: CPU seconds of the process, and their ratio to the same photo without',
    'corners, side by side (median and range).',
    '',
    table(['transformation', 'CPU s', 'ratio to `f_png`'], rows),
  ].join('\n');
}

/** The photo enlarged, with grain, because an enlarged photo alone compresses better than one of a camera. */
async function detailedPhoto(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 14 } as const;
  const grain = await sharp({ create: { width: 1000, height: 1000, channels: 3, background: 'grey', noise } })
    .png()
    .toBuffer();
  return sharp(PHOTO)
    .resize(width, height, { fit: 'cover' })
    .composite([{ input: grain, tile: true, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toBuffer();
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
