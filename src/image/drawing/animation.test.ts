import { readFile } from 'node:fs/promises';
import { readRights } from '@darkroom/image-files/rights/rights';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeGif } from '../../../test/corpus/make/gif.ts';
import {
  difference,
  movingPixel,
  pixelsOf,
  play,
  shotAt,
  strip,
  writeWebp,
} from '../../../test/pictures/animations.ts';
import { LIMITS, openStudio, type Pixel, type Studio } from '../../../test/pictures/studio.ts';
import { parseLayered } from '../layers/segment.ts';
import { renderImage } from '../pipeline.ts';
import { imageSteps } from '../steps/index.ts';

const WIDTH = 96;
const HEIGHT = 64;
const COUNT = 5;
const DELAYS = [100, 250, 30, 1000, 70];
const paint = movingPixel(WIDTH, HEIGHT, COUNT);

let studio: Studio;
let webp: string;
let gif: string;
/** The frames as files of their own. */
let stills: string[];
beforeAll(async () => {
  studio = await openStudio();
  const moving = strip(WIDTH, HEIGHT, COUNT, paint);
  webp = await studio.keep('moving.webp', await moving.webp({ lossless: true, delay: DELAYS, loop: 3 }).toBuffer());
  gif = await studio.keep('moving.gif', await moving.gif({ delay: DELAYS, loop: 3, dither: 0 }).toBuffer());
  await studio.keep(
    'mark.png',
    await sharp(mark(), { raw: { width: 8, height: 8, channels: 4 } })
      .png()
      .toBuffer(),
  );
  await studio.keep(
    'moving-mark.gif',
    await strip(8, 8, 3, (i) => [255 * (i % 2), 0, 255, 255])
      .gif()
      .toBuffer(),
  );
  const raw = { width: WIDTH, height: HEIGHT, channels: 4 as const };
  stills = await Promise.all(
    DELAYS.map(async (_, index) => {
      const image = sharp(pixelsOf(WIDTH, HEIGHT, index, paint), { raw }).removeAlpha();
      return studio.keep(`still-${index}.png`, await image.png().toBuffer());
    }),
  );
});
afterAll(() => studio.close());

function inGrey(pixels: Buffer): Buffer {
  const grey = Buffer.from(pixels);
  for (let at = 0; at < grey.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at);
    grey.fill(0.299 * red + 0.587 * green + 0.114 * blue, at, at + 3);
  }
  return grey;
}

const mark = () => pixelsOf(8, 8, 0, (_, x, y) => [0, 255, x * 30, y < 4 ? 255 : 90]);

/** The middle of the time of each frame. */
function middles(delays: readonly number[]): number[] {
  let from = 0;
  return delays.map((delay) => {
    from += delay;
    return from - delay / 2;
  });
}

