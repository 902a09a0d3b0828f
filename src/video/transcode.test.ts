import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BLACK,
  BLUE,
  colourPerSecond,
  H264,
  isNear,
  LIME,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  settings,
  tone,
} from '../../test/video-samples.ts';
import { ImpossibleTranscode } from './limits.ts';
import { probeVideo } from './source/probe.ts';
import { transcode } from './transcode.ts';

let studio: Studio;
let seconds: string;
let sides: string;

beforeAll(async () => {
  studio = await openStudio();
  // One key frame for the four seconds, so that a trim has to decode up to its start.
  seconds = await studio.make('seconds.mp4', ...colourPerSecond(), ...tone(4), ...H264, '-g', '250', '-c:a', 'aac');
  sides = await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264);
});
afterAll(() => studio.close());

describe('formats', () => {
  test('mp4 is H.264 High with AAC, yuv420p, faststart, and says nothing of its source', async () => {
    const meta = [
      '-metadata',
      'location=+59.9+010.7/',
      '-metadata',
      'title=secret',
      '-c',
      'copy',
      '-map_metadata',
      '0',
    ];
    const named = await studio.make('named.mp4', '-i', seconds, ...meta);
    expect((await readFile(named)).includes('secret')).toBe(true);
    const file = await studio.transcode(named, { width: 80 });
    expect(await studio.stream(file, 'v')).toMatchObject({
      codec_name: 'h264',
      profile: 'High',
      pix_fmt: 'yuv420p',
      width: '80',
      height: '46',
      sample_aspect_ratio: '1:1',
    });
    expect(await studio.stream(file, 'a')).toMatchObject({ codec_name: 'aac' });
    const bytes = await readFile(file);
    expect(bytes.indexOf('moov')).toBeGreaterThan(0);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    expect(bytes.includes('secret')).toBe(false);
    expect(bytes.includes('59.9')).toBe(false);
  });

  test('webm is VP9 with Opus', async () => {
    const file = await studio.transcode(seconds, { format: 'webm', width: 80, height: 46 });
    expect(await studio.stream(file, 'v')).toMatchObject({ codec_name: 'vp9', pix_fmt: 'yuv420p', width: '80' });
    expect(await studio.stream(file, 'a')).toMatchObject({ codec_name: 'opus' });
    expect((await probeVideo(studio.tools, file)).container).toBe('matroska');
  });

  test('mov is QuickTime, and a WebM can be its source', async () => {
    const webm = await studio.make('source.webm', ...redLeftBlueRight(), '-c:v', 'libvpx-vp9', '-cpu-used', '8');
    const file = await studio.transcode(webm, { format: 'mov' });
    expect((await readFile(file)).toString('latin1', 4, 12)).toBe('ftypqt  ');
    expect(await studio.stream(file, 'v')).toMatchObject({ codec_name: 'h264', width: '160', height: '90' });
  });

  test('a lower q gives a smaller file', async () => {
    const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=1:r=10'];
    const source = await studio.make('noise.mp4', ...noise, ...H264);
    const sizes: number[] = [];
    for (const quality of [100, 75, 10])
      sizes.push((await readFile(await studio.transcode(source, { quality }))).length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });
});

describe('trim', () => {
  test('is accurate to the frame, its end exclusive', async () => {
    const frames = await studio.frames(await studio.transcode(seconds, { startOffset: 1.2, endOffset: 2.8 }));
    expect(frames).toHaveLength(40);
    expect(frames.map((frame) => (isNear(frame.at(80, 45), LIME) ? 'lime' : 'blue'))).toEqual([
      ...Array<string>(20).fill('lime'),
      ...Array<string>(20).fill('blue'),
    ]);
  });

  test('without an end goes on to the last frame, with its audio', async () => {
    const file = await studio.transcode(seconds, { startOffset: 3 });
    expect(await studio.frames(file)).toHaveLength(25);
    expect(Number((await studio.stream(file, 'a')).duration)).toBeCloseTo(1, 1);
  });

  test('an end past the end of the video is its end', async () => {
    expect(await studio.frames(await studio.transcode(seconds, { startOffset: 2, endOffset: 60 }))).toHaveLength(50);
  });

  test('a start past the end fails and says so', async () => {
    await expect(studio.transcode(seconds, { startOffset: 30 })).rejects.toThrow(ImpossibleTranscode);
    await expect(studio.transcode(seconds, { startOffset: 30 })).rejects.toThrow(
      'so_30 lies past the end of the video',
    );
  });
});

describe('crop modes', () => {
  const square = { width: 60, height: 60 };

  test('fill covers the box and cuts both sides alike', async () => {
    const [frame] = await studio.frames(await studio.transcode(sides, square));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect([2, 26, 33, 57].map((x) => isNear(frame?.at(x, 30), x < 30 ? RED : BLUE))).toEqual([true, true, true, true]);
  });

  test('scale stretches', async () => {
    const [frame] = await studio.frames(await studio.transcode(sides, { ...square, crop: 'scale' }));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect(isNear(frame?.at(2, 2), RED) && isNear(frame?.at(57, 57), BLUE)).toBe(true);
  });

  test('fit stays within the box and does not enlarge', async () => {
    const [frame] = await studio.frames(await studio.transcode(sides, { ...square, crop: 'fit' }));
    expect([frame?.width, frame?.height]).toEqual([60, 34]);
    const [same] = await studio.frames(await studio.transcode(sides, { width: 500, height: 500, crop: 'fit' }));
    expect([same?.width, same?.height]).toEqual([160, 90]);
  });

  test('pad adds black bars, or bars of the colour b', async () => {
    const [frame] = await studio.frames(await studio.transcode(sides, { ...square, crop: 'pad' }));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect([frame?.at(30, 3), frame?.at(30, 56)].every((pixel) => isNear(pixel, BLACK))).toBe(true);
    expect(isNear(frame?.at(5, 30), RED) && isNear(frame?.at(55, 30), BLUE)).toBe(true);
    const background = { red: 0x33, green: 0x99, blue: 0x66, alpha: 255 };
    const [green] = await studio.frames(await studio.transcode(sides, { ...square, crop: 'pad', background }));
    expect(isNear(green?.at(30, 3), [0x33, 0x99, 0x66])).toBe(true);
  });

  test('a box far from the ratio of the source still shows its middle', async () => {
    const [frame] = await studio.frames(await studio.transcode(sides, { width: 400, height: 8 }));
    expect([frame?.width, frame?.height]).toEqual([400, 8]);
    expect(isNear(frame?.at(20, 4), RED) && isNear(frame?.at(380, 4), BLUE)).toBe(true);
  });
});

describe('progress', () => {
  test('rises to 100', async () => {
    const seen: number[] = [];
    const output = studio.path('progress');
    await transcode(studio.tools, settings, {
      input: seconds,
      output,
      options: { width: 640 },
      onProgress: (percent) => seen.push(percent),
    });
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(100);
  });
});
