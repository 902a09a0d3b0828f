import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ffmpeg, findFfmpeg, runFfmpeg, runFfprobe } from '../src/video/ffmpeg/run.ts';
import { extractFrame, type FrameExtraction, probeFrames } from '../src/video/frame.ts';
import type { VideoOptions } from '../src/video/steps/index.ts';
import { transcode, type VideoSettings } from '../src/video/transcode.ts';

/** Helpers shared by the tests of this module: small generated videos, and the pixels of a result. */
export interface Studio {
  tools: Ffmpeg;
  /** Returns a path in the test's own folder. */
  path(name: string): string;
  /** Generates a file with ffmpeg; the arguments end before the output. */
  make(name: string, ...args: string[]): Promise<string>;
  /** Transcodes the input with the settings of the tests; returns the path of the result. */
  transcode(input: string, options: VideoOptions): Promise<string>;
  /** Extracts one frame into a file. */
  extractFrame(extraction: FrameExtraction, more?: Pick<Ffmpeg, 'memoryBytes'>): Promise<void>;
  /** Returns every frame, as stored (not rotated), in 8-bit RGB. */
  frames(file: string): Promise<DecodedFrame[]>;
  /** Returns ffprobe's description of the first stream of a type. */
  stream(file: string, type: 'v' | 'a'): Promise<Record<string, string>>;
  /** Returns the times of the first video stream's packets, in seconds, in display order. */
  times(file: string): Promise<number[]>;
  /** Returns the integrated loudness of the audio of a file, in LUFS (EBU R128). */
  loudness(file: string): Promise<number>;
  close(): Promise<void>;
}

export interface DecodedFrame {
  width: number;
  height: number;
  at(x: number, y: number): [red: number, green: number, blue: number];
}

export const settings: VideoSettings = {
  limits: { inputPixels: 100_000_000, output: { side: 4096, pixels: 8_300_000 } },
};

const HDR = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];

/** One colour per second, in this order. */
export const SECONDS = ['red', 'lime', 'blue', 'white'] as const;

export const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** Returns an ffmpeg input: four seconds, one colour each. */
export function colourPerSecond(size = '160x90', rate = 25): string[] {
  const colours = SECONDS.map((colour) => `color=${colour}:s=${size}:d=1:r=${rate}`);
  return [
    '-f',
    'lavfi',
    '-i',
    `${colours.map((source, n) => `${source}[c${n}]`).join(';')};[c0][c1][c2][c3]concat=n=4`,
  ];
}

/** Returns an ffmpeg input: the left half red, the right half blue, for one second. */
export function redLeftBlueRight(size = '160x90', seconds = 1): string[] {
  const right = `drawbox=x=iw/2:y=0:w=iw/2:h=ih:color=blue:t=fill`;
  return ['-f', 'lavfi', '-i', `color=red:s=${size}:d=${seconds}:r=10,format=yuv444p,${right}`];
}

/** Returns an ffmpeg input: a tone. */
export function tone(seconds: number): string[] {
  return ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`];
}

/** Creates a grey of 100 nits in PQ (code 0.508), 10 bits, BT.2020, of an odd size by default. */
export function makeHdr({ make }: Studio, pixelFormat = 'yuv444p10le', size = '161x91', frames = 10): Promise<string> {
  const tags = 'setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc';
  const grey = ['-f', 'lavfi', '-i', `color=0x828282:s=${size}:d=1:r=10,format=${pixelFormat},${tags}`];
  const codec = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-pix_fmt', pixelFormat];
  return make('hdr.mp4', ...grey, '-frames:v', String(frames), ...codec, ...HDR);
}

export async function openStudio(): Promise<Studio> {
  const tools = await findFfmpeg();
  if (!tools) throw new Error('The tests need ffmpeg and ffprobe.');
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-video-'));
  const path = (name: string) => join(folder, name);
  return {
    tools,
    path,
    async make(name, ...args) {
      await runFfmpeg(tools, ['-v', 'error', '-y', ...args, path(name)]);
      return path(name);
    },
    async transcode(input, options) {
      await transcode(tools, settings, { input, output: path('result'), options });
      return path('result');
    },
    async extractFrame(extraction, more = {}) {
      const own = { ...tools, ...more };
      const probe = await probeFrames(own, settings, extraction.input);
      await extractFrame(own, { ...settings, threads: 2 }, probe, extraction);
    },
    frames: (file) => decode(tools, file, path('frames.rgb')),
    async stream(file, type) {
      const text = await runFfprobe(tools, [
        '-v',
        'error',
        '-select_streams',
        type,
        '-show_streams',
        '-of',
        'flat',
        file,
      ]);
      const lines = [...text.matchAll(/^streams\.stream\.0\.(\S+?)="?(.*?)"?$/gm)];
      return Object.fromEntries(lines.map(([, key, value]) => [key, value]));
    },
    async times(file) {
      const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'];
      const text = await runFfprobe(tools, ['-v', 'error', ...show, file]);
      return text
        .trim()
        .split('\n')
        .map(Number.parseFloat)
        .sort((a, b) => a - b);
    },
    loudness: (file) => measureLoudness(tools, file, path('loudness')),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** True if every channel is within 40 of the expected value: compression and limited range shift colours slightly. */
export function isNear(pixel: readonly number[] | undefined, expected: readonly number[]): boolean {
  return pixel !== undefined && expected.every((value, channel) => Math.abs(value - (pixel[channel] ?? 0)) <= 40);
}

export const RED = [255, 0, 0] as const;
export const LIME = [0, 255, 0] as const;
export const BLUE = [0, 0, 255] as const;
export const WHITE = [255, 255, 255] as const;
export const BLACK = [0, 0, 0] as const;

async function measureLoudness(tools: Ffmpeg, file: string, log: string): Promise<number> {
  const filter = `ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=${log}`;
  await runFfmpeg(tools, ['-v', 'error', '-i', file, '-map', '0:a:0', '-af', filter, '-f', 'null', '-']);
  const values = [...(await readFile(log, 'utf8')).matchAll(/^lavfi\.r128\.I=(.+)$/gm)].map(([, value]) =>
    Number(value),
  );
  return values.at(-1) ?? Number.NaN;
}

async function decode(tools: Ffmpeg, file: string, raw: string): Promise<DecodedFrame[]> {
  const show = ['-select_streams', 'v:0', '-show_entries', 'stream=width,height', '-of', 'csv=p=0'];
  const text = await runFfprobe(tools, ['-v', 'error', ...show, file]);
  const [width = 0, height = 0] = text.split(',').map(Number.parseFloat);
  const rgb = ['-pix_fmt', 'rgb24', '-fps_mode', 'passthrough', '-f', 'rawvideo'];
  await runFfmpeg(tools, ['-v', 'error', '-y', '-noautorotate', '-i', file, '-map', '0:v:0', ...rgb, raw]);
  const bytes = await readFile(raw);
  const size = width * height * 3;
  return Array.from({ length: bytes.length / size }, (_, index) => ({
    width,
    height,
    at(x, y) {
      const start = index * size + (y * width + x) * 3;
      return [bytes[start] ?? 0, bytes[start + 1] ?? 0, bytes[start + 2] ?? 0];
    },
  }));
}
