import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runFfprobe } from '../src/video/ffmpeg/run.ts';
import { H264, type Studio, tone } from './video-samples.ts';

/** A segment of a file, as named by a playlist. */
export interface NamedSegment {
  uri: string;
  bytes: number;
  start: number;
  seconds: number;
}

/** The parsed contents of a media playlist. */
export interface ReadPlaylist {
  head: { uri: string; bytes: number; start: number };
  segments: NamedSegment[];
}

/** Creates five seconds of detailed 960 x 540 video, 24 frames per second, with a tone. */
export async function streamFilm({ make }: Studio, name = 'stream.mp4', size = '960x540'): Promise<Buffer> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:d=5:r=24,noise=alls=12:allf=t`];
  return readFile(await make(name, ...picture, ...tone(5), '-c:a', 'aac', ...H264, '-crf', '30'));
}

/** Parses a media playlist in the format of RFC 8216. */
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

/**
 * Returns ffmpeg's output for a stream of a URL, played to its end.
 * @param stream such as `v:0`
 */
export async function played(url: string, stream: string): Promise<{ frames: number; seconds: number }> {
  const args = ['-v', 'error', '-i', url, '-map', `0:${stream}`, '-fps_mode', 'passthrough', '-progress', 'pipe:1'];
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, '-f', 'null', '-']);
  const last = (name: string) => Number(stdout.match(new RegExp(`(?<=^${name}=)\\d+$`, 'gm'))?.at(-1) ?? 0);
  return { frames: last('frame'), seconds: last('out_time_us') / 1e6 };
}

/** Returns the times of the key frames of a file, in seconds. */
export async function keyTimes({ tools }: Studio, file: string): Promise<number[]> {
  const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  const packets = (await runFfprobe(tools, ['-v', 'error', ...show, file])).trim().split('\n');
  return packets.filter((packet) => packet.includes(',K')).map(Number.parseFloat);
}

/** The colour of each second of `colourStream`. */
export const COLOURS = ['red', 'lime', 'blue', 'white', 'yellow', 'magenta'] as const;

/** Creates six seconds of grainy 960 x 540 video, one colour each, 24 frames per second, with a tone. */
export async function colourStream({ make }: Studio): Promise<Buffer> {
  const colours = COLOURS.map((colour, n) => `color=${colour}:s=960x540:d=1:r=24[c${n}]`);
  const joined = `${colours.join(';')};${COLOURS.map((_, n) => `[c${n}]`).join('')}concat=n=${COLOURS.length}`;
  const picture = ['-f', 'lavfi', '-i', `${joined},noise=alls=25:allf=t`];
  return readFile(await make('colours.mp4', ...picture, ...tone(6), '-c:a', 'aac', ...H264));
}
