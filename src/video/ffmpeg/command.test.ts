import { describe, expect, test } from 'vitest';
import { frameArguments } from '../frame.ts';
import type { VideoProbe } from '../source/probe.ts';
import type { VideoOptions } from '../steps/index.ts';
import { crfOf } from '../steps/quality.ts';
import { SRGB_TAGS } from './colour.ts';
import { transcodeArguments } from './command.ts';

const probe: VideoProbe = {
  container: 'mov',
  isCutShort: false,
  duration: 10,
  videoDuration: 10,
  startTime: 0,
  width: 640,
  height: 360,
  upright: { width: 640, height: 360 },
  rotation: 0,
  codec: 'h264',
  pixelFormat: 'yuv420p',
  frameRate: 25,
  densestRate: 25,
  transfer: undefined,
  primaries: undefined,
  matrix: undefined,
  range: undefined,
  isHdr: false,
  audio: { index: 1, codec: 'aac', channels: 2, layout: 'stereo' },
  frames: 250,
  hasAlpha: false,
  decoder: undefined,
  fieldOrder: undefined,
  sizeMayChange: false,
  details: { duration: 10, bitrate: 1_000_000, takenAt: undefined, camera: undefined, hasGps: false },
};

const FILES = { input: '/in/a.mp4', output: '/out/b' };
const command = (options: VideoOptions, source: Partial<VideoProbe> = {}, threads?: number) =>
  transcodeArguments(FILES, options, { ...probe, ...source }, { canMapTones: true, threads });
const argumentOf = (args: string[], name: string) => args[args.indexOf(name) + 1];