describe('each frame is what its still picture would be', () => {
  const segments = [
    'w_48',
    'w_40,h_40,c_fill',
    'w_40,h_40,c_pad,b_ff0000',
    'w_40,h_40,c_pad,b_blur',
    'w_150',
    'a_90,w_40',
    'a_hflip,w_48',
    'a_30,b_336699',
    'a_-20',
    'rg_10:10:60:40,w_50',
    'z_2,g_north_west,w_60',
    'e_sepia,w_48',
    'e_blur:2',
    'e_pixelate:6',
    'e_negate,e_contrast:20,e_hue:90',
    'e_sharpen,e_vignette',
    'pd_10:4,b_00ff00',
    'bo_4:336699,r_12',
    'r_max,w_60,h_60',
    'o_40',
    'w_60~l_mark.png,g_south_east,x_4,y_4',
    'w_80~l_text:Hello,fs_20,co_ffffff',
    'w_60~l_mark.png,bl_mask',
    'w_60~l_mark.png,tl_6,sd_2:2:2:000000',
    'a_45,w_60,e_grayscale,r_8,bo_2:ff0000~l_mark.png',
  ];

  test.each(segments)('%s', async (segment) => {
    const moved = segment.includes('~') ? segment.replace('~', ',an_true~') : `${segment},an_true`;
    const result = await studio.render(webp, moved.replace('an_true', 'an_true,q_100'), 'webp');
    const { shots } = await play(result.file);
    const differences: number[] = [];
    for (const [index, time] of middles(DELAYS).entries()) {
      const still = await studio.render(stills[index] as string, segment);
      const pixels = await sharp(still.file).ensureAlpha().raw().toBuffer();
      const shot = shotAt(shots, time);
      expect([shot.width, shot.height]).toEqual([still.width, still.height]);
      // WebP keeps colours at half the resolution.
      differences.push(difference(inGrey(shot.pixels), inGrey(pixels)));
    }
    expect(Math.max(...differences)).toBeLessThan(3);
  });

  test('and another one is not', async () => {
    const result = await studio.render(webp, 'w_48,an_true', 'webp');
    const { shots } = await play(result.file);
    const still = await studio.render(stills[0] as string, 'w_48');
    const pixels = await sharp(still.file).ensureAlpha().raw().toBuffer();
    const later = middles(DELAYS).map((time) => difference(shotAt(shots, time).pixels, pixels));
    expect(later[0]).toBeLessThan(3);
    for (const one of later.slice(1)) expect(one).toBeGreaterThan(6);
  });

  test('a layer that moves shows its first frame', async () => {
    const { file } = await studio.render(gif, 'an_true~l_moving-mark.gif,g_north_west', 'webp');
    for (const { pixels } of (await play(file)).shots) {
      const [red = 0, green = 0, blue = 0] = pixels.subarray((2 * WIDTH + 2) * 4);
      expect([red < 12, green < 12, blue > 243]).toEqual([true, true, true]);
    }
  });
});

describe('times', () => {
  const ends = (delays: readonly number[]) => middles(delays).map((middle, index) => middle + (delays[index] ?? 0) / 2);

  test.each([
    ['GIF', 'gif', 'webp'],
    ['GIF', 'gif', 'gif'],
    ['WebP', 'webp', 'webp'],
    ['WebP', 'webp', 'gif'],
  ] as const)('of a %s survive: delays and repetitions', async (_name, source, format) => {
    const input = source === 'gif' ? gif : webp;
    const { file, format: made } = await studio.render(input, 'w_50,an_true', format);
    expect(made).toBe(format);
    const { shots, loop } = await play(file);
    expect([shots.map(({ to }) => to), loop]).toEqual([ends(DELAYS), 3]);
  });

  test('of equal neighbours add up', async () => {
    const still = await studio.keep(
      'equal.gif',
      await strip(20, 20, 4, (i) => (i < 3 ? RED : BLUE))
        .gif({ delay: [50, 60, 70, 80], keepDuplicateFrames: true })
        .toBuffer(),
    );
    expect((await sharp(still).metadata()).pages).toBe(4);
    for (const format of ['webp', 'gif'] as const) {
      const { shots } = await play((await studio.render(still, 'w_10,an_true', format)).file);
      expect(shots.at(-1)?.to).toBe(260);
      expect([colourAt(shots, 0), colourAt(shots, 179), colourAt(shots, 181)]).toEqual(['red', 'red', 'blue']);
    }
  });

  test('of zero become those of browsers in WebP, and stay in GIF', async () => {
    const colours = [RED, BLUE].map((pixel) => pixel.slice(0, 3) as unknown as readonly [number, number, number]);
    const frames = [0, 1, 0, 1].map((index) => ({ width: 8, height: 8, at: () => index, delay: index }));
    const input = await studio.keep('hasty.gif', writeGif(8, 8, colours, frames, 0, 7));
    const moved = await sharp((await studio.render(input, 'w_4,an_true', 'webp')).file).metadata();
    expect([moved.delay, moved.loop]).toEqual([[100, 100, 100, 100], (await sharp(input).metadata()).loop]);
    const { delay } = await sharp((await studio.render(input, 'w_4,an_true', 'gif')).file).metadata();
    expect(delay).toEqual([0, 10, 0, 10]);
  });

  test('longer than the encoders know are cut', async () => {
    const frames = [RED, BLUE].map((pixel) => ({ width: 4, height: 4, pixels: square(4, pixel), duration: 500_000 }));
    const input = await studio.keep('slow.webp', await writeWebp(4, 4, frames));
    const { delay } = await sharp((await studio.render(input, 'w_2,an_true', 'webp')).file).metadata();
    expect(delay).toEqual([65_535, 65_535]);
  });
});

