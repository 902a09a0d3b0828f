import { access, readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frames, openStudio, type Studio } from '../../test/pictures/studio.ts';
import { withChunks, words } from '../../test/pictures/tagged.ts';
import { convertHeic } from './convert.ts';
import { LimitExceeded } from './failure.ts';
import { turnBy } from './layout/geometry.ts';
import { type MemoryCheck, NeedsMemory } from './memory.ts';
import { type RenderRequest, renderImage } from './pipeline.ts';

const LIMITS = { inputMegapixels: 100, outputSide: 8192, outputMegapixels: 50, animationFrames: 1000 };

let studio: Studio;
let count = 0;
/** A photo of one megapixel. */
const saved: Record<string, string> = {};
beforeAll(async () => {
  studio = await openStudio();
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const photo = sharp({ create: { width: 1250, height: 800, channels: 3, background: 'grey', noise } });
  const pixels = await photo.png().toBuffer();
  const keep = async (name: string, image: Sharp) => {
    saved[name] = await studio.keep(name, await image.toBuffer());
  };
  await keep('baseline.jpg', sharp(pixels).jpeg());
  await keep('progressive.jpg', sharp(pixels).jpeg({ progressive: true }));
  await keep('turned.jpg', sharp(pixels).withMetadata({ orientation: 6 }).jpeg());
  await keep('grey.jpg', sharp(pixels).toColourspace('b-w').jpeg());
  await keep('rows.png', sharp(pixels).png());
  await keep('interlaced.png', sharp(pixels).png({ progressive: true }));
  await keep('still.avif', sharp(pixels).avif({ effort: 0 }));
  await keep('deep.avif', sharp(pixels).avif({ effort: 0, bitdepth: 10 }));
  saved['winter.heic'] = await studio.keep('winter.heic', await fixture('winter-1440x960.heic'));
  saved['hdr.heic'] = await studio.keep('hdr.heic', await fixture('hdr-pq.heic'));
  const hdr = await sharp(pixels).avif({ effort: 0, lossless: true }).toBuffer();
  hdr.writeUInt16BE(18, hdr.indexOf('colrnclx') + 10);
  saved['hdr-8-bits.avif'] = await studio.keep('hdr-8-bits.avif', hdr);
  const deepGrey = withChunks(await sharp(pixels).toColourspace('grey16').png().toBuffer(), { gAMA: words(55_556) });
  saved['deep-grey.png'] = await studio.keep('deep-grey.png', deepGrey);
  saved['merged.psd'] = await studio.keep('merged.psd', await fixture('merged-hopper.psd'));
});
afterAll(() => studio.close());

const fixture = (name: string) => readFile(new URL(`../../test/fixtures/${name}`, import.meta.url));

function request(input: string, options: RenderRequest['options'], format: RenderRequest['format']): RenderRequest {
  return { inputs: { original: input }, output: studio.file(`result-${++count}`), options, format, limits: LIMITS };
}

/** The most that a render asks room for. */
async function asked(name: string, options: RenderRequest['options'], format: RenderRequest['format'] = 'jpeg') {
  let most = 0;
  const note: MemoryCheck = (megabytes) => {
    most = Math.max(most, megabytes);
  };
  expect(await renderImage(request(saved[name] ?? '', options, format), note)).toMatchObject({ outcome: 'rendered' });
  return most;
}

