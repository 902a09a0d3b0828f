import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeVideo, UndecodableVideo } from './probe.ts';
import type { VideoOptions } from './steps/index.ts';
import {
  BLACK,
  BLUE,
  colourPerSecond,
  H264,
  HDR,
  isNear,
  LIME,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  settings,
  tone,
} from './test-samples.ts';
import { ImpossibleTranscode, transcode } from './transcode.ts';

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

async function result(input: string, options: VideoOptions, name = 'result'): Promise<string> {
  const output = studio.path(name);
  await transcode(studio.tools, settings, { input, output, options });
  return output;
}

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
    const file = await result(named, { width: 80 });
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
    const file = await result(seconds, { format: 'webm', width: 80, height: 46 });
    expect(await studio.stream(file, 'v')).toMatchObject({ codec_name: 'vp9', pix_fmt: 'yuv420p', width: '80' });
    expect(await studio.stream(file, 'a')).toMatchObject({ codec_name: 'opus' });
    expect((await probeVideo(studio.tools, file)).container).toBe('matroska');
  });

  test('mov is QuickTime, and a WebM can be its source', async () => {
    const webm = await studio.make('source.webm', ...redLeftBlueRight(), '-c:v', 'libvpx-vp9', '-cpu-used', '8');
    const file = await result(webm, { format: 'mov' });
    expect((await readFile(file)).toString('latin1', 4, 12)).toBe('ftypqt  ');
    expect(await studio.stream(file, 'v')).toMatchObject({ codec_name: 'h264', width: '160', height: '90' });
  });

  test('a lower q gives a smaller file', async () => {
    const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=1:r=10'];
    const source = await studio.make('noise.mp4', ...noise, ...H264);
    const sizes: number[] = [];
    for (const quality of [100, 75, 10]) sizes.push((await readFile(await result(source, { quality }))).length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });
});

describe('trim', () => {
  test('is accurate to the frame, its end exclusive', async () => {
    const frames = await studio.frames(await result(seconds, { startOffset: 1.2, endOffset: 2.8 }));
    expect(frames).toHaveLength(40);
    expect(frames.map((frame) => (isNear(frame.at(80, 45), LIME) ? 'lime' : 'blue'))).toEqual([
      ...Array<string>(20).fill('lime'),
      ...Array<string>(20).fill('blue'),
    ]);
  });

  test('without an end goes on to the last frame, with its sound', async () => {
    const file = await result(seconds, { startOffset: 3 });
    expect(await studio.frames(file)).toHaveLength(25);
    expect(Number((await studio.stream(file, 'a')).duration)).toBeCloseTo(1, 1);
  });

  test('an end past the end of the video is its end', async () => {
    expect(await studio.frames(await result(seconds, { startOffset: 2, endOffset: 60 }))).toHaveLength(50);
  });

  test('a start past the end fails and says so', async () => {
    await expect(result(seconds, { startOffset: 30 })).rejects.toThrow(ImpossibleTranscode);
    await expect(result(seconds, { startOffset: 30 })).rejects.toThrow('so_30 lies past the end of the video');
  });
});

describe('crop modes', () => {
  const square = { width: 60, height: 60 };

  test('fill covers the box and cuts both sides alike', async () => {
    const [frame] = await studio.frames(await result(sides, square));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect([2, 26, 33, 57].map((x) => isNear(frame?.at(x, 30), x < 30 ? RED : BLUE))).toEqual([true, true, true, true]);
  });

  test('scale stretches', async () => {
    const [frame] = await studio.frames(await result(sides, { ...square, crop: 'scale' }));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect(isNear(frame?.at(2, 2), RED) && isNear(frame?.at(57, 57), BLUE)).toBe(true);
  });

  test('fit stays within the box and does not enlarge', async () => {
    const [frame] = await studio.frames(await result(sides, { ...square, crop: 'fit' }));
    expect([frame?.width, frame?.height]).toEqual([60, 34]);
    const [same] = await studio.frames(await result(sides, { width: 500, height: 500, crop: 'fit' }));
    expect([same?.width, same?.height]).toEqual([160, 90]);
  });

  test('pad adds black bars, or bars of the colour b', async () => {
    const [frame] = await studio.frames(await result(sides, { ...square, crop: 'pad' }));
    expect([frame?.width, frame?.height]).toEqual([60, 60]);
    expect([frame?.at(30, 3), frame?.at(30, 56)].every((pixel) => isNear(pixel, BLACK))).toBe(true);
    expect(isNear(frame?.at(5, 30), RED) && isNear(frame?.at(55, 30), BLUE)).toBe(true);
    const background = { red: 0x33, green: 0x99, blue: 0x66, alpha: 255 };
    const [green] = await studio.frames(await result(sides, { ...square, crop: 'pad', background }));
    expect(isNear(green?.at(30, 3), [0x33, 0x99, 0x66])).toBe(true);
  });

  test('a box far from the ratio of the source still shows its middle', async () => {
    const [frame] = await studio.frames(await result(sides, { width: 400, height: 8 }));
    expect([frame?.width, frame?.height]).toEqual([400, 8]);
    expect(isNear(frame?.at(20, 4), RED) && isNear(frame?.at(380, 4), BLUE)).toBe(true);
  });
});

