import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareSharp } from '../src/image/decode.ts';
import { describePicture } from '../src/image/facts/describe.ts';
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
    const contestants = { describe, webp: render('webp'), jpeg: render('jpeg') };
    try {
      await alternate(contestants, WARM_UP_ROUNDS);
      return report(await alternate(contestants, quick ? 3 : 41));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function costOf(work: () => Promise<boolean>): Promise<Cost> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  if (!(await work())) throw new Error('The picture was not made.');
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - start };
}

function report({ describe, webp, jpeg }: Record<'describe' | 'webp' | 'jpeg', Cost[]>): string {
  const cpu = (costs: readonly Cost[]) => costs.map(({ cpuMs }) => cpuMs);
  const wall = (costs: readonly Cost[]) => costs.map(({ wallMs }) => wallMs);
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
      [row('describe', describe), row('render WebP', webp), row('render JPEG', jpeg)],
    ),
    '',
    verdict('describing, by rendering to WebP', median(ratios(cpu(describe), cpu(webp))), 'at most', 0.5),
  ].join('\n');
}
