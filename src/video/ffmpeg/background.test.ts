import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, type Studio } from '../../../test/video-samples.ts';
import { furthest, openWays, WAYS, type Ways } from '../../../test/video-ways.ts';

let studio: Studio;
let ways: Ways;
beforeAll(async () => {
  studio = await openStudio();
  ways = await openWays(studio);
});
afterAll(() => Promise.all([studio.close(), ways.close()]));

const RED = [255, 0, 0];
const BLACK = [0, 0, 0];
const BLUE = { red: 30, green: 60, blue: 200, alpha: 255 };
const BLUE_PIXEL = [30, 60, 200];

/** Untagged frames of this size are read as BT.709. */
const HIGH = ',scale=out_color_matrix=bt709';

/** The left half is red; the right half is transparent, and green below. */
const halfTransparent = (size: string) => [
  ...['-f', 'lavfi', '-i', `color=red:s=${size}:r=10:d=0.5`],
  '-vf',
  `format=rgba,geq=r='if(lt(X,W/2),255,0)':g='if(lt(X,W/2),0,255)':b=0:a='if(lt(X,W/2),255,0)'${size.endsWith('x720') ? HIGH : ''}`,
];
const VPX = ['-auto-alt-ref', '0', '-pix_fmt', 'yuva420p', '-b:v', '4M', '-metadata:s:v:0', 'alpha_mode=1'];

const MEMBERS: readonly [name: string, file: string, coding: readonly string[], size?: string][] = [
  ['VP8', 'vp8.webm', ['-c:v', 'libvpx', ...VPX]],
  ['VP9', 'vp9.webm', ['-c:v', 'libvpx-vp9', '-cpu-used', '8', ...VPX]],
  ['VP9 of high definition', 'high.webm', ['-c:v', 'libvpx-vp9', '-cpu-used', '8', ...VPX], '1280x720'],
  ['QuickTime Animation', 'rle.mov', ['-c:v', 'qtrle', '-pix_fmt', 'argb']],
  ['PNG', 'png.mov', ['-c:v', 'png', '-pix_fmt', 'rgba']],
  ['PNG of an odd size', 'odd.mov', ['-c:v', 'png', '-pix_fmt', 'rgba'], '161x91'],
  ['ProRes 4444', 'prores.mov', ['-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuva444p10le']],
];

describe.each(MEMBERS)('a video with alpha in %s', (_name, file, coding, size = '160x90') => {
  let input: string;
  beforeAll(async () => {
    input = await studio.make(file, ...halfTransparent(size), ...coding);
  });

  test('keeps it in a still, and loses it on white in JPEG', async () => {
    const seen = await ways.see(input, 'still');
    const left = seen.width >> 2;
    const right = seen.width - (seen.width >> 2);
    const middle = seen.height >> 1;
    expect(furthest(seen.pixel(left, middle), [...RED, 255])).toBeLessThan(12);
    expect(seen.pixel(right, middle)[3]).toBeLessThan(8);
    const png = studio.path('alpha.png');
    await studio.extractFrame({ input, output: png, time: 0 });
    for (const format of ['webp', 'avif'] as const) {
      expect((await ways.images.render(png, 'w_80', format)).hasAlpha).toBe(true);
    }
    const flat = await ways.images.render(png, 'w_80,f_jpeg');
    expect(furthest(flat.pixel(60, flat.height >> 1), [255, 255, 255])).toBeLessThan(8);
    const coloured = await ways.images.render(png, 'w_80,f_jpeg,b_1e3cc8');
    expect(furthest(coloured.pixel(60, flat.height >> 1), BLUE_PIXEL)).toBeLessThan(12);
  });

  test.each(WAYS.filter((way) => way !== 'still'))('lies on black in a %s, and nothing hidden is seen', async (way) => {
    const seen = await ways.see(input, way, { width: 80 });
    const middle = seen.height >> 1;
    expect(furthest(seen.pixel(20, middle), RED)).toBeLessThan(12);
    expect(furthest(seen.pixel(60, middle), BLACK)).toBeLessThan(8);
    const greens = Array.from({ length: 80 }, (_, x) => seen.pixel(x, middle)[1] ?? 255);
    expect(Math.max(...greens)).toBeLessThan(60);
  });

  test.each(['WebP animation', 'GIF animation', 'transcode', 'rendition'] as const)(
    'lies on b in a %s',
    async (way) => {
      const seen = await ways.see(input, way, { width: 80, background: BLUE });
      const pixel = seen.pixel(60, seen.height >> 1);
      expect(furthest(pixel, BLUE_PIXEL), `${pixel}`).toBeLessThan(6);
    },
  );
});

test('bars and transparency have the same colour', async () => {
  const input = await studio.make('bars.mov', ...halfTransparent('160x90'), '-c:v', 'qtrle', '-pix_fmt', 'argb');
  const box = { width: 100, height: 100, crop: 'pad', background: BLUE } as const;
  const seen = await ways.see(input, 'transcode', box);
  expect(furthest(seen.pixel(75, 50), BLUE_PIXEL)).toBeLessThan(6);
  expect(furthest(seen.pixel(75, 5), BLUE_PIXEL)).toBeLessThan(6);
});

test.each([
  ['BT.709', 'bt709', 'bt709'],
  ['BT.601', 'bt601', 'smpte170m'],
  ['BT.2020', 'bt2020', 'bt2020nc'],
] as const)('bars around a video of %s have their colour', async (name, matrix, tag) => {
  const tags = `scale=out_color_matrix=${matrix}:out_range=tv,format=yuv420p,setparams=colorspace=${tag}`;
  const grey = ['-f', 'lavfi', '-i', `color=0x808080:s=160x90:r=10:d=0.3,format=gbrp,${tags}`];
  const input = await studio.make(`${name}.mp4`, ...grey, ...H264, '-colorspace', tag);
  const box = { width: 100, height: 100, crop: 'pad', background: BLUE } as const;
  for (const way of ['transcode', 'WebP animation'] as const) {
    const seen = await ways.see(input, way, box);
    expect(furthest(seen.pixel(50, 5), BLUE_PIXEL), way).toBeLessThan(6);
    expect(furthest(seen.pixel(50, 50), [128, 128, 128]), way).toBeLessThan(6);
  }
});

test('alpha of pixels that are not square is scaled without the colours below it', async () => {
  const filters = halfTransparent('80x90').with(-1, `${halfTransparent('80x90').at(-1)},setsar=2`);
  const input = await studio.make('wide.mov', ...filters, '-c:v', 'qtrle', '-pix_fmt', 'argb');
  const seen = await ways.see(input, 'still');
  expect([seen.width, seen.height]).toEqual([160, 90]);
  const visible = Array.from({ length: 160 }, (_, x) => seen.pixel(x, 45)).filter((pixel) => (pixel[3] ?? 0) > 16);
  expect(visible.length).toBeGreaterThan(70);
  expect(Math.max(...visible.map((pixel) => pixel[1] ?? 255))).toBeLessThan(60);
});

test('a video without alpha has stills without alpha', async () => {
  const input = await studio.make('opaque.webm', '-f', 'lavfi', '-i', 'color=red:s=64x36:d=0.2', '-c:v', 'libvpx');
  const png = studio.path('opaque.png');
  await studio.extractFrame({ input, output: png, time: 0 });
  expect((await ways.images.render(png, '')).hasAlpha).toBe(false);
});