describe('the command of a transcode', () => {
  test('q is a CRF, linear between the points of the specification', () => {
    const points = [100, 92, 85, 80, 75, 50, 30, 10, 1].map((quality) => crfOf(quality, 'h264'));
    expect(points).toEqual(['18', '20.67', '23', '25.5', '28', '35', '40', '45', '47.25']);
    expect(argumentOf(command({}), '-crf')).toBe('28');
    expect(argumentOf(command({ quality: 85, format: 'mov' }), '-crf')).toBe('23');
  });

  test.each(['vp9', 'av1'] as const)('%s gets whole numbers of its own scale, falling as quality grows', (codec) => {
    const crfs = Array.from({ length: 100 }, (_, index) => Number(crfOf(index + 1, codec)));
    expect(crfs.every((crf, index) => Number.isInteger(crf) && crf <= 63 && crf <= (crfs[index - 1] ?? 63))).toBe(true);
  });

  test('H.265 goes down to the end of its scale, falling as quality grows', () => {
    const crfs = Array.from({ length: 100 }, (_, index) => Number(crfOf(index + 1, 'h265')));
    expect(crfs.every((crf, index) => crf > 0 && crf <= 51 && crf <= (crfs[index - 1] ?? 51))).toBe(true);
  });

  test('AV1 and H.265 use less memory the larger the result is', () => {
    const of = (codec: 'av1' | 'h265', width: number, height: number) => {
      const size = { width, height, upright: { width, height } };
      return argumentOf(command({ codec }, size, 4), codec === 'av1' ? '-svtav1-params' : '-x265-params');
    };
    expect(of('av1', 640, 360)).toBe('lp=1');
    expect(of('av1', 1920, 1080)).toBe('lp=4:lookahead=0');
    expect(of('av1', 3840, 2160)).toBe('lp=1:lookahead=0:hierarchical-levels=3');
    expect(of('h265', 640, 360)).toBe('log-level=error:pools=1:frame-threads=1');
    expect(of('h265', 1920, 1080)).toBe('log-level=error:pools=4:frame-threads=1:rc-lookahead=5:bframes=2');
    expect(of('h265', 3840, 2160)).toBe('log-level=error:pools=1:frame-threads=1:rc-lookahead=2:bframes=0');
  });

  test('mp4 is H.264 High and AAC, with the index first', () => {
    const args = command({});
    expect(argumentOf(args, '-c:v')).toBe('libx264');
    expect(argumentOf(args, '-profile:v')).toBe('high');
    expect(argumentOf(args, '-pix_fmt')).toBe('yuv420p');
    expect(argumentOf(args, '-c:a')).toBe('aac');
    expect(argumentOf(args, '-movflags')).toBe('+faststart');
    expect(args.at(-1)).toBe('file:/out/b');
  });

  test('opens only the local file, in the format of its bytes', () => {
    const args = command({}, { container: 'matroska' });
    const opening = args.slice(args.indexOf('-protocol_whitelist'), args.indexOf('-i') + 2);
    expect(opening).toEqual(['-protocol_whitelist', 'file,pipe', '-f', 'matroska', '-i', 'file:/in/a.mp4']);
  });

  test('a trim jumps before the input and counts its length after it', () => {
    const args = command({ startOffset: 1.1, endOffset: 3.4 });
    expect(args.indexOf('-ss')).toBeLessThan(args.indexOf('-i'));
    expect(argumentOf(args, '-ss')).toBe('1.1');
    expect(argumentOf(args, '-t')).toBe('2.300');
  });

  test('without w and h nothing is resampled', () => {
    expect(argumentOf(command({ quality: 40 }), '-vf')).toBe('setsar=1');
    const odd = { width: 161, height: 91, upright: { width: 161, height: 91 } };
    expect(argumentOf(command({}, odd), '-vf')).toBe('crop=160:90:0:0,setsar=1');
  });

  test('fill scales to cover and cuts around the centre', () => {
    expect(argumentOf(command({ width: 100, height: 100 }), '-vf')).toBe('scale=178:100,crop=100:100:38:0,setsar=1');
  });

  test('a crop that throws most away cuts before it scales', () => {
    expect(argumentOf(command({ width: 1000, height: 20 }), '-vf')).toBe('crop=640:13:0:173,scale=1000:20,setsar=1');
  });

  test('pad adds bars in b, black by default', () => {
    const box = { width: 200, height: 200, crop: 'pad' } as const;
    expect(argumentOf(command(box), '-vf')).toBe('scale=200:112,setsar=1,pad=200:200:0:44:color=0x000000');
    const background = { red: 255, green: 128, blue: 0, alpha: 255 };
    expect(argumentOf(command({ ...box, background }), '-vf')).toContain('color=0xff8000');
  });

  test('HDR is tone-mapped after scaling and before bars are painted', () => {
    const source = { isHdr: true, transfer: 'smpte2084', matrix: 'bt2020nc', primaries: 'bt2020' };
    const filters = argumentOf(command({ width: 200, height: 200, crop: 'pad' }, source), '-vf') ?? '';
    expect(filters.indexOf('scale=')).toBeLessThan(filters.indexOf('tonemap='));
    expect(filters.indexOf('tonemap=')).toBeLessThan(filters.indexOf('pad='));
  });

  test('a silent source gets no audio arguments, surround is mixed down', () => {
    expect(command({}, { audio: undefined })).not.toContain('-c:a');
    expect(
      argumentOf(command({}, { audio: { index: 1, codec: 'ac3', channels: 6, layout: '5.1(side)' } }), '-ac'),
    ).toBe('2');
  });

  test('a frame over the limit is not decoded', () => {
    const args = transcodeArguments(FILES, {}, probe, { canMapTones: true, maxPixels: 5000 });
    expect(args.indexOf('-max_pixels')).toBeLessThan(args.indexOf('-i'));
    expect(argumentOf(args, '-max_pixels')).toBe('5000');
  });

  test('threads hold for decoder and encoder', () => {
    expect(command({}, {}, 3).filter((arg) => arg === '-threads')).toHaveLength(2);
    expect(command({})).not.toContain('-threads');
  });
});

describe('the command of a frame', () => {
  test('jumps to its time and writes one lossless image in square pixels', () => {
    const stretched = { ...probe, width: 1280 };
    const args = frameArguments({ input: '/in/a.mp4', output: '/out/f.png' }, 2.5, {
      probe: stretched,
      settings: { canMapTones: true },
    });
    expect(args.indexOf('-ss')).toBeLessThan(args.indexOf('-i'));
    expect(argumentOf(args, '-ss')).toBe('2.500000');
    expect(argumentOf(args, '-frames:v')).toBe('1');
    expect(argumentOf(args, '-vf')).toBe(`scale=1280:360,setsar=1,scale,format=rgb24,${SRGB_TAGS}`);
  });
});