describe('a render asks for room', () => {
  test.each([
    ['baseline.jpg', 0],
    ['rows.png', 0],
    ['progressive.jpg', 4],
    ['turned.jpg', 4],
    ['interlaced.png', 4],
    ['still.avif', 18],
    ['deep.avif', 25],
    ['winter.heic', 15.2],
    ['hdr.heic', 0.09],
    ['hdr-8-bits.avif', 33],
    ['deep-grey.png', 4],
    ['merged.psd', 0.16],
  ])('to decode %s: %d MB', async (name, megabytes) => {
    expect(await asked(name, { width: 10, height: 10 })).toBeCloseTo(megabytes, megabytes < 1 ? 2 : 0);
  });

  test.each([
    ['jpeg', 6],
    ['png', 1],
    ['webp', 16],
    ['gif', 13],
    ['avif', 34],
  ] as const)('to encode %s: %d MB a megapixel', async (format, megabytes) => {
    expect(await asked('baseline.jpg', {}, format)).toBeCloseTo(megabytes, 0);
  });

  test('and for its time: a slow encoder has little memory and a high price', async () => {
    const priced = async (format: RenderRequest['format']) => {
      let most = 0;
      const note: MemoryCheck = (_megabytes, cpuMs = 0) => {
        most = Math.max(most, cpuMs);
      };
      await renderImage(request(saved['baseline.jpg'] ?? '', {}, format), note);
      return most;
    };
    const jpeg = await priced('jpeg');
    const png = await priced('png');
    const gif = await priced('gif');
    expect([png > 2 * jpeg, gif > 2 * png]).toEqual([true, true]);
  });

  test('less for each pixel of a large one', async () => {
    expect(await asked('baseline.jpg', { width: 4000, height: 4250 }, 'webp')).toBeCloseTo(17 * 6, 0);
  });

  test('to turn it, and to search for its quality', async () => {
    expect(await asked('baseline.jpg', { width: 10, angle: turnBy(90) })).toBeCloseTo(4, 0);
    expect(await asked('baseline.jpg', { width: 10, angle: turnBy(10) })).toBeCloseTo(10, 0);
    expect(await asked('baseline.jpg', { quality: 'auto' })).toBeCloseTo(14, 0);
  });

  test('to hold it between two chains of sharp', async () => {
    const blue = { red: 0, green: 0, blue: 255, alpha: 255 };
    expect(await asked('grey.jpg', { width: 10, height: 20, crop: 'pad' })).toBeCloseTo(0, 0);
    expect(await asked('grey.jpg', { width: 10, height: 20, crop: 'pad', background: blue })).toBeCloseTo(4, 0);
  });

  test('for all frames of an animation, as they are decoded and as they become', async () => {
    // One megapixel in ten frames.
    const moving = frames(
      400,
      250,
      Array.from({ length: 10 }, (_, index) => (index % 2 ? 'red' : 'blue')),
    );
    saved['moving.gif'] = await studio.keep('moving.gif', await moving.gif({ keepDuplicateFrames: true }).toBuffer());
    saved['moving.webp'] = await studio.keep('moving.webp', await moving.webp().toBuffer());
    const one = await asked('moving.gif', { width: 200 }, 'webp');
    expect(one).toBeLessThan(2);
    expect(await asked('moving.gif', { width: 200, animated: true }, 'webp')).toBeCloseTo(one + 5, 5);
    expect(await asked('moving.webp', { width: 200, animated: true }, 'webp')).toBeGreaterThan(8);
    // Four times the pixels: 4 bytes of each, 4 more of the result, and its file.
    const grown =
      (await asked('moving.gif', { width: 800, animated: true }, 'webp')) -
      (await asked('moving.gif', { width: 800 }, 'webp'));
    expect(grown).toBeCloseTo(4 + 4 * 4 + 4 * 2, 5);
  });

  test('before it takes memory: a refused render has written nothing', async () => {
    const wanted = request(saved['baseline.jpg'] ?? '', {}, 'avif');
    const full: MemoryCheck = (megabytes) => {
      if (megabytes > 20) throw new NeedsMemory(megabytes);
    };
    await expect(renderImage(wanted, full)).rejects.toMatchObject({ name: 'NeedsMemory', megabytes: 34 });
    await expect(access(wanted.output)).rejects.toThrow();
  });

  test.each(['winter.heic', 'merged.psd', 'still.avif'])('before %s is decoded', async (name) => {
    const none: MemoryCheck = (megabytes) => {
      if (megabytes > 0) throw new NeedsMemory(megabytes);
    };
    await expect(renderImage(request(saved[name] ?? '', {}, 'jpeg'), none)).rejects.toThrow(NeedsMemory);
    const conversion = { input: saved[name] ?? '', output: studio.file('never'), limits: LIMITS };
    await expect(convertHeic(conversion, none)).rejects.toThrow(NeedsMemory);
  });

  test.each(['winter.heic', 'merged.psd', 'still.avif'])('and is refused when %s never has so much', async (name) => {
    const never: MemoryCheck = (megabytes) => {
      if (megabytes > 0) throw new LimitExceeded('RENDER_MEMORY_MB');
    };
    const refused = { outcome: 'limit exceeded', reason: 'RENDER_MEMORY_MB' };
    expect(await renderImage(request(saved[name] ?? '', {}, 'jpeg'), never)).toEqual(refused);
  });
});
