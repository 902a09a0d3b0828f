import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, makeHdr, openStudio, type Studio, settings, tone } from '../../test/video-samples.ts';
import type { VideoOptions } from './steps/index.ts';
import { ladderOf } from './stream-options.ts';
import { transcode, transcodeTogether } from './transcode.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const moving = (size: string) => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:d=5:r=25`];
const SCHIZO = `${import.meta.dirname}/../../test/fixtures/schizo_90.mp4`;
/** As on a host with several processors, where the number of threads depends on the size of the result. */
const threaded = { ...settings, threads: 2 };

/** Makes renditions in one process and returns their files. */
async function together(input: string, optionsOf: VideoOptions[], overlay?: string, more: object = {}) {
  const results = optionsOf.map((options, n) => ({ options, output: studio.path(`shared-${n}.mp4`) }));
  const drawOverlay = overlay === undefined ? undefined : drawn(overlay);
  await transcodeTogether(studio.tools, { ...threaded, ...more }, { input, results, drawOverlay });
  return results.map(({ output }) => output);
}

const drawn = (colour: string) => async (size: { width: number; height: number }, file: string) => {
  const image = `color=${colour}:s=${size.width}x${size.height},format=rgba`;
  const pipe = ['-f', 'image2pipe', '-c:v', 'png'];
  await studio.make(
    file.slice(dirname(studio.path('x')).length + 1),
    '-f',
    'lavfi',
    '-i',
    image,
    '-frames:v',
    '1',
    ...pipe,
  );
};

const FILMS: [name: string, make: () => Promise<string>, options?: VideoOptions, overlay?: string][] = [
  ['with audio', () => studio.make('plain.mp4', ...moving('960x540'), ...tone(5), '-c:a', 'aac', ...H264)],
  [
    'without audio, and a part of it',
    () => studio.make('mute.mp4', ...moving('960x540'), ...H264),
    { startOffset: 1, endOffset: 4 },
  ],
  ['that is turned', async () => SCHIZO],
  [
    'of irregular frames',
    () =>
      studio.make(
        'vfr.mp4',
        ...moving('640x360'),
        '-vf',
        "select='not(between(t,0.5,3.3))*not(mod(n,3))'",
        '-fps_mode',
        'vfr',
        ...H264,
      ),
  ],
  [
    'of odd size',
    () =>
      studio.make('odd.mp4', ...moving('641x361'), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'),
  ],
  ['in HDR', () => makeHdr(studio)],
  ['in HDR of odd size, under an image', () => makeHdr(studio), {}, 'red@0.5'],
  [
    'with transparency, under an image',
    () =>
      studio.make(
        'alpha.webm',
        '-f',
        'lavfi',
        '-i',
        'color=lime@0.5:s=320x240:d=2,format=yuva420p',
        '-c:v',
        'libvpx-vp9',
        '-pix_fmt',
        'yuva420p',
      ),
    {},
    'blue@0.5',
  ],
  [
    'that is interlaced',
    () =>
      studio.make(
        'fields.mp4',
        ...moving('640x360'),
        '-vf',
        'tinterlace=interleave_top,fieldorder=tff',
        '-flags',
        '+ilme+ildct',
        ...H264,
      ),
  ],
  ['at fewer frames a second', () => studio.make('few.mp4', ...moving('640x360'), ...H264), { frameRate: 10 }],
];

describe.each(FILMS)('the renditions of a video %s', (_name, make, options = {}, overlay = undefined) => {
  test('have the same bytes from one process as from one each', async () => {
    const input = await make();
    const ladder = [90, 120, 180].map((height): VideoOptions => ({ ...options, height, format: 'cmaf' }));
    const files = await together(input, ladder, overlay);
    for (const [n, rendition] of ladder.entries()) {
      const output = studio.path('alone.mp4');
      const drawOverlay = overlay === undefined ? undefined : drawn(overlay);
      await transcode(studio.tools, threaded, { input, output, options: rendition, drawOverlay });
      expect((await readFile(files[n] as string)).equals(await readFile(output)), `${rendition.height}`).toBe(true);
    }
  });
});

test('renditions of the same size come from one process too', async () => {
  const input = await studio.make('same.mp4', ...moving('320x180'), ...H264);
  const files = await together(input, [{ format: 'cmaf' }, { height: 180, format: 'cmaf' }]);
  const [one, other] = await Promise.all(files.map((file) => readFile(file)));
  expect(one?.equals(other as Buffer)).toBe(true);
});

test('a rendition beyond a limit ends all before anything is made', async () => {
  const input = await studio.make('large.mp4', ...moving('320x180'), ...H264);
  const before = await readdir(dirname(input));
  const limits = { ...settings.limits, output: { side: 200, pixels: 100_000 } };
  const ladder: VideoOptions[] = [
    { height: 90, format: 'cmaf' },
    { height: 180, format: 'cmaf' },
  ];
  await expect(together(input, ladder, undefined, { limits })).rejects.toThrow('MAX_VIDEO_OUTPUT_SIDE');
  expect(await readdir(dirname(input))).toEqual(before);
});

test('progress is that of the whole video, and rises', async () => {
  const input = await studio.make('progress.mp4', ...moving('640x360'), ...H264);
  const percents: number[] = [];
  const results = [90, 360].map((height) => ({
    options: { height, format: 'cmaf' } as const,
    output: studio.path(`p${height}`),
  }));
  const onProgress = (percent: number) => void percents.push(percent);
  await transcodeTogether(studio.tools, threaded, { input, results, onProgress });
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
});

test('several renditions leave CPU time to one, with which the stream can be played', async () => {
  const input = await studio.make('nice.mp4', ...moving('640x360'), ...H264);
  const nicenessOf = async (heights: readonly number[]) => {
    const seen = new Set<number>();
    const onProgress = (percent: number) => {
      if (percent < 100) for (const pid of children()) seen.add(getPriority(pid));
    };
    const results = heights.map((height) => ({
      options: { height, format: 'cmaf' } as const,
      output: studio.path(`n${height}`),
    }));
    await transcodeTogether(studio.tools, { ...threaded, niceness: 15 }, { input, results, onProgress });
    return [...seen];
  };
  expect([await nicenessOf([90]), await nicenessOf([180, 360])]).toEqual([[15], [19]]);
});

/** Processes that this one has started. */
function children(): number[] {
  const threads = readdirSync('/proc/self/task');
  return threads.flatMap((thread) => {
    const pids = readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map(Number);
  });
}

test.each([
  ['h_360,f_cmaf', 'h_540,f_cmaf', true],
  ['so_1,eo_3,h_360,q_50,f_cmaf', 'so_1,eo_3,h_720,q_50,f_cmaf', true],
  ['h_360,f_cmaf~l_logo.png,w_0.5', 'h_540,f_cmaf~l_logo.png,w_0.5', true],
  ['h_360,f_cmaf~l_logo.png,h_10', 'h_540,f_cmaf~l_logo.png,h_20', false],
  ['h_360,f_cmaf', 'h_360,q_50,f_cmaf', false],
  ['h_360,f_cmaf', 'so_1,h_360,f_cmaf', false],
])('%j and %j are renditions of one ladder: %j', (one, other, isOne) => {
  expect(ladderOf(one) === ladderOf(other)).toBe(isOne);
});

test.each(['au_aac,f_cmaf', 'h_360', 'h_360,f_webm', '', 'h_360~l_logo.png'])('%j belongs to no ladder', (text) => {
  expect(ladderOf(text)).toBeUndefined();
});
