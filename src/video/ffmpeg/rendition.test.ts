import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyTimes } from '../../../test/streams.ts';
import { H264, makeHdr, openStudio, type Studio, settings, tone } from '../../../test/video-samples.ts';
import { makeAudioRendition } from '../audio.ts';
import { readFragments } from '../source/fragments.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const fragmentsOf = async (file: string) => {
  const bytes = await readFile(file);
  return { file: bytes, ...(await readFragments(async (count) => bytes.subarray(0, count))) };
};
const moving = (size: string, seconds: number, rate = '25') => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=s=${size}:d=${seconds}:r=${rate}`,
];

async function audioOf(input: string): Promise<string> {
  const output = studio.path(`${Math.random()}.m4a`);
  await makeAudioRendition(studio.tools, settings, { input, output, options: { audio: 'aac', format: 'cmaf' } });
  return output;
}

/**
 * Videos, and the tolerance in frames by which ffprobe may see a rendition differ: one, or the decoder's lookahead if
 * they are irregular.
 */
const FILMS: [name: string, make: () => Promise<string>, expected: { seconds: number; frame: number; size: string }][] =
  [
    [
      'of 23.976 frames a second',
      () => studio.make('ntsc.mp4', ...moving('320x180', 5, '24000/1001'), ...H264),
      { seconds: 120 / 23.976, frame: 1 / 23.976, size: '320x180' },
    ],
    [
      'of irregular frames',
      // Pauses, and many frames after them.
      () =>
        studio.make(
          'vfr.mp4',
          ...moving('320x180', 5),
          '-vf',
          "select='not(between(t,0.5,3.3))*not(mod(n,3))+gt(t,4.2)'",
          '-fps_mode',
          'vfr',
          ...H264,
        ),
      { seconds: 5, frame: 0.24, size: '320x180' },
    ],
    [
      'of odd size',
      () =>
        studio.make(
          'odd.mp4',
          ...moving('161x91', 3),
          '-c:v',
          'libx264',
          '-preset',
          'ultrafast',
          '-pix_fmt',
          'yuv444p',
        ),
      { seconds: 3, frame: 0.04, size: '160x90' },
    ],
    [
      'of 10 bits',
      () =>
        studio.make(
          'ten.mp4',
          ...moving('160x90', 3),
          '-c:v',
          'libx264',
          '-preset',
          'ultrafast',
          '-pix_fmt',
          'yuv420p10le',
        ),
      { seconds: 3, frame: 0.04, size: '160x90' },
    ],
    [
      'of VP9',
      () =>
        studio.make(
          'vp9.webm',
          ...moving('160x90', 3),
          '-c:v',
          'libvpx-vp9',
          '-deadline',
          'realtime',
          '-cpu-used',
          '8',
        ),
      { seconds: 3, frame: 0.04, size: '160x90' },
    ],
  ];

describe.each(FILMS)('the images of a video %s', (_name, make, { seconds, frame, size }) => {
  test('last as long, in segments of two seconds that begin with key frames and are the whole file', async () => {
    const input = await make();
    const output = await studio.transcode(input, { format: 'cmaf' });
    const { file, segments, ...fragments } = await fragmentsOf(output);
    expect(fragments.codec).toMatch(/^avc1\.6400\w\w$/);
    expect(`${fragments.size?.width}x${fragments.size?.height}`).toBe(size);
    expect(Math.abs(fragments.seconds - seconds)).toBeLessThan(0.01);
    expect(Math.abs(Number((await studio.stream(output, 'v')).duration) - seconds)).toBeLessThanOrEqual(frame + 0.001);
    expect(fragments.bytes).toBe(file.length);
    for (const { start } of segments) expect(file.toString('latin1', start + 4, start + 8)).toBe('moof');
    const times = await studio.times(output);
    const due = times.filter((time, n) => n === 0 || Math.floor(time / 2) > Math.floor((times[n - 1] as number) / 2));
    expect(times[0]).toBe(0);
    expect(await keyTimes(studio, output)).toEqual(due);
    expect(segments).toHaveLength(due.length);
    expect(await studio.stream(output, 'v')).toMatchObject({
      profile: 'High',
      pix_fmt: 'yuv420p',
      sample_aspect_ratio: '1:1',
    });
  });
});

test('images in HDR become SDR', async () => {
  const output = await studio.transcode(await makeHdr(studio), { format: 'cmaf' });
  expect(await studio.stream(output, 'v')).toMatchObject({
    pix_fmt: 'yuv420p',
    color_transfer: 'bt709',
    color_space: 'bt709',
  });
});

test('turned images are upright', async () => {
  const input = `${import.meta.dirname}/../../../test/fixtures/schizo_90.mp4`;
  const stored = await studio.stream(input, 'v');
  const output = await studio.transcode(input, { format: 'cmaf', height: 160, startOffset: 0, endOffset: 1 });
  const { size = { width: 0, height: 1 } } = await fragmentsOf(output);
  expect(size.width / size.height).toBeCloseTo(Number(stored.height) / Number(stored.width), 1);
});

describe('the beginning of audio and video', () => {
  /** Black and silent for a second, then white and loud, from which on both are the same in every stream. */
  async function make(name: string, videoDelay: number, audioDelay: number): Promise<string> {
    const frames = [
      '-f',
      'lavfi',
      '-i',
      "color=black:s=160x90:d=4:r=25,geq=lum='if(gt(T,0.999),235,16)':cb=128:cr=128",
    ];
    const sound = ['-f', 'lavfi', '-i', "aevalsrc='if(gt(t,1),0.8*sin(2*PI*440*t),0)':d=4:s=44100"];
    const both = await studio.make(`both-${name}`, ...frames, ...sound, '-c:a', 'aac', ...H264);
    if (videoDelay === 0 && audioDelay === 0) return both;
    return studio.make(
      name,
      '-itsoffset',
      String(videoDelay),
      '-i',
      both,
      '-itsoffset',
      String(audioDelay),
      '-i',
      both,
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c',
      'copy',
    );
  }

  test.each([
    ['together', 0, 0],
    ['with sound that comes later', 0, 0.5],
    ['with a picture that comes later', 0.5, 0],
  ])('is the same in its stream: %s', async (name, videoDelay, audioDelay) => {
    const input = await make(`${name.replaceAll(' ', '-')}.mp4`, videoDelay, audioDelay);
    const frames = await studio.transcode(input, { format: 'cmaf' });
    const sound = await audioOf(input);
    const white = await whiteFrom(frames);
    const loud = await loudFrom(sound);
    expect(Math.abs(white - (1 + videoDelay))).toBeLessThan(0.025);
    expect(Math.abs(loud - (1 + audioDelay))).toBeLessThan(0.025);
    // Avoid empty edits: players interpret them differently.
    const edits = (await Promise.all([frames, sound].map(async (file) => editsIn(await readFile(file))))).flat();
    expect(edits.every((mediaTime) => mediaTime >= 0)).toBe(true);
  });

  async function whiteFrom(file: string): Promise<number> {
    const times = await studio.times(file);
    const frames = await studio.frames(file);
    const first = frames.findIndex((frame) => frame.at(80, 45)[0] > 128);
    return times[first] as number;
  }

  /** Counted from the first audible sample. */
  async function loudFrom(file: string): Promise<number> {
    const wav = await readFile(
      await studio.make(`${Math.random()}.wav`, '-i', file, '-ac', '1', '-ar', '44100', '-c:a', 'pcm_s16le'),
    );
    const samples = wav.subarray(wav.indexOf('data') + 8);
    for (let n = 0; n * 2 < samples.length; n++) if (Math.abs(samples.readInt16LE(n * 2)) > 3000) return n / 44_100;
    return Number.NaN;
  }

  /** Reads the beginning of the first edit of each edit list; -1 is an empty one. */
  function editsIn(file: Buffer): number[] {
    const at = file.indexOf('elst');
    if (at < 0) return [];
    return [file.readUInt8(at + 4) === 1 ? Number(file.readBigInt64BE(at + 20)) : file.readInt32BE(at + 16)];
  }
});

test('audio lasts as long as in its video, in segments that are the whole file', async () => {
  const input = await studio.make('tone.mp4', ...moving('160x90', 5), ...tone(5), '-c:a', 'aac', ...H264);
  const { file, codec, channels, seconds, segments, bytes } = await fragmentsOf(await audioOf(input));
  expect([codec, channels, bytes]).toEqual(['mp4a.40.2', 1, file.length]);
  expect(Math.abs(seconds - 5)).toBeLessThan(0.025);
  expect(segments.map((segment) => Math.round(segment.seconds))).toEqual([2, 2, 1]);
});

test('six channels become two', async () => {
  const input = await studio.make(
    'six.mp4',
    ...moving('160x90', 1),
    '-f',
    'lavfi',
    '-i',
    'sine=d=1,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0',
    '-c:a',
    'aac',
    ...H264,
  );
  expect((await fragmentsOf(await audioOf(input))).channels).toBe(2);
});

test('of a video without audio there is none', async () => {
  const input = await studio.make('mute.mp4', ...moving('160x90', 1), ...H264);
  await expect(audioOf(input)).rejects.toThrow('The video has no audio.');
});

test.each(['', 'ftyp and no more of it', 'x'.repeat(100)])('what is no such file is no index: %j', async (text) => {
  await expect(readFragments(async (count) => Buffer.from(text).subarray(0, count))).rejects.toThrow(RangeError);
});
