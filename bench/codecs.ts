import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ffmpeg, findFfmpeg } from '../src/video/ffmpeg/run.ts';
import type { VideoCodec } from '../src/video/step.ts';
import { crfOf } from '../src/video/steps/quality.ts';
import { CLIP_NAMES, type Clip, makeClips } from './codecs/clips.ts';
import { type Encoded, encode } from './codecs/encode.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { alternate, median, table, verdict } from './tools/report.ts';

const QUALITIES = [10, 50, 75, 85, 100];
/** Constant rate factors between which the one of equal likeness is sought. */
const GRIDS: Readonly<Record<'av1' | 'h265', readonly number[]>> = {
  av1: [12, 22, 34, 44, 52, 58, 63],
  h265: [14, 20, 26, 32, 39, 46],
};
const COMPARED = ['photo, pan with grain', 'concert, pan', 'landscape, shaken with grain'];
const MOST_CPU = 2;
const MOST_BYTES = 0.6;

interface Room {
  tools: Ffmpeg;
  folder: string;
}

/** A constant rate factor and the mean likeness of all clips, in decibels. */
type Point = readonly [crf: number, ssim: number];

export const codecs: Benchmark = {
  name: 'codecs',
  async run({ quick }) {
    const tools = await findFfmpeg();
    if (!tools) throw new Error('This benchmark needs ffmpeg.');
    const folder = await mkdtemp(join(tmpdir(), 'codecs-bench-'));
    try {
      const room = { tools, folder };
      const calibrated = await calibrate(room, quick ? CLIP_NAMES.slice(0, 1) : CLIP_NAMES, quick ? 1 : 2);
      return `${calibrated}\n\n${await compare(room, quick ? 1 : 3, quick ? 1 : 2)}`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function calibrate(room: Room, names: readonly string[], seconds: number): Promise<string> {
  const clips = await makeClips(room.tools, room.folder, names, '640x360', seconds);
  const wanted = await likeness(
    room,
    clips,
    'h264',
    QUALITIES.map((quality) => Number(crfOf(quality, 'h264'))),
  );
  const found: string[][] = [];
  for (const codec of ['av1', 'h265'] as const) {
    const curve = await likeness(room, clips, codec, GRIDS[codec]);
    found.push([`equal with ${codec}`, ...wanted.map(([, ssim]) => crfAt(curve, ssim))]);
  }
  return `${names.length} clips of 640x360, ${seconds} s each: ${names.join('; ')}. The mean of their SSIM in decibels is compared.

${table(
  ['q', ...QUALITIES.map(String)],
  [
    ['CRF of h264', ...wanted.map(([crf]) => String(crf))],
    ['SSIM, dB', ...wanted.map(([, ssim]) => ssim.toFixed(2))],
    ...found,
  ],
)}`;
}

async function likeness(room: Room, clips: readonly Clip[], codec: VideoCodec, crfs: readonly number[]) {
  const points: Point[] = [];
  for (const crf of crfs) {
    let sum = 0;
    for (const clip of clips) sum += (await encode(room, clip, codec, crf)).ssim;
    points.push([crf, sum / clips.length]);
    process.stderr.write(`  ${codec} ${crf}: ${(sum / clips.length).toFixed(2)} dB\n`);
  }
  return points;
}

/** Linear between the points; the end of the curve with a mark where it does not reach so far. */
function crfAt(curve: readonly Point[], ssim: number): string {
  const above = curve.findIndex(([, own]) => own <= ssim);
  if (above === -1) return `${curve.at(-1)?.[0]} (better)`;
  if (above === 0) return `${curve[0]?.[0]} (worse)`;
  const [low, high] = [curve[above - 1], curve[above]] as [Point, Point];
  return (low[0] + ((low[1] - ssim) / (low[1] - high[1])) * (high[0] - low[0])).toFixed(1);
}

/** AV1 beside H.264 at the default quality, at the largest CRF with which it is no less like the clip. */
async function compare(room: Room, seconds: number, rounds: number): Promise<string> {
  const clips = await makeClips(room.tools, room.folder, COMPARED, '1280x720', seconds);
  const rows: string[][] = [];
  const verdicts: string[] = [];
  for (const clip of clips) {
    const reference = await encode(room, clip, 'h264', Number(crfOf(75, 'h264')));
    const crf = await equalCrf(room, clip, reference);
    const measured = await alternate(
      {
        h264: () => encode(room, clip, 'h264', Number(crfOf(75, 'h264'))),
        av1: () => encode(room, clip, 'av1', crf),
      },
      rounds,
    );
    const of = (codec: 'h264' | 'av1', key: keyof Encoded) => median(measured[codec].map((one) => one[key]));
    const cpu = of('av1', 'cpuSeconds') / of('h264', 'cpuSeconds');
    const bytes = of('av1', 'bytes') / of('h264', 'bytes');
    rows.push([
      clip.name,
      ...[String(crf), `${of('h264', 'ssim').toFixed(2)}, ${of('av1', 'ssim').toFixed(2)}`],
      ...[`${kilobytes(of('h264', 'bytes'))}, ${kilobytes(of('av1', 'bytes'))}`, `${Math.round(bytes * 100)} %`],
      ...[`${of('h264', 'cpuSeconds').toFixed(1)}, ${of('av1', 'cpuSeconds').toFixed(1)}`, cpu.toFixed(2)],
    ]);
    verdicts.push(
      verdict(`${clip.name}: bytes of AV1 for each of H.264`, bytes, 'at most', MOST_BYTES),
      verdict(`${clip.name}: CPU time of AV1 for each second of H.264`, cpu, 'at most', MOST_CPU),
    );
  }
  const head = ['1280x720', 'CRF of AV1', 'SSIM, dB', 'KB', 'bytes', 'CPU s', 'CPU'];
  return `H.264 at \`q_75\` and AV1 at the largest CRF that is no less like the clip, ${rounds} rounds in turn, two threads.

${table(head, rows)}

${verdicts.join('\n')}`;
}

/** By halving: likeness falls as the CRF grows. */
async function equalCrf(room: Room, clip: Clip, reference: Encoded): Promise<number> {
  let [low, high] = [10, 63];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await encode(room, clip, 'av1', middle)).ssim >= reference.ssim) low = middle;
    else high = middle - 1;
  }
  return low;
}

const kilobytes = (bytes: number) => String(Math.round(bytes / 1024));