const RED: Pixel = [255, 0, 0, 255];
const BLUE: Pixel = [0, 0, 255, 255];
const square = (side: number, pixel: Pixel) => pixelsOf(side, side, 0, () => pixel);

function colourAt(shots: Parameters<typeof shotAt>[0], time: number, x = 1, y = 1): string {
  const { pixels, width } = shotAt(shots, time);
  const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray((y * width + x) * 4);
  if (alpha < 10) return 'none';
  return red > 200 && blue < 50 ? 'red' : blue > 200 && red < 50 ? 'blue' : green > 200 ? 'green' : 'other';
}

describe('frames that are parts of the canvas', () => {
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [9, 9, 9],
  ] as const;
  const whole = (disposal: 0 | 1 | 2 | 3) => ({ width: 16, height: 16, at: () => 0, disposal });
  const corner = (disposal: 0 | 1 | 2 | 3) => ({
    left: 8,
    top: 8,
    width: 8,
    height: 8,
    at: () => 2,
    disposal,
    hole: 3,
  });
  const edge = { left: 0, top: 0, width: 4, height: 4, at: () => 1, hole: 3 };
  const seen = [
    ['stay', 1, ['blue', 'red']],
    ['are cleared', 2, ['none', 'red']],
    ['give way to what was there before', 3, ['red', 'red']],
  ] as const;

  test.each(seen)('%s in a GIF', async (_name, disposal, [behind, beside]) => {
    const input = await studio.keep(
      `disposal-${disposal}.gif`,
      writeGif(16, 16, colours, [whole(1), corner(disposal), edge]),
    );
    for (const format of ['webp', 'gif'] as const) {
      const { shots } = await play((await studio.render(input, 'an_true', format)).file);
      expect([colourAt(shots, 50, 12, 12), colourAt(shots, 150, 12, 12)]).toEqual(['red', 'blue']);
      expect([colourAt(shots, 250, 12, 12), colourAt(shots, 250, 12, 3), colourAt(shots, 250)]).toEqual([
        behind,
        beside,
        'green',
      ]);
    }
  });

  test('reach beyond it in a GIF', async () => {
    const outside = { left: 12, top: 12, width: 16, height: 16, at: () => 2 };
    const input = await studio.keep('outside.gif', writeGif(16, 16, colours, [whole(1), outside]));
    const { shots } = await play((await studio.render(input, 'an_true', 'gif')).file);
    expect(shots.at(-1)?.to).toBe(200);
    expect(colourAt(shots, 150)).toBe('red');
  });

  test('are blended or cleared in a WebP', async () => {
    const clear = pixelsOf(8, 8, 0, (_, x) => (x < 4 ? [0, 0, 0, 0] : BLUE));
    const part = { left: 8, top: 8, width: 8, height: 8, pixels: clear, duration: 100 };
    const first = { width: 16, height: 16, pixels: square(16, RED), duration: 100 };
    const last = { width: 2, height: 2, pixels: square(2, BLUE), duration: 100 };
    for (const [isBlended, hole] of [
      [true, 'red'],
      [false, 'none'],
    ] as const) {
      for (const [isCleared, after] of [
        [true, 'none'],
        [false, 'blue'],
      ] as const) {
        const frames = [first, { ...part, isBlended, isCleared }, { ...last, isBlended: true }];
        const input = await studio.keep('blended.webp', await writeWebp(16, 16, frames));
        const { shots } = await play((await studio.render(input, 'an_true,q_auto', 'webp')).file);
        const during = [colourAt(shots, 150, 9, 12), colourAt(shots, 150, 14, 12)];
        expect([...during, colourAt(shots, 250, 14, 12), colourAt(shots, 250)]).toEqual([hole, 'blue', after, 'blue']);
      }
    }
  });
});

