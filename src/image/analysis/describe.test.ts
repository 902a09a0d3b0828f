import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Create, type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distance } from '../../lab.ts';
import { NeedsMemory } from '../memory.ts';
import { describeImage, type ImageFacts } from './describe.ts';
import { takeSample } from './sample.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
const ofCorpus = (name: string) => fileURLToPath(new URL(`../../../test/corpus/files/${name}`, import.meta.url));
const limits = { inputMegapixels: 100, animationFrames: 1000 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-facts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function factsOf(input: string): Promise<ImageFacts> {
  const result = await describeImage({ input, limits });
  if (result.outcome !== 'described') throw new Error(`${result.outcome}: ${result.reason}`);
  return result.facts;
}

/** Hamming distance of two hashes of 64 bits. */
function differingBits(one = '', other = ''): number {
  const bits = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  return [...bits.toString(2)].filter((bit) => bit === '1').length;
}

describe('a picture that is coded in any way that is read', () => {
  let scene: ImageFacts;
  beforeAll(async () => {
    scene = await factsOf(ofCorpus('rgb-8.png'));
  });

  test.each([
    ...['baseline-420.jpg', 'progressive.jpg', 'arithmetic.jpg', 'lossless.jpg', 'icc-bt2020.jpg', 'orientation-6.jpg'],
    ...['rgb-16.png', 'rgb-8-interlaced.png', 'gama-linear.png', 'chrm-p3.png', 'cicp-pq.png', 'orientation-7.png'],
    ...['lossy.webp', 'icc-v4.webp', 'orientation-5.webp', 'animated.webp', 'animated.png'],
    ...['still-10-422.avif', 'limited-range.avif', 'nclx-p3.avif', 'nclx-hlg.avif', 'grid.avif', 'sequence.avif'],
    ...['still-10.heic', 'nclx-pq.heic', 'grid.heic', 'orientation-8.heic'],
    ...['rgb-16.psd', 'rgb-32.psd', 'lab-16.psd', 'large.psd', 'layers.psd'],
  ])('is described alike: %s', async (name) => {
    const facts = await factsOf(ofCorpus(name));
    const extension = name.slice(name.lastIndexOf('.') + 1);
    expect(facts).toMatchObject({ width: 240, height: 160, format: extension.replace('jpg', 'jpeg'), hasAlpha: false });
    expect(differingBits(facts.perceptualHash, scene.perceptualHash)).toBeLessThanOrEqual(2);
    const own = facts.colours.dominantLab;
    const other = scene.colours.dominantLab;
    expect(own && other && distance(own, other)).toBeLessThan(3);
  });

  test('as CMYK or grey, or with few colours, has the sizes and the shapes of the others', async () => {
    for (const name of [
      'cmyk.jpg',
      'ycck-icc.jpg',
      'grey.jpg',
      'grey-16.png',
      'cmyk-icc.psd',
      'grey-icc.psd',
      'still.gif',
    ]) {
      const facts = await factsOf(ofCorpus(name));
      expect(facts).toMatchObject({ width: 240, height: 160, hasAlpha: false });
      expect(differingBits(facts.perceptualHash, scene.perceptualHash)).toBeLessThanOrEqual(6);
    }
  });

  test.each([
    ['photo-2725x2225.jpg', { format: 'jpeg', width: 2725, height: 2225 }],
    ['16-bit-grey-alpha.png', { format: 'png', hasAlpha: true }],
    ['paper-alpha-1024x768.png', { format: 'png', width: 1024, height: 768, hasAlpha: true }],
    ['rotated.heic', { format: 'heic', width: 32, height: 64, hasAlpha: false }],
    ['alpha.heic', { format: 'heic', width: 64, height: 32, hasAlpha: true }],
    ['still.avif', { format: 'avif', width: 2048, height: 858 }],
    ['hlg-stream.avif', { format: 'avif', width: 64, height: 64 }],
    ['merged-hopper.psd', { format: 'psd', width: 128, height: 128, hasAlpha: false }],
  ])('from a program of the world, %s, has the facts that are known of it', async (name, known) => {
    expect(await factsOf(fixture(name))).toMatchObject(known);
  });
});

describe('the size', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is that of the upright picture: orientation %i', async (orientation) => {
    const file = join(folder, `turned-${orientation}.jpg`);
    const create = { width: 60, height: 40, channels: 3, background: 'red' } as const;
    await sharp({ create }).withMetadata({ orientation }).toFile(file);
    const [width, height] = orientation > 4 ? [40, 60] : [60, 40];
    expect(await factsOf(file)).toMatchObject({ width, height });
  });

  test('may be a single pixel, or a line', async () => {
    for (const [width, height] of [
      [1, 1],
      [4000, 1],
      [1, 4000],
    ] as const) {
      const file = join(folder, 'line.png');
      await sharp({ create: { width, height, channels: 3, background: '#336699' } }).toFile(file);
      const { colours, ...facts } = await factsOf(file);
      expect(facts).toMatchObject({ width, height, perceptualHash: undefined });
      expect(colours).toMatchObject({ dominant: '#336699', border: '#336699', palette: ['#336699'] });
    }
  });
});