describe('unusual sources', () => {
  test('a video turned by its metadata comes out upright', async () => {
    const fixture = new URL('../../test/fixtures/schizo_90.mp4', import.meta.url).pathname;
    const file = await result(fixture, { width: 240, startOffset: 0, endOffset: 0.5 });
    const stream = await studio.stream(file, 'v');
    expect(stream).toMatchObject({ width: '240', height: '180' });
    expect(Object.keys(stream).some((key) => key.includes('rotation'))).toBe(false);
  });

  test('its pixels are turned', async () => {
    const turn = ['-metadata:s:v', 'rotate=90', '-c', 'copy'];
    const turned = await studio.make('turned.mp4', '-i', sides, ...turn);
    const [frame] = await studio.frames(await result(turned, {}));
    expect([frame?.width, frame?.height]).toEqual([90, 160]);
    // Counterclockwise, as ffprobe counts: what was left is below.
    expect((await probeVideo(studio.tools, turned)).rotation).toBe(90);
    expect(isNear(frame?.at(45, 150), RED) && isNear(frame?.at(45, 10), BLUE)).toBe(true);
  });

  test('pixels that are not square become so', async () => {
    const stretched = await studio.make('sar.mp4', ...redLeftBlueRight('80x90'), '-vf', 'setsar=2', ...H264);
    const stream = await studio.stream(await result(stretched, {}), 'v');
    expect(stream).toMatchObject({ width: '160', height: '90', sample_aspect_ratio: '1:1' });
    const cut = await studio.frames(await result(stretched, { width: 40, height: 40 }));
    expect(isNear(cut[0]?.at(2, 20), RED) && isNear(cut[0]?.at(37, 20), BLUE)).toBe(true);
  });

  test('odd sizes become even', async () => {
    const odd = await studio.make('odd.mp4', ...redLeftBlueRight('161x91'), '-c:v', 'libx264', '-pix_fmt', 'yuv444p');
    const stream = await studio.stream(await result(odd, {}), 'v');
    expect(stream).toMatchObject({ width: '160', height: '90', pix_fmt: 'yuv420p' });
    const portrait = await result(await studio.make('p.mp4', ...redLeftBlueRight('91x161'), '-c:v', 'mpeg4'), {
      height: 81,
    });
    expect(await studio.stream(portrait, 'v')).toMatchObject({ height: '82', width: '46' });
  });

  test('no sound stays no sound', async () => {
    expect(await studio.stream(await result(sides, { width: 80 }), 'a')).toEqual({});
  });

  test('10 bits become 8', async () => {
    const deep = await studio.make('deep.mp4', ...redLeftBlueRight(), '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le');
    const file = await result(deep, {});
    expect(await studio.stream(file, 'v')).toMatchObject({ pix_fmt: 'yuv420p', profile: 'High' });
    expect(isNear((await studio.frames(file))[0]?.at(10, 45), RED)).toBe(true);
  });

  test('HDR becomes SDR with natural brightness', async () => {
    const hdr = await makeHdr(studio);
    expect((await probeVideo(studio.tools, hdr)).isHdr).toBe(true);
    const file = await result(hdr, { width: 81, height: 47, crop: 'pad' });
    expect(await studio.stream(file, 'v')).toMatchObject({ color_transfer: 'bt709', color_space: 'bt709' });
    const [frame] = await studio.frames(file);
    const [grey = 0] = frame?.at(40, 22) ?? [];
    // 100 nits are a bright grey on a screen; the stored PQ value alone would show as 130.
    expect(grey).toBeGreaterThan(145);
  });

  test('frames at irregular times keep them', async () => {
    const uneven = ['-vf', "setpts='(N+if(gte(N,5),N-5,0)*2.5)/10/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1:1000'];
    const source = await studio.make('vfr.mp4', ...redLeftBlueRight('160x90', 2), ...uneven, ...H264);
    const [before, after] = [await studio.times(source), await studio.times(await result(source, { width: 80 }))];
    expect(after).toHaveLength(before.length);
    for (const [index, time] of after.entries()) expect(time).toBeCloseTo(before[index] ?? -1, 2);
  });

  test('surround sound is mixed down', async () => {
    const source = await studio.make(
      '5.1.mov',
      ...redLeftBlueRight(),
      ...tone(1),
      '-ac',
      '6',
      '-c:a',
      'pcm_s16le',
      ...H264,
    );
    expect(await studio.stream(await result(source, { format: 'webm' }), 'a')).toMatchObject({ channels: '2' });
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

describe('videos that cannot be transcoded say why', () => {
  const failure = (input: string) =>
    result(input, { width: 80 }).then(
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
    expect(error?.message).toMatch(/Only .* of 4\.0 s of the video can be decoded/);
  });

  test('damaged within', async () => {
    const bytes = await readFile(sides);
    bytes.fill(0xff, bytes.indexOf('mdat') + 4, bytes.indexOf('moov') - 4);
    await writeFile(studio.path('damaged.mp4'), bytes);
    const error = await failure(studio.path('damaged.mp4'));
    expect(error).toBeInstanceOf(UndecodableVideo);
  });

  test('sound alone', async () => {
    const error = await failure(await studio.make('sound.mp4', ...tone(1), '-c:a', 'aac'));
    expect(error?.message).toBe('The file holds no video stream.');
  });

  test('over a limit', async () => {
    const limits = { ...settings.limits, inputPixels: 1000 };
    const job = { input: sides, output: studio.path('never'), options: {} };
    await expect(transcode(studio.tools, { limits }, job)).rejects.toThrow('MAX_INPUT_MEGAPIXELS');
    await expect(result(sides, { height: 8000 })).rejects.toThrow('MAX_OUTPUT_SIDE');
  });
});

/** A grey of 100 nits in PQ (code 0.508), 10 bits, BT.2020. */
async function makeHdr({ make }: Studio, size = '161x91'): Promise<string> {
  const colour = 'setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc';
  const grey = `color=0x828282:s=${size}:d=1:r=10,format=yuv444p10le,${colour}`;
  return make('hdr.mp4', '-f', 'lavfi', '-i', grey, '-c:v', 'libx264', '-pix_fmt', 'yuv444p10le', ...HDR);
}
