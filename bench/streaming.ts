import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFfmpeg, runFfmpeg } from '../src/video/ffmpeg/run.ts';
import { type Listener, listen } from '../test/listener.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';
import { type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { loadWith } from './tools/wrk.ts';

const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const KEY = 'stream-bench-key-0123456789-0123456789-0123456789';
const SECONDS = 8;
/** An hour in segments of two seconds would have 1800. */
const LONG_SECONDS = 1200;

const MOST_SHARE = 1.1;
const MOST_MS = 2;

/** The same pictures as files of their own. */
const TRANSCODES = ['h_360', 'h_540', 'h_720'];
const PLAYLISTS: Readonly<Record<string, string>> = {
  'a cached picture': '/t/w_450,f_webp/photo.jpg',
  f_hls: '/t/f_hls/film.mp4',
  f_dash: '/t/f_dash/film.mp4',
  'f_m3u8, 8 s': '/t/h_360,f_m3u8/film.mp4',
  'f_m3u8, 20 min': '/t/h_60,f_m3u8/long.mp4',
};

interface Bench {
  darkroom: Darkroom;
  listener: Listener;
}

export const streaming: Benchmark = {
  name: 'streaming',
  async run({ quick }) {
    requirePrograms('wrk', 'taskset');
    const environment = { API_KEY: KEY, PUBLIC_RATE_LIMIT_MAX: '0' };
    const darkroom = await startDarkroom({ environment });
    const listener = listen(`${darkroom.url}/queue/events`);
    try {
      await listener.next('connected');
      await makeFilms(darkroom.originals);
      const bench = { darkroom, listener };
      const costs = await measureLadder(bench, quick ? 1 : 3);
      return `${reportLadder(costs)}\n\n${await measurePlaylists(bench, quick ? 1 : 5, quick ? 1 : 3)}`;
    } finally {
      listener.close();
      await darkroom.stop();
    }
  },
};

async function makeFilms(folder: string): Promise<void> {
  const tools = await findFfmpeg();
  if (!tools) throw new Error('The benchmark needs ffmpeg and ffprobe.');
  const make = (name: string, source: string, seconds: number) => {
    const inputs = ['-f', 'lavfi', '-i', source, '-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    return runFfmpeg(tools, ['-v', 'error', '-y', ...inputs, ...codecs, '-progress', 'pipe:1', join(folder, name)]);
  };
  await make('film.mp4', `testsrc2=s=1280x720:d=${SECONDS}:r=25,noise=alls=12:allf=t`, SECONDS);
  await make('long.mp4', `testsrc2=s=80x60:d=${LONG_SECONDS}:r=5`, LONG_SECONDS);
  await copyFile(`${FIXTURES}photo-2725x2225.jpg`, join(folder, 'photo.jpg'));
}

/** CPU seconds of the service and its encoders, for a stream and for the same pictures with their sound as files of their own. */
async function measureLadder(bench: Bench, rounds: number) {
  const contestants = {
    ladder: () => costOf(bench, ['f_hls'], TRANSCODES.length + 1),
    transcodes: () => costOf(bench, TRANSCODES, TRANSCODES.length),
  };
  await contestants.ladder();
  return alternate(contestants, rounds);
}

async function costOf({ darkroom, listener }: Bench, segments: readonly string[], jobs: number): Promise<number> {
  await fetch(`${darkroom.url}/storage/cache/clear`, { method: 'POST', headers: { 'x-api-key': KEY } });
  const before = cpuSeconds(darkroom.pid);
  for (const segment of segments) {
    const { status } = await fetch(`${darkroom.url}/t/${segment}/film.mp4`);
    if (status !== 202) throw new Error(`Expected 202 for ${segment}, received ${status}.`);
  }
  for (let n = 0; n < jobs; n++) await listener.next('job:completed');
  return cpuSeconds(darkroom.pid) - before;
}

async function measurePlaylists({ darkroom, listener }: Bench, rounds: number, seconds: number): Promise<string> {
  await fetch(`${darkroom.url}${PLAYLISTS['f_m3u8, 20 min']}`);
  await listener.next('job:completed');
  await fetch(`${darkroom.url}${PLAYLISTS.f_hls}`);
  for (let n = 0; n <= TRANSCODES.length; n++) {
    const { status, headers } = await fetch(`${darkroom.url}${PLAYLISTS.f_hls}`);
    if (status === 200 && headers.get('cache-control') !== 'no-store') break;
    await listener.next('job:completed');
  }
  const load = (path: string) => async () => {
    const { pid } = darkroom;
    return (await loadWith({ url: darkroom.url + path, connections: 4, seconds, pid, cpu: 1 })).cpuMicroseconds / 1000;
  };
  await warm(darkroom.url + PLAYLISTS['a cached picture']);
  for (const path of Object.values(PLAYLISTS)) await (await fetch(darkroom.url + path)).arrayBuffer();
  const contestants = Object.fromEntries(Object.entries(PLAYLISTS).map(([name, path]) => [name, load(path)]));
  return reportPlaylists(await alternate(contestants, rounds), rounds, seconds);
}

function reportLadder({ ladder, transcodes }: Record<'ladder' | 'transcodes', number[]>): string {
  const share = ratios(ladder, transcodes);
  return [
    `CPU of the service with its encoders for ${SECONDS} s of 720p: the stream (360, 540 and 720 lines and the sound), and the same`,
    `three sizes as MP4 with sound, ${ladder.length} pairs.`,
    '',
    table(
      ['CPU seconds', 'median'],
      [
        ['`f_hls`', median(ladder).toFixed(2)],
        [TRANSCODES.map((segment) => `\`${segment}\``).join(' + '), median(transcodes).toFixed(2)],
      ],
    ),
    '',
    verdict(
      `a stream costs as much as its transcodes, times ${spread(share)}: median`,
      median(share),
      'at most',
      MOST_SHARE,
    ),
  ].join('\n');
}

function reportPlaylists(costs: Record<string, number[]>, rounds: number, seconds: number): string {
  const [base = []] = Object.values(costs);
  const rows = Object.entries(costs).map(([name, values]) => [
    name,
    median(values).toPrecision(2),
    `${median(ratios(values, base)).toPrecision(2)} ×`,
  ]);
  const dearest = Math.max(...['f_hls', 'f_dash', 'f_m3u8, 8 s'].map((name) => median(costs[name] ?? [])));
  return [
    `CPU of an answer when all files are there, 4 connections, ${rounds} rounds of ${seconds} s in turn.`,
    '',
    table(['answer', 'CPU ms', 'of a cached picture'], rows),
    '',
    verdict('the dearest playlist of the short film takes', dearest, 'at most', MOST_MS, ' ms'),
  ].join('\n');
}
