import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareSharp } from '../src/image/loaders.ts';
import { renderImage } from '../src/image/pipeline.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import { parseSegment } from '../src/transformation/transformation.ts';
import { findAll } from '../test/pictures/find-all.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { alternate, median, spread, table, verdict } from './tools/report.ts';

const PHOTO = fileURLToPath(new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url));
const LIMITS = { inputMegapixels: 100, animationFrames: 1000, outputSide: 8192, outputMegapixels: 50 };
const SIZE = { width: 1600, height: 1250 };
const MEGAPIXELS = (SIZE.width * SIZE.height) / 1e6;
const WARM_UP_ROUNDS = 2;

const COLOURS = [
  ...['e_saturation:20', 'e_hue:15', 'e_sepia:30', 'e_tint:ff8000:20', 'e_duotone:102040:ffe0c0'],
  ...['e_negate', 'e_brightness:10', 'e_contrast:10'],
].join(',');

/** What is measured, and how many milliseconds of CPU a megapixel it may cost. */
const EFFECTS: readonly [name: string, segment: string, most?: number][] = [
  ['one colour effect', 'e_grayscale', 30],
  ['eight colour effects', COLOURS, 30],
  ['blur 5', 'e_blur:5', 10],
  ['blur 20', 'e_blur:20'],
  ['pixelate 16', 'e_pixelate', 15],
  ['sharpen', 'e_sharpen'],
  ['vignette', 'e_vignette'],
  ['cut-out, its mask known', 'e_cutout'],
  ['border', 'bo_20:336699'],
  ['opacity, on white', 'o_50'],
  ['bars of a blurred copy', 'pd_100,b_blur'],
];
const SHARPER_GREY = 'e_grayscale,e_sharpen';
/** Finding what `e_cutout` needs, which is kept then. */
const FINDING = 'finding people';

export const effects: Benchmark = {
  name: 'effects',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'effects-bench-'));
    prepareSharp();
    let count = 0;
    const render = (segment: string) => async () => {
      const options = parseSegment(`w_${SIZE.width},h_${SIZE.height},${segment}`, imageSteps, [], LIMITS) ?? {};
      const request = {
        inputs: { original: PHOTO },
        output: join(folder, `${count++}`),
        options,
        limits: LIMITS,
        findings,
      };
      return cpuOf(async () => {
        const { outcome } = await renderImage({ ...request, format: 'jpeg' });
        if (outcome !== 'rendered') throw new Error(`${segment}: ${outcome}`);
      });
    };
    const findPeople = () => findAll(PHOTO, { cutout: true }, join(folder, 'findings'));
    const findings = await findPeople();
    const segments = ['', SHARPER_GREY, ...EFFECTS.map(([, segment]) => segment)];
    const renders = Object.fromEntries(segments.map((segment) => [segment, render(segment)]));
    const contestants = { ...renders, [FINDING]: () => cpuOf(findPeople) };
    try {
      await alternate(contestants, WARM_UP_ROUNDS);
      return report(await alternate(contestants, quick ? 3 : 15));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** In milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function report(costs: Record<string, number[]>): string {
  const plain = costs[''] ?? [];
  const above = (segment: string) =>
    (costs[segment] ?? []).map((cost, round) => (cost - (plain[round] ?? 0)) / MEGAPIXELS);
  const [grey, sharper, both] = [above('e_grayscale'), above('e_sharpen'), above(SHARPER_GREY)];
  const breaks = both.map((cost, round) => cost - (grey[round] ?? 0) - (sharper[round] ?? 0));
  const finding = costs[FINDING] ?? [];
  const rows = EFFECTS.map(([name, segment]) => [name, `\`${segment}\``, spread(above(segment), 1)]);
  return [
    `A photo of 6 MP as a JPEG of ${SIZE.width}x${SIZE.height}, with and without an effect, in turn in one process, ${plain.length} rounds.`,
    'CPU milliseconds for each megapixel of the result above those of the same render without it, with their range.',
    `Without an effect it takes ${spread(
      plain.map((cost) => cost / MEGAPIXELS),
      1,
    )}.`,
    '',
    table(['effect', 'in the URL', 'CPU ms / MP'], [...rows, ['a second chain alone', '', spread(breaks, 1)]]),
    '',
    `Finding the people of the photo takes ${spread(finding, 0)} CPU ms, once for all its renders.`,
    '',
    ...EFFECTS.flatMap(([name, segment, most]) =>
      most === undefined ? [] : [verdict(name, median(above(segment)), 'at most', most, ' ms/MP')],
    ),
    verdict('a second chain', median(breaks), 'at most', 5, ' ms/MP'),
    verdict('finding people', median(finding), 'at most', 300, ' ms'),
  ].join('\n');
}
