import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { prepareSharp } from '../src/image/loaders.ts';
import { renderImage } from '../src/image/pipeline.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import { parseSegment } from '../src/transformation/transformation.ts';
import { type Film, makeFilm } from './animation/film.ts';
import { peakOf } from './animation/peak.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { alternate, median, spread, table, verdict } from './tools/report.ts';

const LIMITS = { inputMegapixels: 100, animationFrames: 2000, outputSide: 8192, outputMegapixels: 50 };
const WARM_UP_ROUNDS = 1;
const MOST_MS = 200;
const MOST_MB = 600;

const SHORT = { width: 320, height: 240, frames: 49 };
/** The frames of the default limit: 49.9 megapixels. */
const LONG = { width: 320, height: 240, frames: 650 };

/** What is measured of the short film, and in which format. */
const RENDERS: readonly [name: string, segment: string, source: 'gif' | 'webp', format: 'gif' | 'webp'][] = [
  ['as it is', 'an_true', 'gif', 'webp'],
  ['smaller', 'w_200,an_true', 'gif', 'webp'],
  ['smaller, of a WebP', 'w_200,an_true', 'webp', 'webp'],
  ['colours, rounded corners', 'e_sepia,r_20,an_true', 'gif', 'webp'],
  ['turned', 'a_15,an_true', 'gif', 'webp'],
  ['quality of its own', 'w_200,q_auto,an_true', 'gif', 'webp'],
  ['smaller, as GIF', 'w_200,an_true', 'gif', 'gif'],
];

export const animation: Benchmark = {
  name: 'animation',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'animation-bench-'));
    prepareSharp();
    try {
      const films = { gif: await makeFilm(folder, SHORT, 'gif'), webp: await makeFilm(folder, SHORT, 'webp') };
      const contestants = { ...rendersOf(films, folder), ...baselineOf(films.gif) };
      await alternate(contestants, WARM_UP_ROUNDS);
      const costs = await alternate(contestants, quick ? 1 : 7);
      return `${reportTimes(costs)}\n\n${await measureMemory(folder)}`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

type Costs = Record<string, number[]>;

function rendersOf(films: Record<'gif' | 'webp', Film>, folder: string): Record<string, () => Promise<number>> {
  let count = 0;
  return Object.fromEntries(
    RENDERS.map(([name, segment, source, format]) => [
      name,
      async () => {
        const options = parseSegment(segment, imageSteps, [], LIMITS) ?? {};
        const inputs = { original: films[source].file };
        const output = join(folder, `${count++}`);
        return cpuOf(films[source], async () => {
          const { outcome } = await renderImage({ inputs, output, options, format, limits: LIMITS });
          if (outcome !== 'rendered') throw new Error(`${segment}: ${outcome}`);
        });
      },
    ]),
  );
}

/** What sharp does by itself, which can neither turn several frames nor lay anything over them. */
function baselineOf(film: Film): Record<string, () => Promise<number>> {
  return {
    'sharp alone, smaller': () =>
      cpuOf(film, async () => {
        await sharp(film.file, { animated: true }).resize({ width: 200 }).webp({ quality: 86, effort: 2 }).toBuffer();
      }),
  };
}

/** Milliseconds of CPU for each megapixel of all frames. */
async function cpuOf({ megapixels }: Film, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / megapixels;
}

function reportTimes(costs: Costs): string {
  const rows = Object.entries(costs).map(([name, values]) => {
    const [, segment = '', source = '', format = ''] = RENDERS.find(([own]) => own === name) ?? [];
    return [name, segment && `\`${segment}\``, source && `${source} to ${format}`, spread(values, 0)];
  });
  const webp = RENDERS.filter(([, , , format]) => format === 'webp').map(([name]) => name);
  const worst = Math.max(...webp.map((name) => median(costs[name] ?? [])));
  const { width, height, frames } = SHORT;
  return [
    `${frames} frames of ${width}x${height} cut out of a photo that moves, in turn in one process, ${Object.values(costs)[0]?.length} rounds. CPU milliseconds for each megapixel of the frames of the original, with their range.`,
    '',
    table(['', 'in the URL', 'formats', 'CPU ms / MP'], rows),
    '',
    verdict('the dearest as WebP', worst, 'at most', MOST_MS, ' ms/MP'),
  ].join('\n');
}

async function measureMemory(folder: string): Promise<string> {
  const { width, height, frames } = LONG;
  const cases = [
    ['gif', `w_${width},e_sepia,an_true`, 'webp'],
    ['webp', `w_${width},e_sepia,an_true`, 'webp'],
    ['webp', 'w_200,an_true', 'webp'],
  ] as const;
  const rows: string[][] = [];
  const peaks: number[] = [];
  for (const [source, segment, format] of cases) {
    const film = await makeFilm(folder, LONG, source);
    const program = fileURLToPath(new URL('./animation/render-one.ts', import.meta.url));
    const { megabytes, cpuMs } = await peakOf(program, [film.file, join(folder, 'long'), segment, format]);
    peaks.push(megabytes);
    rows.push([`${source} to ${format}`, `\`${segment}\``, String(megabytes), (cpuMs / film.megapixels).toFixed(0)]);
  }
  return [
    `${frames} frames of ${width}x${height}, as many as \`MAX_ANIMATION_MEGAPIXELS\` allows, each in a process of its own.`,
    '',
    table(['formats', 'in the URL', 'MB of the process at its peak', 'CPU ms / MP'], rows),
    '',
    verdict('the highest peak', Math.max(...peaks), 'at most', MOST_MB, ' MB'),
  ].join('\n');
}
