import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { layerInput } from '../src/image/layers/layer.ts';
import { parseLayered } from '../src/image/layers/segment.ts';
import { prepareSharp } from '../src/image/loaders.ts';
import { renderImage } from '../src/image/pipeline.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import { paintText } from '../src/image/text/paint.ts';
import { styleOf } from '../src/image/text/parameters.ts';
import { openFonts } from '../src/render/fonts/fonts.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';
import { startDarkroom, warm } from './tools/service.ts';
import { type LoadResult, loadWith } from './tools/wrk.ts';

const PHOTO = fileURLToPath(new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url));
const LIMITS = { inputMegapixels: 100, animationFrames: 1000, outputSide: 8192, outputMegapixels: 50 };
const WARM_UP_ROUNDS = 2;
const TEXTS_A_ROUND = 25;
const SERVER_CPU = 0;
const CLIENT_CPU = 1;

/** What is laid over 800 pixels of width, and how many milliseconds of CPU it may cost. */
const LAYERS: readonly [name: string, layers: string, most?: number][] = [
  ['a logo of 160x80', '~l_logo.png,g_south_east,x_10,y_10', 8],
  ['two of them', '~l_logo.png,g_south_east~l_logo.png,g_north_west'],
  ['the logo scaled to 200x100', '~l_logo.png,w_200,g_south_east', 8],
  ['the logo multiplied', '~l_logo.png,bl_multiply', 8],
  ['the logo with a shadow', '~l_logo.png,sd_4:4:10:000000', 8],
  ['the logo everywhere', '~l_logo.png,tl_10,o_40'],
  ['a layer over all of it', '~l_logo.png,w_1.0,h_1.0,bl_overlay'],
  ['a mask', '~l_logo.png,w_1.0,h_1.0,bl_mask'],
  ['16 characters', '~l_text:Hello%20photograph,fs_40,co_white,g_south,y_20', 5],
  ['16 characters on a box', '~l_text:Hello%20photograph,fs_40,co_white,b_00000080,pd_8:16,r_8,g_south'],
  ['16 characters, outlined', '~l_text:Hello%20photograph,fs_40,co_white,st_3:000000,g_south'],
];

const PLAIN = '/t/w_450,f_webp/photo.jpg';
const LAID = '/t/w_450,f_webp~l_logo.png,g_nw~l_logo.png,g_se/photo.jpg';

export const layers: Benchmark = {
  name: 'layers',
  async run({ quick }) {
    requirePrograms('wrk', 'taskset');
    const folder = await mkdtemp(join(tmpdir(), 'layers-bench-'));
    const logo = join(folder, 'logo.png');
    await drawLogo(logo);
    try {
      const { configFile } = await openFonts({ links: join(folder, 'fonts'), own: join(folder, 'none') });
      process.env.FONTCONFIG_FILE = configFile;
      const drawn = await measureDrawing(folder, logo, quick);
      return `${drawn}\n\n${await measureText(quick)}\n\n${await measureHits(await readFile(logo), quick)}`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Transparent around letters and shapes, as logos are. */
async function drawLogo(file: string): Promise<void> {
  const size = { width: 160, height: 80 };
  const pixels = Buffer.alloc(size.width * size.height * 4);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const distance = Math.hypot((x - 80) / 2, y - 40);
      pixels.set([230, x, 3 * y, Math.max(0, Math.min(255, (38 - distance) * 90))], (y * size.width + x) * 4);
    }
  }
  await sharp(pixels, { raw: { ...size, channels: 4 } })
    .png()
    .toFile(file);
}

async function measureDrawing(folder: string, logo: string, quick: boolean): Promise<string> {
  prepareSharp();
  let count = 0;
  const render = (words: string) => async () => {
    const options = parseLayered(`w_800${words}`, imageSteps, [], LIMITS) ?? {};
    const inputs = { original: PHOTO, [layerInput('logo.png' as Parameters<typeof layerInput>[0])]: logo };
    const before = process.cpuUsage();
    const output = join(folder, String(count++));
    const { outcome } = await renderImage({ inputs, output, options, limits: LIMITS, format: 'jpeg' });
    const { user, system } = process.cpuUsage(before);
    if (outcome !== 'rendered') throw new Error(`${words}: ${outcome}`);
    return (user + system) / 1000;
  };
  const contestants = Object.fromEntries(
    ['', ...LAYERS.map(([, words]) => words)].map((words) => [words, render(words)]),
  );
  await alternate(contestants, WARM_UP_ROUNDS);
  const costs = await alternate(contestants, quick ? 3 : 21);
  const plain = costs[''] ?? [];
  const above = (words: string) => (costs[words] ?? []).map((cost, round) => cost - (plain[round] ?? 0));
  return [
    `A photo of 6 MP as a JPEG of 800x653, with and without layers, in turn in one process, ${plain.length} rounds.`,
    `CPU milliseconds above those of the same render without a layer, which takes ${spread(plain, 1)}, with their range.`,
    '',
    table(
      ['layer', 'in the URL', 'CPU ms'],
      LAYERS.map(([name, words]) => [name, `\`${words}\``, spread(above(words), 1)]),
    ),
    '',
    ...LAYERS.flatMap(([name, words, most]) =>
      most === undefined ? [] : [verdict(name, median(above(words)), 'at most', most, ' ms')],
    ),
  ].join('\n');
}

/** Letters alone, which are painted several times for each figure: the clock of the CPU has steps of a millisecond. */
async function measureText(quick: boolean): Promise<string> {
  const style = styleOf('Hello photograph', { fontSize: 40 }, 800);
  const costs: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < (quick ? 3 : 21); round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < TEXTS_A_ROUND; n++) await paintText(style);
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) costs.push((user + system) / 1000 / TEXTS_A_ROUND);
  }
  return [
    `16 characters of 40 px alone take ${spread(costs)} CPU ms.`,
    '',
    verdict('16 characters alone', median(costs), 'at most', 0.8, ' ms'),
  ].join('\n');
}

async function measureHits(logo: Buffer, quick: boolean): Promise<string> {
  const [rounds, seconds] = quick ? [2, 1] : [5, 3];
  const results: Record<string, LoadResult[]> = { [PLAIN]: [], [LAID]: [] };
  for (let round = 0; round < rounds; round++) {
    // Each round has a process of its own: how well V8 compiles the same code differs from one to the next.
    const darkroom = await startDarkroom({ cpu: SERVER_CPU });
    await darkroom.upload('photo.jpg', await readFile(PHOTO));
    await darkroom.upload('logo.png', logo);
    for (const path of [PLAIN, LAID]) {
      const url = darkroom.url + path;
      await warm(url);
      await warm(url);
      const load = { url, pid: darkroom.pid, connections: 16, cpu: CLIENT_CPU };
      await loadWith({ ...load, seconds: quick ? 1 : 2 });
      results[path]?.push(await loadWith({ ...load, seconds }));
    }
    await darkroom.stop();
  }
  const costs = (path: string) => (results[path] ?? []).map(({ cpuMicroseconds }) => cpuMicroseconds);
  const ratio = ratios(costs(LAID), costs(PLAIN));
  return [
    `A cached variant with two layers and one without, from memory, 16 connections, ${rounds} rounds of ${seconds} s.`,
    `CPU per request: ${spread(costs(LAID), 1)} and ${spread(costs(PLAIN), 1)} us, in ratio ${spread(ratio)}.`,
    '',
    verdict('a hit with two layers by one without', median(ratio), 'at most', 1.15),
  ].join('\n');
}
