import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  colourPerSecond,
  H264,
  isNear,
  makeHdr,
  openStudio,
  RED,
  redLeftBlueRight,
  type Studio,
  settings,
  tone,
} from '../../../test/video-samples.ts';
import { transcode } from '../transcode.ts';

let studio: Studio;
let colours: string;
let spoken: string;
beforeAll(async () => {
  studio = await openStudio();
  colours = await studio.make('colours.mp4', ...colourPerSecond('160x90', 30), ...H264);
  const speech = "volume='if(lt(mod(t,1),0.7),0.05,0.001)':eval=frame,pan=stereo|c0=c0|c1=c0";
  const sound = ['-f', 'lavfi', '-i', 'anoisesrc=d=4:c=pink:seed=1', '-af', speech];
  spoken = await studio.make('spoken.mp4', ...redLeftBlueRight('64x64', 4), ...sound, ...H264, '-c:a', 'aac');
});
afterAll(() => studio.close());

describe.each([
  ['av1', 'mp4', { codec_name: 'av1', pix_fmt: 'yuv420p', codec_tag_string: 'av01' }],
  ['av1', 'webm', { codec_name: 'av1', pix_fmt: 'yuv420p' }],
  ['h265', 'mp4', { codec_name: 'hevc', profile: 'Main', pix_fmt: 'yuv420p', codec_tag_string: 'hvc1' }],
  ['h265', 'mov', { codec_name: 'hevc', codec_tag_string: 'hvc1' }],
] as const)('%s in %s', (codec, format, expected) => {
  test('matches ffprobe, and shows the frames of the source', async () => {
    const sides = await studio.make('sides.mp4', ...redLeftBlueRight(), ...H264);
    const file = await studio.transcode(sides, { codec, format, width: 120 });
    expect(await studio.stream(file, 'v')).toMatchObject({ ...expected, width: '120', height: '68' });
    const frames = await studio.frames(file);
    expect(frames).toHaveLength(10);
    expect(isNear(frames[9]?.at(10, 20), RED)).toBe(true);
  });
});

describe.each(['av1', 'h265'] as const)('%s', (codec) => {
  test('HDR becomes SDR in 8 bits', async () => {
    const file = await studio.transcode(await makeHdr(studio), { codec, width: 120 });
    expect(await studio.stream(file, 'v')).toMatchObject({ pix_fmt: 'yuv420p', color_transfer: 'bt709' });
    expect((await studio.frames(file))[0]?.at(40, 22)[0]).toBeGreaterThan(145);
  });

  test('a turned video comes out upright', async () => {
    const lying = await studio.make('lying.mp4', ...redLeftBlueRight('160x90'), ...H264);
    const turned = await studio.make('turned.mp4', '-i', lying, '-metadata:s:v', 'rotate=90', '-c', 'copy');
    const [frame] = await studio.frames(await studio.transcode(turned, { codec }));
    expect([frame?.width, frame?.height]).toEqual([90, 160]);
    expect(isNear(frame?.at(45, 150), RED)).toBe(true);
  });

  test('10 bits become 8', async () => {
    const ten = [...redLeftBlueRight(), '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le'];
    const file = await studio.transcode(await studio.make('ten.mp4', ...ten), { codec });
    expect(await studio.stream(file, 'v')).toMatchObject({ pix_fmt: 'yuv420p' });
    expect(isNear((await studio.frames(file))[0]?.at(10, 45), RED)).toBe(true);
  });

  test('odd sizes and frames at irregular times stay right', async () => {
    const select = ['-vf', "select='lt(n,3)+eq(n,20)+eq(n,21)+eq(n,45)'", '-fps_mode', 'vfr'];
    const odd = [
      '-f',
      'lavfi',
      '-i',
      'color=red:s=161x91:d=2:r=30',
      ...select,
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv444p',
    ];
    const source = await studio.make('irregular.mp4', ...odd);
    const file = await studio.transcode(source, { codec });
    expect(await studio.stream(file, 'v')).toMatchObject({ width: '160', height: '90' });
    expect(await studio.times(file)).toEqual(await studio.times(source));
  });
});

test('a codec that ffmpeg was built without is named, and so is the library', async () => {
  const tools = { ...studio.tools, libraries: new Set(['libx264']) };
  const job = { input: colours, output: studio.path('none.mp4'), options: { codec: 'av1' } as const };
  await expect(transcode(tools, settings, job)).rejects.toThrow(
    'The server cannot encode AV1: its ffmpeg was built without libsvtav1.',
  );
});

test('a result that is too small for its codec is refused in words', async () => {
  const job = { input: colours, output: studio.path('none.mp4'), options: { codec: 'av1', width: 80 } as const };
  await expect(transcode(studio.tools, settings, job)).rejects.toThrow(
    'AV1 needs at least 64 pixels per side; the result has 46.',
  );
});

describe('fps', () => {
  test.each([
    [10, 40],
    [25, 100],
    [30, 120],
    [60, 120],
  ])('%i leaves %i frames of 4 s at 30 a second, at times that the source has', async (frameRate, count) => {
    const times = await studio.times(await studio.transcode(colours, { frameRate, width: 16 }));
    expect(times).toHaveLength(count);
    const own = await studio.times(colours);
    expect(times.every((time) => own.some((other) => Math.abs(other - time) < 0.0001))).toBe(true);
  });

  test('the gaps are even where one rate divides the other, also in times of whole milliseconds', async () => {
    const webm = await studio.make('colours.webm', '-i', colours, '-c:v', 'libvpx', '-deadline', 'realtime');
    const times = await studio.times(await studio.transcode(webm, { frameRate: 15, width: 16 }));
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toHaveLength(59);
    expect(gaps.every((gap) => Math.abs(gap - 1 / 15) < 0.0011)).toBe(true);
  });
});

describe('audio', () => {
  test('au_none leaves it out', async () => {
    expect(await studio.stream(await studio.transcode(spoken, { audio: 'none' }), 'a')).toEqual({});
    expect(await studio.stream(await studio.transcode(spoken, {}), 'a')).toMatchObject({ codec_name: 'aac' });
  });

  test.each(['mp4', 'webm'] as const)('ln brings quiet speech to -16 LUFS within 1 LU in %s', async (format) => {
    expect(await studio.loudness(spoken)).toBeLessThan(-35);
    const file = await studio.transcode(spoken, { loudness: true, format });
    expect(Math.abs((await studio.loudness(file)) + 16)).toBeLessThan(1);
    expect(await studio.stream(file, 'a')).toMatchObject({ sample_rate: '48000', channels: '2' });
  });

  test('ln leaves silence silent, and a video without audio without', async () => {
    const still = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono', '-shortest'];
    const silent = await studio.make('silent.mp4', ...redLeftBlueRight('64x64'), ...still, ...H264, '-c:a', 'aac');
    expect(await studio.loudness(await studio.transcode(silent, { loudness: true }))).toBeLessThan(-60);
    const file = await studio.transcode(colours, { loudness: true, width: 16 });
    expect(await studio.stream(file, 'a')).toEqual({});
  });

  test('ln mixes more channels down before it measures', async () => {
    const six = ['-af', 'pan=5.1|FL=c0|FR=c0|FC=c0|BL=c0|BR=c0', '-c:a', 'aac'];
    const surround = await studio.make('5.1.mp4', ...redLeftBlueRight('64x64', 2), ...tone(2), ...H264, ...six);
    const file = await studio.transcode(surround, { loudness: true });
    expect(Math.abs((await studio.loudness(file)) + 16)).toBeLessThan(1);
  });
});
