import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planCapacity } from '../src/jobs/capacity.ts';
import { readMachine } from '../src/runtime/machine.ts';
import { sharedArguments, transcodeArguments } from '../src/video/ffmpeg/command.ts';
import { type Ffmpeg, findFfmpeg, runFfmpeg } from '../src/video/ffmpeg/run.ts';
import { probeVideo } from '../src/video/source/probe.ts';
import { type Listener, listen } from '../test/listener.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, median, ratios, spread, table, verdict, whole } from './tools/report.ts';
import { API_KEY, type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { loadWith } from './tools/wrk.ts';

const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const IMAGE = '/t/w_450,f_webp/photo.jpg';
const TRANSCODE = { segment: 'q_85', options: { quality: 85 } };

/** VP9 at a large size, so that the encoders outlast the load. */
const ENDLESS = ['w_1280,f_webm', 'w_1000,f_webm'];

/** Default of STREAM_HEIGHTS. */
const HEIGHTS = [360, 540, 720, 1080];
/** Eight seconds of 1080p at a rate that is usual for it: a grainy photo, panned. */
const PAN = `crop=1920:1080:'400+380*sin(t)':'570+500*cos(t*0.7)',noise=alls=6:allf=t,format=yuv420p`;
const LADDER_FILM = ['-t', '8', '-vf', PAN, '-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '6M'];

interface Bench {
  tools: Ffmpeg;
  folder: string;
  /** A real film, repeated to two minutes. */
  film: string;
  darkroom: Darkroom;
  listener: Listener;
}

export const video: Benchmark = {
  name: 'video',
  about: 'hits during transcodes; a transcode and a stream next to ffmpeg',
  async run({ quick }) {
    requirePrograms('wrk', 'taskset');
    const rounds = quick ? 1 : 5;
    const seconds = quick ? 1 : 4;
    const pairs = quick ? 1 : 9;
    const sharing = await withService({ VIDEO_MAX_CONCURRENT: '2' }, (bench) => measureSharing(bench, rounds, seconds));
    // Normal priority, as ffmpeg run by hand has: other load of the host disturbs it less.
    const walls = await withService({ VIDEO_FFMPEG_NICENESS: '0' }, (bench) => measureWalls(bench, pairs));
    const ladder = await withService({ VIDEO_FFMPEG_NICENESS: '0' }, (bench) => measureLadder(bench, rounds));
    return [describe(sharing, walls, { rounds, seconds, pairs }), describeLadder(ladder, rounds)].join('\n\n');
  },
};

async function withService<T>(environment: Record<string, string>, use: (bench: Bench) => Promise<T>): Promise<T> {
  const tools = await findFfmpeg();
  if (!tools) throw new Error('The benchmark needs ffmpeg and ffprobe.');
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const darkroom = await startDarkroom({ environment });
  const listener = listen(`${darkroom.url}/queue/events`);
  await listener.next('connected');
  const film = join(darkroom.originals, 'film.mp4');
  await runFfmpeg(tools, ['-v', 'error', '-stream_loop', '47', '-i', `${FIXTURES}schizo_90.mp4`, '-c', 'copy', film]);
  await copyFile(`${FIXTURES}photo-2725x2225.jpg`, join(darkroom.originals, 'photo.jpg'));
  try {
    return await use({ tools, folder, film, darkroom, listener });
  } finally {
    listener.close();
    await darkroom.stop();
    await rm(folder, { recursive: true });
  }
}

/** Requests per second for a cached image: idle, and during two transcodes. */
async function measureSharing({ darkroom, listener }: Bench, rounds: number, seconds: number) {
  const url = darkroom.url + IMAGE;
  await warm(url);
  const load = async () => (await loadWith({ url, connections: 16, seconds, pid: darkroom.pid, cpu: 1 })).rate;
  const busy = async () => {
    const ids = await Promise.all(ENDLESS.map((segment) => startJob(darkroom, listener, segment)));
    const rate = await load();
    for (const id of ids) {
      const job = await authorized<{ status: string }>(darkroom, `/queue/jobs/${id}`);
      if (job.status !== 'running') throw new Error(`A transcode ended before the load: ${job.status}.`);
      await authorized(darkroom, `/queue/jobs/${id}`, 'DELETE');
    }
    await untilIdle(darkroom);
    return rate;
  };
  await load();
  return alternate({ idle: load, busy }, rounds);
}

/** Queues a transcode and waits until it runs. @returns the id of its job */
async function startJob(darkroom: Darkroom, listener: Listener, segment: string): Promise<unknown> {
  const { status } = await fetch(`${darkroom.url}/t/${segment}/film.mp4`);
  if (status !== 202) throw new Error(`Expected 202 for ${segment}, received ${status}.`);
  return (await listener.next('job:started')).data.jobId;
}

async function untilIdle(darkroom: Darkroom): Promise<void> {
  for (;;) {
    const { processingCount } = await authorized<{ processingCount: number }>(darkroom, '/queue/worker/stats');
    if (processingCount === 0) return;
  }
}

async function authorized<T>({ url }: Darkroom, path: string, method = 'GET'): Promise<T> {
  const response = await fetch(url + path, { method, headers: { 'x-api-key': API_KEY } });
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<T>;
}

/** Seconds from the request to the end of its job, and for the same ffmpeg command run by hand. */
async function measureWalls(bench: Bench, rounds: number) {
  const args = await commandOf(bench);
  const service = async () => {
    await authorized(bench.darkroom, '/storage/cache/clear', 'POST');
    const start = performance.now();
    await startJob(bench.darkroom, bench.listener, TRANSCODE.segment);
    await bench.listener.next('job:completed');
    return (performance.now() - start) / 1000;
  };
  const hand = async () => (await runByHand(bench, args)).seconds;
  await hand();
  return alternate({ service, hand }, rounds);
}

/** Wall time and CPU of one ffmpeg, in seconds. */
async function runByHand({ tools, darkroom }: Bench, args: readonly string[]): Promise<Run> {
  // The service is a child of this process too.
  const cpuHere = () => cpuSeconds(process.pid) - cpuSeconds(darkroom.pid);
  const before = cpuHere();
  const start = performance.now();
  const [code] = await once(spawn(tools.ffmpeg, args, { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}.`);
  return { seconds: (performance.now() - start) / 1000, cpu: cpuHere() - before };
}

/** A stream without audio through the service, and its renditions by hand: all in one ffmpeg, and the lowest alone. */
async function measureLadder(bench: Bench, rounds: number) {
  const { tools, folder, darkroom, listener } = bench;
  const film = join(darkroom.originals, 'ladder.mp4');
  const photo = ['-loop', '1', '-framerate', '30', '-i', `${FIXTURES}photo-2725x2225.jpg`];
  await runFfmpeg(tools, ['-v', 'error', ...photo, ...LADDER_FILM, film]);
  const probe = await probeVideo(tools, film);
  const results = HEIGHTS.map((height) => ({
    options: { height, format: 'cmaf' } as const,
    output: join(folder, `${height}.mp4`),
  }));
  const argumentsOf = (some: typeof results) => sharedArguments({ input: film }, some, probe, settingsOf(tools));
  const service = async () => {
    await authorized(darkroom, '/storage/cache/clear', 'POST');
    const cpu = cpuSeconds(darkroom.pid);
    const start = performance.now();
    const { status } = await fetch(`${darkroom.url}/t/f_hls,au_none/ladder.mp4`);
    if (status !== 202) throw new Error(`Expected 202 for the stream, received ${status}.`);
    await listener.next('job:completed');
    const seconds = (performance.now() - start) / 1000;
    for (const _ of HEIGHTS.slice(1)) await listener.next('job:completed');
    return { seconds, cpu: cpuSeconds(darkroom.pid) - cpu };
  };
  const all = () => runByHand(bench, argumentsOf(results));
  const lowest = () => runByHand(bench, argumentsOf(results.slice(0, 1)));
  const others = () => runByHand(bench, argumentsOf(results.slice(1)));
  const apart = async () => {
    let cpu = 0;
    for (const result of results) cpu += (await runByHand(bench, argumentsOf([result]))).cpu;
    return { seconds: 0, cpu };
  };
  return alternate({ service, all, lowest, others, apart }, rounds);
}

function settingsOf({ canMapTones }: Ffmpeg) {
  return { threads: planCapacity(readMachine()).threads, canMapTones };
}

/** Arguments with which the service runs ffmpeg, for the same files. */
async function commandOf({ tools, folder, film }: Bench): Promise<string[]> {
  const probe = await probeVideo(tools, film);
  const settings = settingsOf(tools);
  return transcodeArguments({ input: film, output: join(folder, 'result.mp4') }, TRANSCODE.options, probe, settings);
}

type Figures<Name extends string> = Record<Name, number[]>;

function describe(
  sharing: Figures<'idle' | 'busy'>,
  walls: Figures<'service' | 'hand'>,
  { rounds, seconds, pairs }: { rounds: number; seconds: number; pairs: number },
): string {
  const share = ratios(sharing.busy, sharing.idle);
  const overhead = ratios(walls.service, walls.hand);
  return [
    `A cached WebP over 16 connections (wrk, one thread, on CPU 1), ${rounds} rounds of ${seconds} s: idle, and while the service runs two VP9`,
    'transcodes that use both CPUs fully (`VIDEO_FFMPEG_NICENESS` 15, the default).',
    '',
    table(
      ['requests/s', 'median'],
      [
        ['idle', whole(median(sharing.idle))],
        ['during two transcodes', whole(median(sharing.busy))],
        ['during transcodes : idle', spread(share)],
      ],
    ),
    '',
    `Two minutes of H.264 to \`${TRANSCODE.segment}\` (mp4), ${pairs} pairs: from the request to the event that the job is completed, and the`,
    'same ffmpeg command by hand, both with `VIDEO_FFMPEG_NICENESS` 0.',
    '',
    table(
      ['seconds', 'median'],
      [
        ['through the service', median(walls.service).toFixed(2)],
        ['by hand', median(walls.hand).toFixed(2)],
        ['service : hand', spread(overhead)],
      ],
    ),
    '',
    verdict('cached images during two transcodes, in ratio to idle', median(share), 'at least', 0.5),
    verdict('wall time of a transcode in ratio to ffmpeg by hand', median(overhead), 'at most', 1.05),
  ].join('\n');
}

/** In seconds. */
interface Run {
  seconds: number;
  cpu: number;
}

function describeLadder(
  runs: Record<'service' | 'all' | 'lowest' | 'others' | 'apart', Run[]>,
  rounds: number,
): string {
  const cpu = (name: keyof typeof runs) => runs[name].map((run) => run.cpu);
  const seconds = (name: keyof typeof runs) => runs[name].map((run) => run.seconds);
  const sum = cpu('lowest').map((lowest, n) => lowest + (cpu('others')[n] ?? Number.NaN));
  const whole = ratios(cpu('service'), cpu('all'));
  const same = ratios(cpu('service'), sum);
  const first = ratios(seconds('service'), seconds('lowest'));
  const row = (name: string, values: readonly number[]) => [name, median(values).toFixed(1)];
  return [
    `Eight seconds of 1080p (H.264, 6 Mbit/s) to \`f_hls,au_none\` in ${HEIGHTS.join(', ')} lines, ${rounds} rounds. The service makes the`,
    'lowest rendition alone, so that it can be played early, and all others from one more decode.',
    '',
    table(
      ['CPU, seconds', 'median'],
      [
        row('through the service', cpu('service')),
        row('by hand, one ffmpeg that decodes once and splits', cpu('all')),
        row('by hand, the lowest alone, then one ffmpeg for the others', sum),
        row('by hand, one ffmpeg for each', cpu('apart')),
        ['service : one ffmpeg that splits', spread(whole)],
        ['service : the lowest alone and the others', spread(same)],
        ['until the lowest can be played, service : ffmpeg by hand', spread(first)],
      ],
    ),
    '',
    verdict('CPU of a stream in ratio to one ffmpeg that decodes once', median(whole), 'at most', 1.1),
    verdict('CPU of a stream in ratio to its two ffmpegs by hand', median(same), 'at most', 1.1),
  ].join('\n');
}
