import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GifFrame, writeGif } from '../../../test/corpus/make/gif.ts';
import { ODD_GIFS } from '../../../test/pictures/odd-gifs.ts';
import { isNear, openStudio, type Studio, settings } from '../../../test/video-samples.ts';
import type { GifOptions } from '../steps/gif.ts';
import { transcode } from '../transcode.ts';
import { UndecodableVideo } from './errors.ts';

const RED = [255, 0, 0] as const;
const GREEN = [0, 128, 0] as const;
const BLUE = [0, 0, 255] as const;
const WHITE = [255, 255, 255] as const;
const COLOURS = [RED, GREEN, BLUE, WHITE];
const HOLE = 3;
const WIDTH = 61;
const HEIGHT = 41;

let studio: Studio;
let count = 0;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const whole = (index: number, more: Partial<GifFrame> = {}): GifFrame => ({
  width: WIDTH,
  height: HEIGHT,
  at: () => index,
  ...more,
});
const gifOf = (frames: readonly GifFrame[]) => writeGif(WIDTH, HEIGHT, COLOURS, frames);

async function videoOf(gif: Uint8Array, options: GifOptions = {}): Promise<string> {
  const input = studio.path(`${++count}.gif`);
  await writeFile(input, gif);
  const output = studio.path(`${count}.${options.format ?? 'mp4'}`);
  await transcode(studio.tools, settings, { input, output, options: { format: 'mp4', ...options }, source: 'gif' });
  return output;
}

/** Seconds. */
async function lengthOf(file: string): Promise<number> {
  const times = await studio.times(file);
  return (times.at(-1) ?? 0) + 0.01;
}

describe.each(['mp4', 'webm'] as const)('a GIF as %s', (format) => {
  test('has even sides, the codec of its format, and colours that say which they are', async () => {
    const file = await videoOf(gifOf([whole(0), whole(1)]), { format });
    expect(await studio.stream(file, 'v')).toMatchObject({
      codec_name: format === 'mp4' ? 'h264' : 'vp9',
      width: '60',
      height: '40',
      pix_fmt: 'yuv420p',
      color_space: 'bt709',
      color_range: 'tv',
    });
    expect((await studio.stream(file, 'a')).codec_name).toBeUndefined();
  });

  test('shows each frame in its colours for its time, the last one too', async () => {
    const delays = [20, 100, 7, 250];
    const file = await videoOf(gifOf(delays.map((delay, index) => whole(index, { delay }))), { format });
    const times = await studio.times(file);
    const frames = await studio.frames(file);
    expect(times.slice(0, 4)).toEqual([0, 0.2, 1.2, 1.27]);
    expect(await lengthOf(file)).toBeCloseTo(3.77, 2);
    for (const [index, frame] of frames.entries()) {
      expect([index, isNear(frame.at(30, 20), COLOURS[Math.min(index, 3)] as readonly number[])]).toEqual([
        index,
        true,
      ]);
    }
  });

  test('is played once, however often the GIF repeats', async () => {
    const gif = writeGif(WIDTH, HEIGHT, COLOURS, [whole(0, { delay: 50 }), whole(1, { delay: 50 })], 0, 9);
    expect(await lengthOf(await videoOf(gif, { format }))).toBeCloseTo(1, 2);
  });

  test('without times takes those of browsers', async () => {
    const gif = gifOf([whole(0, { delay: 0 }), whole(1, { delay: 1 }), whole(2, { delay: 0 })]);
    expect(await lengthOf(await videoOf(gif, { format }))).toBeCloseTo(0.3, 2);
  });
});