describe('what a file says of itself', () => {
  const exif = async (orientation: number, rights = {}) => {
    const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } });
    const jpeg = await pixel.withExif({ IFD0: rights }).withMetadata({ orientation }).jpeg().toBuffer();
    return (await sharp(jpeg).metadata()).exif?.subarray(6) ?? Buffer.alloc(0);
  };
  const frame = (index: number) => ({
    width: WIDTH,
    height: HEIGHT,
    pixels: pixelsOf(WIDTH, HEIGHT, index, paint),
    duration: 100,
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('turns all frames upright by orientation %i', async (orientation) => {
    // libvips keeps what it has read of a file by its name.
    const input = await studio.keep(
      `turned-${orientation}.webp`,
      await writeWebp(WIDTH, HEIGHT, [frame(0), frame(3)], { exif: await exif(orientation) }),
    );
    const still = await studio.render(input, 'w_40');
    const { file, width, height } = await studio.render(input, 'w_40,an_true,q_100', 'webp');
    expect([width, height]).toEqual([still.width, still.height]);
    const { shots } = await play(file);
    const pixels = await sharp(still.file).ensureAlpha().raw().toBuffer();
    expect(difference(shotAt(shots, 50).pixels, pixels)).toBeLessThan(3);
    const other = await studio.keep(
      `turned-last-${orientation}.webp`,
      await writeWebp(WIDTH, HEIGHT, [frame(3), frame(0)], { exif: await exif(orientation) }),
    );
    const last = await sharp((await studio.render(other, 'w_40')).file)
      .ensureAlpha()
      .raw()
      .toBuffer();
    expect(difference(shotAt(shots, 150).pixels, last)).toBeLessThan(3);
  });

  test('whose it is stays, and nothing else', async () => {
    const block = await exif(1, { Copyright: 'Ada', Software: 'Paint' });
    const input = await studio.keep(
      'owned.webp',
      await writeWebp(WIDTH, HEIGHT, [frame(0), frame(1)], { exif: block }),
    );
    const { file } = await studio.render(input, 'w_40,an_true', 'webp');
    const made = await sharp(file, { animated: true }).metadata();
    expect([readRights({ xmp: made.xmp }), made.exif, made.pages]).toEqual([{ Copyright: 'Ada' }, undefined, 2]);
    expect((await readFile(file)).includes('Paint')).toBe(false);
  });
});

describe('an animation in its own size and format', () => {
  test.each(['gif', 'webp'] as const)('is no larger than its original: %s', async (format) => {
    // Few bytes for many pixels, which another encoder would not find.
    const tiny = format === 'gif' ? await smallGif() : await smallWebp();
    const input = await studio.keep(`small.${format}`, tiny);
    const { size, file } = await studio.render(input, 'an_true', format);
    expect(size).toBeLessThanOrEqual(tiny.length);
    const before = await play(input);
    const after = await play(file);
    expect(after.shots.at(-1)?.to).toBe(before.shots.at(-1)?.to);
    for (const { from, pixels } of before.shots)
      expect(difference(shotAt(after.shots, from).pixels, pixels)).toBeLessThan(8);
  });

  const noise = (_: number, x: number, y: number): Pixel => [
    (x * 37 + y * 91) % 256,
    (x * 59) % 256,
    (y * 83) % 256,
    255,
  ];
  const smallWebp = () =>
    strip(48, 48, 3, (i, x, y) => noise(i, x + i, y))
      .webp({ quality: 1, effort: 6 })
      .toBuffer();
  const smallGif = async () =>
    strip(48, 48, 3, (i, x, y) => noise(i, x + i, y))
      .gif({ colours: 4, effort: 10 })
      .toBuffer();

  test('keeps nothing of its comments', async () => {
    const tiny = await smallGif();
    const comment = Buffer.from('\x21\xfe\x06secret\0', 'latin1');
    const commented = Buffer.concat([tiny.subarray(0, -1), comment, tiny.subarray(-1)]);
    const input = await studio.keep('commented.gif', commented);
    const { file, size } = await studio.render(input, 'an_true', 'gif');
    expect([size <= tiny.length, (await readFile(file)).includes('secret')]).toEqual([true, false]);
    expect((await sharp(file).metadata()).pages).toBe(3);
  });
});

