import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { transcodeArguments } from '../../src/video/ffmpeg/command.ts';
import type { Ffmpeg } from '../../src/video/ffmpeg/run.ts';
import { probeVideo } from '../../src/video/source/probe.ts';
import type { VideoCodec } from '../../src/video/step.ts';
import type { Clip } from './clips.ts';

/** A clip that was encoded as the service does it. */
export interface Encoded {
  bytes: number;
  cpuSeconds: number;
  /** Structural similarity to the clip, in decibels: -10 log10(1 - SSIM). */
  ssim: number;
}

/** @param crf the constant rate factor in the place of that of a quality */
export async function encode(
  { tools, folder }: { tools: Ffmpeg; folder: string },
  { file }: Clip,
  codec: VideoCodec,
  crf: number,
): Promise<Encoded> {
  const format = codec === 'vp9' ? 'webm' : 'mp4';
  const output = `${folder}/result.${format}`;
  const settings = { threads: 2, canMapTones: tools.canMapTones };
  const args = transcodeArguments({ input: file, output }, { codec, format }, await probeVideo(tools, file), settings);
  args[args.indexOf('-crf') + 1] = String(crf);
  // What it took is told at the level of information.
  args[args.indexOf('-v') + 1] = 'info';
  const times = run(tools, ['-benchmark', ...args]);
  const [, user, system] = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(times) ?? [];
  return {
    bytes: (await stat(output)).size,
    cpuSeconds: Number(user) + Number(system),
    ssim: similarity(tools, output, file),
  };
}

function similarity(tools: Ffmpeg, result: string, clip: string): number {
  const graph = '[0:v]settb=1/1000,setpts=N[a];[1:v]settb=1/1000,setpts=N[b];[a][b]ssim';
  const text = run(tools, ['-nostats', '-i', result, '-i', clip, '-lavfi', graph, '-f', 'null', '-']);
  return Number(/All:[\d.]+ \(([\d.]+)\)/.exec(text)?.[1]);
}

function run(tools: Ffmpeg, args: readonly string[]): string {
  const { status, stderr } = spawnSync(tools.ffmpeg, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(stderr.split('\n').slice(-6).join('\n'));
  return stderr;
}
