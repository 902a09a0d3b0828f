import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describePicture } from '../src/image/facts/describe.ts';
import { findInPicture } from '../src/image/findings/find.ts';
import { createFinders } from '../src/image/findings/finders.ts';
import { prepareSharp } from '../src/image/loaders.ts';
import { renderImage } from '../src/image/pipeline.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';

const PHOTO = fileURLToPath(new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url));
const LIMITS = { inputMegapixels: 100, animationFrames: 1000, outputSide: 8192, outputMegapixels: 50 };

/** Of the whole process; the first rounds, in which code is compiled, do not count. */
const WARM_UP_ROUNDS = 5;

interface Cost {
  cpuMs: number;
  wallMs: number;
}

export const describing: Benchmark = {
  name: 'describe',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'describe-bench-'));
    prepareSharp();
    let count = 0;
    const render = (format: 'webp' | 'jpeg') => () =>
      costOf(async () => {
        const output = join(folder, `${count++}.${format}`);
        const request = { inputs: { original: PHOTO }, output, options: { width: 800 }, format, limits: LIMITS };
        return (await renderImage(request)).outcome === 'rendered';
      });
    const describe = () =>
      costOf(async () => (await describePicture({ input: PHOTO, limits: LIMITS })).outcome === 'described');
    const shown = () =>
      costOf(
        async () => (await describePicture({ input: PHOTO, limits: LIMITS, isShown: true })).outcome === 'described',
      );
    const contestants = { describe, shown, webp: render('webp'), jpeg: render('jpeg') };
    try {
      const borders = await borderContestants(folder);
      await alternate({ ...contestants, ...borders }, WARM_UP_ROUNDS);
      const costs = await alternate(contestants, quick ? 3 : 41);
      return [report(costs), borderReport(await alternate(borders, quick ? 3 : 15))].join('\n\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Finding the border of the photo, by our own and by sharp's trimming. */
async function borderContestants(folder: string) {
  const framed = join(folder, 'framed.jpg');
  const ends = { left: 100, right: 100, top: 100, bottom: 100 };
  await sharp(PHOTO)
    .extend({ ...ends, background: 'white' })
    .jpeg({ quality: 90 })
    .toFile(framed);
  const output = join(folder, 'border.json');
  const request = { input: framed, output, finding: { kind: 'edges', tolerance: 10 }, limits: LIMITS } as const;
  const finders = createFinders();
  return {
    border: () => costOf(async () => (await findInPicture(request, finders)).outcome === 'found'),
    trim: () =>
      costOf(
        async () =>
          (await sharp(framed).trim({ threshold: 25 }).raw().toBuffer({ resolveWithObject: true })).info.size > 0,
      ),
  };
}

async function costOf(work: () => Promise<boolean>): Promise<Cost> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  if (!(await work())) throw new Error('The picture was not made.');
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - start };
}

type Costs = Record<'describe' | 'shown' | 'webp' | 'jpeg', Cost[]>;

const cpu = (costs: readonly Cost[]) => costs.map(({ cpuMs }) => cpuMs);
const wall = (costs: readonly Cost[]) => costs.map(({ wallMs }) => wallMs);

function report({ describe, shown, webp, jpeg }: Costs): string {
  const row = (name: string, costs: readonly Cost[]) => [
    name,
    median(cpu(costs)).toFixed(1),
    median(wall(costs)).toFixed(1),
    spread(ratios(cpu(describe), cpu(costs))),
  ];
  return [
    'All facts of a 6 MP JPEG (size, colours, ThumbHash, BlurHash, perceptual hash, EXIF) beside a render of it to 800 px, in turn in one',
    `process, ${describe.length} rounds after ${WARM_UP_ROUNDS}. Milliseconds are medians; the ratio is that of CPU time, with its range.`,
    '',
    table(
      ['work', 'CPU ms', 'ms', 'describing / this'],
      [
        row('describe', describe),
        row('the same with a placeholder, as `f_json`', shown),
        row('render WebP', webp),
        row('render JPEG', jpeg),
      ],
    ),
    '',
    verdict('describing, by rendering to WebP', median(ratios(cpu(describe), cpu(webp))), 'at most', 0.5),
    verdict('CPU of what `f_json` takes', median(cpu(shown)), 'at most', 120, ' ms'),
  ].join('\n');
}

function borderReport({ border, trim }: Record<'border' | 'trim', Cost[]>): string {
  const row = (name: string, costs: readonly Cost[]) => [
    name,
    median(cpu(costs)).toFixed(0),
    median(wall(costs)).toFixed(0),
  ];
  return [
    'The border of the same photo with 100 white pixels around it, as `tr` finds it once for each original.',
    '',
    table(
      ['work', 'CPU ms', 'ms'],
      [row('finding the border', border), row("sharp's `trim()`, which also cuts", trim)],
    ),
    '',
    verdict("finding the border, by sharp's `trim()`", median(ratios(cpu(border), cpu(trim))), 'at most', 1),
  ].join('\n');
}
