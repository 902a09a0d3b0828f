import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runFfprobe } from '../src/video/ffmpeg/run.ts';
import { H264, type Studio, tone } from './video-samples.ts';

/** A part of a file, as a playlist names it. */
export interface NamedSegment {
  uri: string;
  bytes: number;
  start: number;
  seconds: number;
}

/** What a media playlist says. */
export interface ReadPlaylist {
  head: { uri: string; bytes: number; start: number };
  segments: NamedSegment[];
}

/** Five seconds of 960 x 540 with much in them, 24 frames a second, and a tone. */
export async function streamFilm({ make }: Studio, name = 'stream.mp4', size = '960x540'): Promise<Buffer> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:d=5:r=24,noise=alls=12:allf=t`];
  return readFile(await make(name, ...picture, ...tone(5), '-c:a', 'aac', ...H264, '-crf', '30'));
}

/** Reads a media playlist by the form that RFC 8216 gives it. */
export function readMediaPlaylist(text: string): ReadPlaylist {
  const lines = text.trimEnd().split('\n');
  const [, uri = '', bytes, start] = /^#EXT-X-MAP:URI="([^"]+)",BYTERANGE="(\d+)@(\d+)"$/m.exec(text) ?? [];
  const segments = lines.flatMap((line, n) => {
    const [, seconds] = /^#EXTINF:([\d.]+),$/.exec(line) ?? [];
    if (seconds === undefined) return [];
    const [, length, first] = /^#EXT-X-BYTERANGE:(\d+)@(\d+)$/.exec(lines[n + 1] ?? '') ?? [];
    return [{ uri: lines[n + 2] ?? '', bytes: Number(length), start: Number(first), seconds: Number(seconds) }];
  });
  return { head: { uri, bytes: Number(bytes), start: Number(start) }, segments };
}

/** What ffmpeg gets of a stream of what a URL names, played to its end. @param stream such as `v:0` */
export async function played(url: string, stream: string): Promise<{ frames: number; seconds: number }> {
  const args = ['-v', 'error', '-i', url, '-map', `0:${stream}`, '-fps_mode', 'passthrough', '-progress', 'pipe:1'];
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, '-f', 'null', '-']);
  const last = (name: string) => Number(stdout.match(new RegExp(`(?<=^${name}=)\\d+$`, 'gm'))?.at(-1) ?? 0);
  return { frames: last('frame'), seconds: last('out_time_us') / 1e6 };
}

/** The times at which a file has key frames, in seconds. */
export async function keyTimes({ tools }: Studio, file: string): Promise<number[]> {
  const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  const packets = (await runFfprobe(tools, ['-v', 'error', ...show, file])).trim().split('\n');
  return packets.filter((packet) => packet.includes(',K')).map(Number.parseFloat);
}

/** The colours of the seconds of `colourStream`. */
export const COLOURS = ['red', 'lime', 'blue', 'white', 'yellow', 'magenta'] as const;

/** Six seconds of 960 x 540, a colour each and all grainy, 24 frames a second, and a tone. */
export async function colourStream({ make }: Studio): Promise<Buffer> {
  const colours = COLOURS.map((colour, n) => `color=${colour}:s=960x540:d=1:r=24[c${n}]`);
  const joined = `${colours.join(';')};${COLOURS.map((_, n) => `[c${n}]`).join('')}concat=n=${COLOURS.length}`;
  const picture = ['-f', 'lavfi', '-i', `${joined},noise=alls=25:allf=t`];
  return readFile(await make('colours.mp4', ...picture, ...tone(6), '-c:a', 'aac', ...H264));
}
