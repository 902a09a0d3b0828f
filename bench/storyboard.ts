import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMON_ARGUMENTS } from '../src/video/ffmpeg/command.ts';
import { type Ffmpeg, findFfmpeg, runFfmpeg } from '../src/video/ffmpeg/run.ts';
import { probeVideo } from '../src/video/source/probe.ts';
import { storyboardArguments } from '../src/video/storyboard.ts';
import { planStoryboard } from '../src/video/storyboard-plan.ts';
import { makeWaveform } from '../src/video/waveform.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds, memoryOf, resetPeak } from './tools/process.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';

const FILM = fileURLToPath(new URL('../test/fixtures/schizo_90.mp4', import.meta.url));
const SETTINGS = { threads: 2, canMapTones: true };
const LIMITS = { inputPixels: 1e8, output: { side: 4096, pixels: 8.3e6 } };

export const storyboard: Benchmark = {
  name: 'storyboard',
  async run({ quick }) {
    const tools = await findFfmpeg();
    if (!tools) throw new Error('The benchmark needs ffmpeg and ffprobe.');
    const folder = await mkdtemp(join(tmpdir(), 'storyboard-bench-'));
    try {
      return [await sheets(tools, folder, quick ? 1 : 9), await waveforms(tools, folder)].join('\n\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function sheets(tools: Ffmpeg, folder: string, rounds: number): Promise<string> {
  const input = join(folder, '720p.mp4');
  const code = '-c:v libx264 -preset veryfast -crf 23 -g 50 -an -t 16'.split(' ');
  const size = ['-vf', 'scale=1280:720,setsar=1,noise=alls=10:allf=t'];
  await runFfmpeg(tools, [...COMMON_ARGUMENTS, '-stream_loop', '20', '-i', FILM, ...size, ...code, input]);
  const probe = await probeVideo(tools, input);
  const plan = planStoryboard({ width: probe.width, height: probe.height, seconds: probe.videoDuration ?? 0 });
  const output = join(folder, 'sheet.png');
  const make = (isQuick: boolean) => () =>
    cpuOf(async () => {
      await runFfmpeg(tools, storyboardArguments({ input, output, plan, probe, isQuick }, SETTINGS));
    });
  const decode = () =>
    cpuOf(async () => {
      await runFfmpeg(tools, [...COMMON_ARGUMENTS, '-threads', '2', '-i', input, '-map', '0:V:0', '-f', 'null', '-']);
    });
  const costs = await alternate({ keys: make(true), all: make(false), decode }, rounds);
  const share = ratios(costs.keys, costs.decode);
  const row = (what: string, values: number[]) => [
    what,
    median(values).toFixed(2),
    spread(ratios(values, costs.decode)),
  ];
  return `The sheet of ${plan.count} tiles of 16 s of 720p (a film with grain, a key frame every two seconds), ${rounds} rounds in turn. CPU is that of ffmpeg, medians;
the ratio has its range.

${table(
  ['work', 'CPU s', 'by decoding everything'],
  [
    row('from key frames', costs.keys),
    row('from all frames', costs.all),
    row('decoding everything, drawing nothing', costs.decode),
  ],
)}

${verdict('CPU, by decoding everything', median(share), 'at most', 0.1)}`;
}

/** Two hours of noise in stereo, as MP3. */
async function waveforms(tools: Ffmpeg, folder: string): Promise<string> {
  const input = join(folder, 'long.mp3');
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=r=44100:d=7200:a=0.5'];
  await runFfmpeg(tools, [...COMMON_ARGUMENTS, ...noise, '-ac', '2', '-c:a', 'libmp3lame', '-b:a', '64k', input]);
  const output = join(folder, 'waveform');
  let bytes = 0;
  const encodeStill = async ({ input: png }: { input: string }) => {
    bytes = (await stat(png)).size;
  };
  const job = { input, output, source: 'sound', options: { waveform: true } } as const;
  const before = memoryOf(process.pid).now;
  resetPeak(process.pid);
  const start = process.cpuUsage();
  const all = await cpuOf(() => makeWaveform(tools, { limits: LIMITS, encodeStill }, job));
  const { user, system } = process.cpuUsage(start);
  const grown = memoryOf(process.pid).peak - before;
  return `The waveform of two hours of stereo sound (MP3), drawn once as a PNG of ${bytes} bytes.

${table(
  ['', ''],
  [
    ['CPU s, ffmpeg included', all.toFixed(1)],
    ['of it in the service', ((user + system) / 1e6).toFixed(1)],
    ['memory that the service takes more, MB', grown.toFixed(0)],
  ],
)}

${verdict('memory for two hours of sound', grown, 'at most', 100, ' MB')}`;
}

/** CPU seconds of this process and its children. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(process.pid);
  await work();
  return cpuSeconds(process.pid) - before;
}
