import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, makeHdr, openStudio, redLeftBlueRight, type Studio, settings } from '../../test/video-samples.ts';
import { DiskFull } from './ffmpeg/errors.ts';
import { describeExcess, EncoderOverLimit, ImpossibleTranscode } from './limits.ts';
import type { VideoOptions } from './steps/index.ts';
import { timeLimitOf, transcode } from './transcode.ts';

const MEGABYTE = 1024 * 1024;
/** Default memory limit of an encoder on a host with two CPUs. */
const LITTLE = 512 * MEGABYTE;

let studio: Studio;
let sides: string;
let large: string;
beforeAll(async () => {
  studio = await openStudio();
  sides = await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264);
  large = await studio.make('4k.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=3840x2160:r=25:d=0.6', ...H264, '-refs', '4');
});
afterAll(() => studio.close());

async function attempt(input: string, options: VideoOptions, memoryBytes?: number, more = {}): Promise<unknown> {
  const tools = { ...studio.tools, memoryBytes };
  const output = studio.path('attempt');
  return transcode(tools, { ...settings, threads: 2, ...more }, { input, output, options }).catch((error) => error);
}

describe('the size of a result', () => {
  const limits = { side: 4096, pixels: 8.3e6 };

  test.each([
    [{ width: 3840, height: 2160 }, undefined],
    [{ width: 4096 }, undefined],
    [
      { width: 4098, height: 2 },
      'The result would have 4098 x 2 pixels; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE).',
    ],
    [{ height: 4098 }, 'The result would be 4098 pixels high; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE).'],
    [{ width: 4098 }, 'The result would be 4098 pixels wide; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE).'],
    [
      { width: 4096, height: 2160 },
      'The result would have 4096 x 2160 pixels; the limit is 8.3 megapixels (MAX_VIDEO_OUTPUT_MEGAPIXELS).',
    ],
    [{}, undefined],
  ])('%o', (size, excess) => {
    expect(describeExcess(size, limits)).toBe(excess);
  });

  test('is judged also where only the video says it, before anything is encoded', async () => {
    const small = { limits: { ...settings.limits, output: { side: 120, pixels: 5000 } } };
    expect(await attempt(sides, { quality: 50 }, undefined, small)).toEqual(
      new ImpossibleTranscode(
        'The result would have 160 x 90 pixels; the limit for a side is 120 (MAX_VIDEO_OUTPUT_SIDE).',
      ),
    );
    expect(await attempt(sides, { height: 60 }, undefined, small)).toMatchObject({
      message: expect.stringContaining('106 x 60 pixels; the limit is 0.005 megapixels (MAX_VIDEO_OUTPUT_MEGAPIXELS)'),
    });
    expect(await attempt(sides, { width: 9000, height: 9000, crop: 'fit' })).toBeUndefined();
  });
});

describe('the memory of an encoder', () => {
  test('encodes 4K in H.264 within the memory of two CPUs', { timeout: 120_000 }, async () => {
    expect(await attempt(large, { quality: 60 }, LITTLE)).toBeUndefined();
    expect(await studio.stream(studio.path('attempt'), 'v')).toMatchObject({ width: '3840', height: '2160' });
  });

  test('does not hold 4K in VP9 there: it is ended, and the limit is named', { timeout: 120_000 }, async () => {
    const failure = await attempt(large, { format: 'webm' }, LITTLE);
    expect(failure).toBeInstanceOf(EncoderOverLimit);
    expect(failure).toMatchObject({ message: expect.stringContaining('512 MB of memory (VIDEO_MEMORY_MB)') });
    expect(await attempt(large, { format: 'webm', startOffset: 0.5 }, 1536 * MEGABYTE)).toBeUndefined();
  });

  test('bounds a single frame as well', { timeout: 60_000 }, async () => {
    const order = { input: large, output: studio.path('frame.png'), time: 0.3 };
    await studio.extractFrame(order, { memoryBytes: LITTLE });
    expect(await studio.stream(studio.path('frame.png'), 'v')).toMatchObject({ width: '3840', height: '2160' });
    const tight = studio.extractFrame(order, { memoryBytes: 96 * MEGABYTE });
    await expect(tight).rejects.toThrow('96 MB of memory (VIDEO_MEMORY_MB)');
  });

  test('holds a frame of 4K in HDR', { timeout: 120_000 }, async () => {
    const hdr = await makeHdr(studio, 'yuv420p10le', '3840x2160', 2);
    const order = { input: hdr, output: studio.path('hdr.png'), time: 0 };
    await studio.extractFrame(order, { memoryBytes: LITTLE });
    const [frame] = await studio.frames(studio.path('hdr.png'));
    expect([frame?.width, frame?.height]).toEqual([3840, 2160]);
    expect(frame?.at(1900, 1000)[0]).toBeGreaterThan(145);
    await expect(stat(studio.path('hdr.png.nut'))).rejects.toThrow('ENOENT');
  });
});

describe('the time of a transcode', () => {
  test.each([
    ['of half a minute', 30, 1000],
    ['of a minute', 60, 1000],
    ['of an hour', 3600, 60_000],
    ['of no known length', undefined, 1000],
  ])('%s', (_what, seconds, expected) => {
    expect(timeLimitOf(1000, seconds)).toBe(expected);
  });

  test('is limited by the length of the source, also where the file does not say it', async () => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=2:d=150'];
    const film = await studio.make('long.mp4', ...source, ...H264);
    const live = await studio.make(
      'live.webm',
      ...source,
      '-c:v',
      'libvpx',
      '-deadline',
      'realtime',
      '-f',
      'webm',
      '-live',
      '1',
    );
    for (const input of [film, live]) {
      // Slow enough to exceed the limits.
      const options = { width: 1920, height: 1080, crop: 'scale' } as const;
      const failure = await attempt(input, options, undefined, { timeoutMs: 100 });
      expect(failure).toBeInstanceOf(EncoderOverLimit);
      // 149.5 s of video, to the last frame of the one that does not know its end.
      expect(failure).toMatchObject({ message: expect.stringMatching(/longer than 0\.[23] s, .*\(VIDEO_TIMEOUT_MS/) });
    }
  });
});

describe('a full disk', () => {
  test('is not the fault of the video', async () => {
    const job = { input: sides, output: '/dev/full' };
    for (const format of ['mp4', 'webm', 'mov'] as const) {
      const failure = await transcode(studio.tools, settings, { ...job, options: { format } }).catch((error) => error);
      expect(failure, format).toBeInstanceOf(DiskFull);
      expect(failure).toMatchObject({ code: 'ENOSPC' });
    }
    await expect(studio.extractFrame({ ...job, time: 0 })).rejects.toThrow(DiskFull);
  });
});
