import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  colourPerSecond,
  H264,
  openStudio,
  redLeftBlueRight,
  type Studio,
  settings,
  tone,
} from '../../test/video-samples.ts';
import { UndecodableVideo } from './ffmpeg/errors.ts';
import { transcode } from './transcode.ts';

let studio: Studio;
let seconds: string;
let sides: string;
beforeAll(async () => {
  studio = await openStudio();
  seconds = await studio.make('seconds.mp4', ...colourPerSecond(), ...tone(4), ...H264, '-c:a', 'aac');
  sides = await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264);
});
afterAll(() => studio.close());

describe('videos that cannot be transcoded say why', () => {
  const failure = (input: string) =>
    studio.transcode(input, { width: 80 }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );

  test.each([
    ['empty', async () => Buffer.alloc(0), 'The file is empty.'],
    ['noise', async () => Buffer.alloc(4000, 7), 'not an MP4, MOV or WebM'],
    ['a picture', async () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not an MP4, MOV or WebM'],
    ['cut before its index', async () => (await readFile(seconds)).subarray(0, 3000), 'damaged or incomplete'],
    ['a header alone', async () => (await readFile(seconds)).subarray(0, 32), 'damaged or incomplete'],
  ])('%s', async (_name, bytes, reason) => {
    const file = studio.path('broken.mp4');
    await writeFile(file, await bytes());
    const error = await failure(file);
    expect(error).toBeInstanceOf(UndecodableVideo);
    expect(error?.message).toContain(reason);
    expect(error?.message).not.toContain(file);
  });

  test('cut behind its index', async () => {
    const whole = await studio.make(
      'fast.mp4',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=160x90:d=4:r=25',
      ...H264,
      '-movflags',
      '+faststart',
    );
    const bytes = await readFile(whole);
    await writeFile(studio.path('cut.mp4'), bytes.subarray(0, bytes.length / 2));
    const error = await failure(studio.path('cut.mp4'));
    expect(error).toBeInstanceOf(UndecodableVideo);
    expect(error?.message).toBe('The file ends too early; a part of the video is missing.');
  });

  test('a cut WebM', async () => {
    const whole = await readFile(await studio.make('whole.webm', '-i', seconds, '-c:v', 'libvpx', '-an'));
    await writeFile(studio.path('cut.webm'), whole.subarray(0, whole.length - 500));
    expect((await failure(studio.path('cut.webm')))?.message).toContain('ends too early');
  });

  test('damaged in its second half', async () => {
    const bytes = await readFile(
      await studio.make('half.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=4:r=25', ...H264),
    );
    const start = bytes.indexOf('mdat');
    const end = bytes.indexOf('moov');
    bytes.fill(0, Math.floor((start + end) / 2), end - 4);
    await writeFile(studio.path('half.mp4'), bytes);
    expect((await failure(studio.path('half.mp4')))?.message).toMatch(/Only the first .* of \d.\d s of the video/);
  });

  test('damaged within', async () => {
    const bytes = await readFile(sides);
    bytes.fill(0xff, bytes.indexOf('mdat') + 4, bytes.indexOf('moov') - 4);
    await writeFile(studio.path('damaged.mp4'), bytes);
    const error = await failure(studio.path('damaged.mp4'));
    expect(error).toBeInstanceOf(UndecodableVideo);
  });

  test('audio alone', async () => {
    const error = await failure(await studio.make('sound.mp4', ...tone(1), '-c:a', 'aac'));
    expect(error?.message).toBe('The file has no video stream.');
  });

  test('over a limit', async () => {
    const limits = { ...settings.limits, inputPixels: 1000 };
    const job = { input: sides, output: studio.path('never'), options: {} };
    await expect(transcode(studio.tools, { limits }, job)).rejects.toThrow('MAX_INPUT_MEGAPIXELS');
    await expect(studio.transcode(sides, { height: 8000 })).rejects.toThrow('MAX_VIDEO_OUTPUT_SIDE');
  });
});
