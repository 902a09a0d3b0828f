import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import type { AnalysisSpec } from '../../src/image/analysis/analysis.ts';
import { analysesNeeded } from '../../src/image/analysis/needed.ts';
import { layerInput } from '../../src/image/layers/layer.ts';
import { parseLayered } from '../../src/image/layers/segment.ts';
import { type ImageOptions, imageSteps } from '../../src/image/steps/index.ts';
import type { Reply, TaskName } from '../../src/render/tasks.ts';
import { WorkerProcess } from '../../src/render/worker-process.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import { randomSegment } from '../fuzz/random-segment.ts';
import { seededRandom } from '../fuzz/seeded-random.ts';

const LIMITS = {
  inputMegapixels: 100,
  outputSide: 8192,
  outputMegapixels: 50,
  animationFrames: 2000,
  animationMegapixels: 50,
  formatMegapixels: { avif: 13, gif: 16, webp: 50 },
};
const MEGABYTE = 1024 * 1024;
const MOST_RUNS = 3;
/** A sample within this ratio of its price is not measured again. */
const NEAR = 2.5;

/** A task of a worker: its CPU time, and its declared price, in ms. */
export interface Sample {
  name: string;
  cpuMs: number;
  pricedMs: number;
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** Opens a worker, and originals of many kinds, by name. */
export async function openScales() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-cost-'));
  const worker = new WorkerProcess({ memoryBytes: 3000 * MEGABYTE });
  const files = await makeFiles(folder);
  let count = 0;

  async function perform(task: TaskName, request: object): Promise<Reply> {
    const order = { task, request: { ...request, output: join(folder, `out-${++count}`) }, allowance: undefined };
    return worker.perform(order, { begin: () => undefined, expect: () => undefined });
  }

  /** Returns the minimum of several runs if a task costs more than its price: other load only adds to it. */
  async function weigh(name: string, task: TaskName, request: object): Promise<Sample | undefined> {
    let sample: Sample | undefined;
    for (let run = 0; run < MOST_RUNS && (!sample || sample.cpuMs > NEAR * sample.pricedMs); run++) {
      const { cpuMs, pricedMs, result } = await perform(task, request);
      if (!['rendered', 'found', 'described'].includes((result as { outcome?: string })?.outcome ?? ''))
        return undefined;
      sample = { name, cpuMs: Math.min(cpuMs, sample?.cpuMs ?? cpuMs), pricedMs };
    }
    return sample;
  }

  return {
    files: [...files.keys()],
    /**
     * Undefined without a result.
     * @param format used if the segment names none
     */
    async render(segment: string, file: string, format = 'jpeg'): Promise<Sample | undefined> {
      const options = optionsOf(segment);
      if (!options || options.format === 'json' || analysesNeeded(options).length > 0) return undefined;
      const { format: own = 'auto', ...others } = options;
      const laid = (options.layers ?? []).flatMap((layer) => (layer.kind === 'picture' ? [layer.path] : []));
      if (!laid.every((path) => files.has(path))) return undefined;
      return weigh(`${segment} of ${file}`, 'render', {
        inputs: {
          original: files.get(file),
          ...Object.fromEntries(laid.map((path) => [layerInput(path), files.get(path)])),
        },
        options: others,
        format: own === 'auto' || own === 'best' ? format : own,
        exact: own === 'best' ? 'webp' : undefined,
        limits: LIMITS,
      });
    },
    find: (finding: AnalysisSpec, file: string) =>
      weigh(`${finding.kind} of ${file}`, 'find', { input: files.get(file), finding, limits: LIMITS }),
    describe: (file: string) =>
      weigh(`facts of ${file}`, 'describe', { input: files.get(file), isShown: true, limits: LIMITS }),
    async close(): Promise<void> {
      worker.kill();
      await worker.gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function optionsOf(segment: string): ImageOptions | undefined {
  try {
    return parseLayered(segment, imageSteps, [videoSteps], LIMITS);
  } catch {
    return undefined;
  }
}

/** Yields segments of the whole language, at four times the size that the generator knows. */
export function* randomSegments(seed: number, count: number, files: readonly string[]): Generator<[string, string]> {
  const random = seededRandom(seed);
  for (let n = 0; n < count; ) {
    const [base = '', ...layers] = randomSegment(random, files).split('~');
    const segment = [base.startsWith('l_') ? `dpr_4~${base}` : base === '' ? 'dpr_4' : `${base},dpr_4`, ...layers].join(
      '~',
    );
    const options = optionsOf(segment);
    if (!options || analysesNeeded(options).length > 0) continue;
    n++;
    yield [segment, random.pick(files)];
  }
}

async function makeFiles(folder: string): Promise<Map<string, string>> {
  const photo = fixture('photo-2725x2225.jpg');
  const keep = async (name: string, image: Sharp) => {
    const file = join(folder, name);
    await image.toFile(file);
    return [name, file] as const;
  };
  const frames = 20;
  const small = await sharp(photo).resize(400, 300).raw().toBuffer();
  const raw = { width: 400, height: 300 * frames, channels: 3, pageHeight: 300 } as const;
  const moving = () =>
    sharp(Buffer.concat(Array.from({ length: frames }, (_, n) => small.map((value) => value ^ (12 * n)))), { raw });
  return new Map([
    ['photo.jpg', photo],
    ['photo.heic', fixture('winter-1440x960.heic')],
    ['layers.psd', fixture('layers-colors.psd')],
    await keep('photo.png', sharp(photo).resize(2000)),
    await keep('interlaced.png', sharp(photo).resize(1500).png({ progressive: true })),
    await keep('photo.webp', sharp(photo).resize(2000)),
    await keep('photo.avif', sharp(photo).resize(1600).avif({ effort: 0 })),
    await keep('photo.gif', sharp(photo).resize(800)),
    await keep('logo.png', sharp(fixture('flag-alpha.png'))),
    await keep('flat.png', sharp({ create: { width: 600, height: 400, channels: 3, background: 'teal' } })),
    await keep('moving.gif', moving().gif({ effort: 1, keepDuplicateFrames: true })),
    await keep('moving.webp', moving().webp({ effort: 0 })),
  ]);
}