describe('transparency', () => {
  const left: GifFrame = whole(0, { at: (x) => (x < 30 ? 0 : HOLE), hole: HOLE, disposal: 2 });
  const right: GifFrame = whole(2, { at: (x) => (x < 30 ? HOLE : 2), hole: HOLE });

  test.each([
    ['white', undefined, WHITE],
    ['the colour of b', { red: 0, green: 128, blue: 0, alpha: 255 }, GREEN],
    ['black', { red: 0, green: 0, blue: 0, alpha: 255 }, [0, 0, 0]],
  ] as const)('becomes %s', async (_name, background, expected) => {
    const file = await videoOf(gifOf([left, right]), background ? { background } : {});
    const [first, second] = await studio.frames(file);
    expect([isNear(first?.at(10, 20), RED), isNear(first?.at(50, 20), expected)]).toEqual([true, true]);
    expect([isNear(second?.at(10, 20), expected), isNear(second?.at(50, 20), BLUE)]).toEqual([true, true]);
  });

  test('is not a colour of the same value', async () => {
    const white: GifFrame = whole(HOLE);
    const file = await videoOf(gifOf([whole(0), white]));
    expect(isNear((await studio.frames(file))[1]?.at(30, 20), WHITE)).toBe(true);
  });

  test('of disposed frames shows the frame before', async () => {
    const undone: GifFrame = { left: 20, top: 10, width: 20, height: 20, at: () => 2, disposal: 3, hole: HOLE };
    const dot: GifFrame = { left: 0, top: 0, width: 2, height: 2, at: () => 1, hole: HOLE };
    const frames = await studio.frames(await videoOf(gifOf([whole(0, { disposal: 1 }), undone, dot])));
    expect([isNear(frames[1]?.at(30, 20), BLUE), isNear(frames[2]?.at(30, 20), RED)]).toEqual([true, true]);
  });
});

describe('size', () => {
  const gif = () => gifOf([whole(0), whole(2)]);
  const sizeOf = async (options: GifOptions) => {
    const { width, height } = await studio.stream(await videoOf(gif(), options), 'v');
    return [Number(width), Number(height)];
  };

  test('is that of videos', async () => {
    expect(await sizeOf({ width: 122 })).toEqual([122, 82]);
    expect(await sizeOf({ width: 30, height: 30 })).toEqual([30, 30]);
    expect(await sizeOf({ width: 30, height: 30, crop: 'fit' })).toEqual([30, 20]);
    expect(await sizeOf({ width: 50, height: 20, crop: 'scale' })).toEqual([50, 20]);
  });

  test('with bars has them in white, or in b', async () => {
    for (const [background, expected] of [
      [undefined, WHITE],
      [{ red: 0, green: 0, blue: 255, alpha: 255 }, BLUE],
    ] as const) {
      const options: GifOptions = { width: 60, height: 60, crop: 'pad', ...(background && { background }) };
      const [first] = await studio.frames(await videoOf(gif(), options));
      expect([isNear(first?.at(30, 2), expected), isNear(first?.at(30, 30), RED)]).toEqual([true, true]);
    }
  });
});

describe('a GIF that decoders do not agree on is shown as browsers show it', () => {
  const shown = { red: RED, green: [0, 255, 0], blue: BLUE, transparent: [255, 0, 255] } as const;
  const background = { red: 255, green: 0, blue: 255, alpha: 255 };

  test.each(ODD_GIFS)('$name', async ({ bytes, width, height, shows }) => {
    const file = await videoOf(bytes, { background });
    const { width: across, height: down } = await studio.stream(file, 'v');
    expect([Number(across), Number(down)]).toEqual([width, height]);
    const frames = await studio.frames(file);
    for (const [index, points] of shows.entries()) {
      for (const { x, y, colour } of points) {
        const seen = frames[index]?.at(x, y);
        expect(isNear(seen, shown[colour]), `frame ${index} at ${x}, ${y}: ${seen}, expected ${colour}`).toBe(true);
      }
    }
  });
});

describe('a broken GIF', () => {
  test('is refused', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('GIF89a'),
      Buffer.from('#EXTM3U\n/etc/passwd\n'),
      Buffer.from('RIFF....WEBPVP8 '),
    ]) {
      await expect(videoOf(bytes)).rejects.toBeInstanceOf(UndecodableVideo);
    }
  });

  test('is a video up to where it is cut, or refused', async () => {
    const gif = gifOf(Array.from({ length: 20 }, (_, index) => whole(index % 3, { delay: 10 })));
    for (const share of [0.2, 0.5, 0.9]) {
      const made = await videoOf(gif.subarray(0, gif.length * share)).catch((error: unknown) => error);
      if (typeof made !== 'string') expect(made).toBeInstanceOf(UndecodableVideo);
      else expect((await studio.frames(made)).length).toBeGreaterThan(0);
    }
  });
});
