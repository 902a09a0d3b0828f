import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Studio as Images, openStudio as openImages } from '../../../test/pictures/studio.ts';
import {
  type DecodedFrame,
  H264,
  isNear,
  makeHdr,
  openStudio,
  type Studio,
  settings,
} from '../../../test/video-samples.ts';
import { transcode } from '../transcode.ts';

const PAINTED = 'testsrc=s=160x80:d=0.4:r=10,eq=saturation=0.5,format=yuv444p';
const BOX = { width: 96, height: 128, crop: 'pad', quality: 100 } as const;

let studio: Studio;
let images: Images;
let film: string;
beforeAll(async () => {
  [studio, images] = await Promise.all([openStudio(), openImages()]);
  film = await studio.make('film.mp4', '-f', 'lavfi', '-i', PAINTED, '-c:v', 'libx264', '-qp', '0');
});
afterAll(() => Promise.all([studio.close(), images.close()]));

/** Returns the mean difference of channels, over the rows between two. */
function differenceOf(
  frame: DecodedFrame | undefined,
  pixel: (x: number, y: number) => readonly number[],
  rows: number[],
) {
  let sum = 0;
  for (const y of rows) {
    for (let x = 0; x < BOX.width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        sum += Math.abs((frame?.at(x, y)[channel] ?? 999) - (pixel(x, y)[channel] ?? 0));
      }
    }
  }
  return sum / (rows.length * BOX.width * 3);
}

const rows = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index);

describe('b_blur', () => {
  test.each([
    ['b_blur', 20, 9],
    ['b_blur:60', 60, 12],
  ])('%s looks as it does on a picture of the same', async (background, blur, most) => {
    const png = await studio.make('first.png', '-i', film, '-frames:v', '1');
    const shown = await images.render(png, `w_96,h_128,c_pad,${background}`);
    const [frame] = await studio.frames(await studio.transcode(film, { ...BOX, background: { blur } }));
    expect([frame?.width, frame?.height]).toEqual([96, 128]);
    expect(differenceOf(frame, shown.pixel, rows(0, 38))).toBeLessThan(most);
    expect(differenceOf(frame, shown.pixel, rows(90, 128))).toBeLessThan(most);
    expect(differenceOf(frame, shown.pixel, rows(44, 84))).toBeLessThan(12);
  });

  test.each([16, 48])('has no other brightness than the video has, also where it is %d pixels wide', async (width) => {
    const halves = 'color=0x404040:s=80x40:d=0.2:r=10,drawbox=y=20:h=20:color=0xa0a0a0:t=fill';
    const grey = ['-f', 'lavfi', '-i', halves, ...H264];
    const input = await studio.make('grey.mp4', ...grey, '-qp', '1');
    const output = studio.path(`grey-${width}.mp4`);
    const options = { ...BOX, width, height: 256, background: { blur: 20 } } as const;
    // With one thread, as for small results, the filter processes all rows together.
    await transcode(studio.tools, { ...settings, threads: 1 }, { input, output, options });
    const [frame] = await studio.frames(output);
    const bars = [...rows(0, 100), ...rows(156, 256)].flatMap((y) =>
      rows(0, width).map((x) => frame?.at(x, y)[1] ?? 0),
    );
    expect(Math.min(...bars)).toBeGreaterThan(0x34);
    expect(Math.max(...bars)).toBeLessThan(0xac);
  });

  test('keeps frames and their times, in every codec', async () => {
    for (const codec of ['h264', 'av1', 'h265'] as const) {
      const file = await studio.transcode(film, { ...BOX, codec, background: { blur: 20 } });
      expect(await studio.times(file)).toEqual(await studio.times(film));
      expect(await studio.stream(file, 'v')).toMatchObject({ width: '96', height: '128', sample_aspect_ratio: '1:1' });
    }
  });

  test('is tone-mapped as the video is, and upright', async () => {
    const [bright] = await studio.frames(
      await studio.transcode(await makeHdr(studio), { ...BOX, background: { blur: 20 } }),
    );
    expect(bright?.at(40, 4)[0]).toBeGreaterThan(145);
    const sides = ['-f', 'lavfi', '-i', 'color=red:s=80x40:d=0.2:r=10,drawbox=x=40:w=40:color=blue:t=fill', ...H264];
    const lying = await studio.make('lying.mp4', ...sides);
    const turned = await studio.make('turned.mp4', '-i', lying, '-metadata:s:v', 'rotate=90', '-c', 'copy');
    const [frame] = await studio.frames(await studio.transcode(turned, { ...BOX, background: { blur: 5 } }));
    // Turned counterclockwise: what was on the right is above.
    expect(isNear(frame?.at(4, 10), [0, 0, 255]) && isNear(frame?.at(4, 118), [255, 0, 0])).toBe(true);
  });

  test('means nothing where there are no bars', async () => {
    const plain = await studio.frames(await studio.transcode(film, { width: 80, height: 40, crop: 'pad' }));
    const options = { width: 80, height: 40, crop: 'pad', background: { blur: 20 } } as const;
    const blurred = await studio.frames(await studio.transcode(film, options));
    expect(blurred[0]?.at(30, 20)).toEqual(plain[0]?.at(30, 20));
  });
});