describe('alpha', () => {
  const alphaOf = async (name: string, background: object) => {
    const file = join(folder, name);
    await sharp({ create: { width: 300, height: 200, channels: 4, background } as Create }).toFile(file);
    return (await factsOf(file)).hasAlpha;
  };

  test('is there where something shows through, and not where its channel is opaque', async () => {
    const opaque = { r: 10, g: 200, b: 30, alpha: 1 };
    for (const type of ['png', 'webp', 'avif']) {
      expect(await alphaOf(`opaque.${type}`, opaque)).toBe(false);
      expect(await alphaOf(`clear.${type}`, { ...opaque, alpha: 0.9 })).toBe(true);
    }
  });

  test('is found in GIF, in a palette and where one colour is transparent', async () => {
    for (const name of ['transparent.gif', 'palette-hole.png', 'rgb-key.png', 'grey-alpha-16.png', 'rgb-alpha.psd']) {
      expect((await factsOf(ofCorpus(name))).hasAlpha).toBe(true);
    }
    for (const name of ['still.gif', 'palette-8.png']) expect((await factsOf(ofCorpus(name))).hasAlpha).toBe(false);
  });
});

describe('an animation', () => {
  test.each(['animated.gif', 'animated.webp', 'animated.png'])(
    'says how many frames it has and how long they are shown: %s',
    async (name) => {
      expect(await factsOf(ofCorpus(name))).toMatchObject({ frames: 2, duration: 0.2 });
    },
  );

  test('shows frames without a time for a tenth of a second, as browsers do', async () => {
    const frames = [255, 128, 0].map((level) => Buffer.alloc(10 * 10 * 3, level));
    const raw = { width: 10, height: 30, channels: 3, pageHeight: 10 } as const;
    const file = join(folder, 'hurried.gif');
    await sharp(Buffer.concat(frames), { raw })
      .gif({ delay: [0, 500, 30] })
      .toFile(file);
    expect(await factsOf(file)).toMatchObject({ frames: 3, duration: 0.63 });
  });

  test('is not what a still picture is', async () => {
    for (const name of ['still.gif', 'lossy.webp', 'rgb-8.png', 'baseline-444.jpg']) {
      expect(await factsOf(ofCorpus(name))).toMatchObject({ frames: undefined, duration: undefined });
    }
  });
});

describe('a file that cannot be described', () => {
  test.each(['truncated.jpg', 'corrupt-header.jpg', 'not-an-image.jpg', 'tables-001.sql', 'schizo_90.mp4'])(
    'because it is broken or no picture says so: %s',
    async (name) => {
      expect(await describeImage({ input: fixture(name), limits })).toMatchObject({ outcome: 'undecodable' });
    },
  );

  test('because it is empty says so', async () => {
    const empty = join(folder, 'empty.png');
    await writeFile(empty, '');
    expect(await describeImage({ input: empty, limits })).toMatchObject({ outcome: 'undecodable' });
  });

  test('because it is a decompression bomb is refused by its header', async () => {
    const result = await describeImage({ input: fixture('bomb-16383.png'), limits });
    expect(result).toMatchObject({ outcome: 'limit exceeded' });
    expect('reason' in result && result.reason).toContain('MAX_INPUT_MEGAPIXELS');
  });

  test('because its disk cannot be read at the moment is left for later', async () => {
    const failure = new Error('source: read error\nsystem error: Input/output error');
    const unreadable: object = new Proxy(
      {},
      { get: (_, name) => (name === 'toBuffer' ? () => Promise.reject(failure) : () => unreadable) },
    );
    await expect(takeSample(unreadable as Sharp)).rejects.toBe(failure);
  });

  test('because there is no memory for it at the moment is left for later', async () => {
    const checkMemory = (megabytes: number) => {
      if (megabytes > 5) throw new NeedsMemory(megabytes);
    };
    await expect(describeImage({ input: fixture('still.avif'), limits }, checkMemory)).rejects.toThrow(NeedsMemory);
    expect(await describeImage({ input: fixture('photo-2725x2225.jpg'), limits }, checkMemory)).toMatchObject({
      outcome: 'described',
    });
  });
});