describe('a file with one frame', () => {
  test.each(['gif', 'webp'] as const)('becomes a still picture of the format: %s', async (format) => {
    const one = await studio.keep('one.gif', await sharp(stills[0]).gif().toBuffer());
    const result = await studio.render(one, 'w_20,an_true', format);
    expect([result.format, result.width, (await sharp(result.file).metadata()).pages ?? 1]).toEqual([format, 20, 1]);
  });
});

describe('the quality', () => {
  test('auto takes fewer bytes than the default, and looks like it', async () => {
    const plain = await studio.render(webp, 'an_true', 'webp');
    const auto = await studio.render(webp, 'an_true,q_auto', 'webp');
    expect(auto.size).toBeLessThanOrEqual(plain.size);
    const a = await play(plain.file);
    const b = await play(auto.file);
    for (const time of middles(DELAYS)) {
      expect(difference(shotAt(a.shots, time).pixels, shotAt(b.shots, time).pixels)).toBeLessThan(8);
    }
  });
});

describe('limits', () => {
  const attempt = (
    input: string,
    segment: string,
    limits: Partial<typeof LIMITS & { animationMegapixels: number }>,
  ) => {
    const { format, ...options } = parseLayered(segment, imageSteps, [], LIMITS) ?? {};
    const output = studio.file('limited');
    return renderImage({
      inputs: { original: input },
      output,
      options,
      format: 'webp',
      limits: { ...LIMITS, ...limits },
    });
  };

  test('all frames together of the original', async () => {
    const animationMegapixels = (WIDTH * HEIGHT * COUNT - 1) / 1e6;
    const reason = `The original has 0.0 megapixels (5 frames of 96x64); the limit for animations is ${animationMegapixels} (MAX_ANIMATION_MEGAPIXELS).`;
    expect(await attempt(gif, 'w_10,an_true', { animationMegapixels })).toEqual({ outcome: 'limit exceeded', reason });
    expect(await attempt(gif, 'w_10', { animationMegapixels })).toMatchObject({ outcome: 'rendered' });
  });

  test('all frames together of the result', async () => {
    const result = await attempt(webp, 'w_960,an_true', { animationMegapixels: 3 });
    const reason =
      'The result would have 3.1 megapixels (5 frames of 960x640); the limit for animations is 3 (MAX_ANIMATION_MEGAPIXELS).';
    expect(result).toEqual({ outcome: 'limit exceeded', reason });
  });

  test('10,000 frames are refused, or all of them are there', async () => {
    const frames = Array.from({ length: 10_000 }, (_, index) => ({
      width: 2,
      height: 2,
      at: () => index % 2,
      delay: 2,
    }));
    const input = await studio.keep(
      'long.gif',
      writeGif(
        2,
        2,
        [
          [0, 0, 0],
          [255, 255, 255],
        ],
        frames,
      ),
    );
    expect(await attempt(input, 'an_true', { animationFrames: 2000 })).toMatchObject({
      outcome: 'limit exceeded',
      reason: expect.stringContaining('10000 frames; the limit is 2000 (MAX_ANIMATION_FRAMES)'),
    });
    expect(await attempt(input, 'a_90,an_true', { animationFrames: 10_000 })).toMatchObject({ outcome: 'rendered' });
    const { pages, delay } = await sharp(studio.file('limited')).metadata();
    expect([pages, delay?.reduce((sum, one) => sum + one, 0)]).toEqual([10_000, 200_000]);
  });
});
