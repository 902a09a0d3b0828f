import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLUE,
  colourPerSecond,
  type DecodedFrame,
  H264,
  isNear,
  makeHdr,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  settings,
} from '../../../test/video-samples.ts';
import type { VideoOptions } from '../steps/index.ts';
import { transcode } from '../transcode.ts';

const COLOUR = [200, 60, 40] as const;

let studio: Studio;
let seconds: string;
beforeAll(async () => {
  studio = await openStudio();
  seconds = await studio.make('seconds.mp4', ...colourPerSecond(), ...H264);
});
afterAll(() => studio.close());

interface Drawing {
  options?: VideoOptions;
  /** Of the overlay. */
  colour?: readonly [number, number, number];
  alpha?: number;
  /** Of the result and the overlay. */
  folder?: string;
}

/** Transcodes a file with a colour over its left half. */
async function overlaid(input: string, { options = {}, colour = COLOUR, alpha = 1, folder }: Drawing = {}) {
  const output = folder === undefined ? studio.path('result') : join(folder, 'result');
  let drawnFor = '';
  await transcode(studio.tools, settings, {
    input,
    output,
    options,
    async drawOverlay({ width, height }, file) {
      drawnFor = `${width}x${height}`;
      const [r, g, b] = colour;
      const half = { width: Math.ceil(width / 2), height, channels: 4, background: { r, g, b, alpha } } as const;
      const extend = { right: width - half.width, background: { r: 0, g: 0, b: 0, alpha: 0 } };
      await sharp({ create: half }).extend(extend).png().toFile(file);
    },
  });
  return { frames: await studio.frames(output), times: await studio.times(output), drawnFor };
}

/** The colours in the middle of both halves of a frame. */
const halves = (frame: DecodedFrame | undefined) =>
  frame && [frame.at(frame.width / 4, frame.height / 2), frame.at((3 * frame.width) / 4, frame.height / 2)];

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '4'];
const X264_RGB = ['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-crf', '4'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error'];
const VP9 = ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-crf', '4', '-b:v', '0'];
const tags = (matrix: string, range = 'tv') => ['-colorspace', matrix, '-color_range', range];

describe('an image over a video', () => {
  test.each([
    ['of BT.709', 'a.mp4', 'bt709:tv:yuv420p:1280x720', [...X264, ...tags('bt709')]],
    ['of high definition without tags', 'b.mp4', 'bt709:tv:yuv420p:1280x720', X264],
    ['of standard definition without tags', 'c.mp4', 'bt601:tv:yuv420p:320x180', X264],
    ['of BT.601', 'd.mp4', 'bt601:tv:yuv420p:1280x720', [...X264, ...tags('smpte170m')]],
    ['of BT.2020 in ten bits', 'e.mp4', 'bt2020:tv:yuv420p10le:320x180', [...X265, ...tags('bt2020nc')]],
    ['of full range', 'f.mp4', 'bt709:pc:yuv420p:320x180', [...X264, ...tags('bt709', 'pc')]],
    ['of full range in VP9', 'g.webm', 'bt709:pc:yuv420p:320x180', [...VP9, ...tags('bt709', 'pc')]],
    ['of RGB', 'h.mp4', 'bt709:pc:gbrp:320x180', X264_RGB],
  ])('%s cannot be told from it where it has its colour', async (_, name, coded, coding) => {
    const [matrix, range, format, size] = coded.split(':');
    const input = ['-f', 'lavfi', '-i', `color=0x${Buffer.from(COLOUR).toString('hex')}:s=${size}:d=0.5:r=10`];
    const filter = ['-vf', `scale=out_color_matrix=${matrix}:out_range=${range},format=${format}`];
    const { frames } = await overlaid(await studio.make(name, ...input, ...filter, ...coding));
    const [drawn, original] = halves(frames[0]) ?? [];
    const differences = drawn?.map((value, channel) => Math.abs(value - (original?.[channel] ?? 0))) ?? [Infinity];
    expect(Math.max(...differences)).toBeLessThan(4);
  });

  test('on HDR lies over the converted frames, in its own colours', async () => {
    const { frames } = await overlaid(await makeHdr(studio, 'yuv420p10le', '160x90', 2), { colour: RED });
    const [drawn, original] = halves(frames[0]) ?? [];
    expect(isNear(drawn, RED)).toBe(true);
    expect(isNear(original, RED)).toBe(false);
  });

  test('is there from the first frame of a part to its last, at whose times nothing changes', async () => {
    const options: VideoOptions = { startOffset: 0.5, endOffset: 1.5, frameRate: 10, width: 80 };
    const { frames, times } = await overlaid(seconds, { options, colour: BLUE });
    expect(frames.map((frame) => isNear(halves(frame)?.[0], BLUE))).not.toContain(false);
    expect(frames.map((frame) => isNear(halves(frame)?.[1], BLUE))).not.toContain(true);
    await studio.transcode(seconds, options);
    expect(times).toEqual(await studio.times(studio.path('result')));
  });

  test('is drawn for the size of the result, covers its bars too, and shows the video elsewhere', async () => {
    const options = { width: 100, height: 100, crop: 'pad', codec: 'h265' } as const;
    const { frames, drawnFor } = await overlaid(seconds, { options, colour: BLUE, alpha: 0.5 });
    expect(drawnFor).toBe('100x100');
    expect(isNear(frames[0]?.at(25, 50), [127, 0, 127])).toBe(true);
    expect(isNear(frames[0]?.at(25, 5), [0, 0, 127])).toBe(true);
    expect(isNear(frames[0]?.at(75, 50), RED)).toBe(true);
  });

  test('of a stream is drawn for the size of the video, and scales down with each rendition', async () => {
    const options: VideoOptions = { height: 46, format: 'cmaf' };
    const { frames, drawnFor } = await overlaid(seconds, { options, colour: BLUE });
    expect(drawnFor).toBe('160x90');
    expect([isNear(frames[0]?.at(36, 20), BLUE), isNear(frames[0]?.at(46, 20), RED)]).toEqual([true, true]);
  });

  test('may lie in a folder of any name', async () => {
    const folder = studio.path(String.raw`a: 'b' [c], d; \e=%{f}`);
    await mkdir(folder);
    const { frames } = await overlaid(await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264), { folder });
    expect(isNear(frames[0]?.at(20, 45), COLOUR)).toBe(true);
  });
});
