import { describe, expect, test } from 'vitest';
import { HttpProblem } from '../errors.ts';
import { formatOptions, parseSegment } from '../transformation/transformation.ts';
import { checkVideoOptions, frameTimeOf, isFrame, readCanonicalOptions, withoutVideoFormat } from './options.ts';
import { type VideoOptions, videoSteps } from './steps/index.ts';

const read = (segment: string) => parseSegment(segment, videoSteps, [], { outputSide: 8192 });
const canonical = (segment: string) => formatOptions(read(segment) ?? {}, videoSteps);

describe('video parameters', () => {
  test('every documented parameter is read under its key', () => {
    expect(read('w_320,h_180,c_pad,b_rgb:336699,q_60,so_1.5,eo_3,f_webm')).toEqual({
      width: 320,
      height: 180,
      crop: 'pad',
      background: { red: 0x33, green: 0x66, blue: 0x99, alpha: 255 },
      quality: 60,
      startOffset: 1.5,
      endOffset: 3,
      format: 'webm',
    });
  });

  test('thumbnail_time is another name of tt, t_1 of t_true', () => {
    expect(read('t_1,thumbnail_time_2.5')).toEqual({ thumbnail: true, thumbnailTime: 2.5 });
    expect(canonical('thumbnail_time_2.5,t_true')).toBe('t_true,tt_2.5');
  });

  test('a format without an encoder makes the segment a folder name', () => {
    for (const format of ['avi', 'mp3', 'wav', 'ogg', 'psd', 'pdf']) expect(read(`f_${format}`)).toBeUndefined();
    expect(read('t_yes')).toBeUndefined();
    expect(read('so_-1')).toBeUndefined();
  });

  test('a value out of range is a 400 that names the parameter', () => {
    for (const segment of ['w_0', 'h_99999', 'q_101', 'q_0', 'so_90000']) {
      expect(() => read(segment)).toThrow(HttpProblem);
    }
  });

  test.each([
    ['c_fill,w_320', 'w_320'],
    ['f_mp4,q_75', ''],
    ['f_auto,q_auto', ''],
    ['h_90,w_160,c_crop', 'w_160,h_90'],
    ['c_pad,w_160', 'w_160'],
    ['c_fit,w_160', 'w_160,c_fit'],
    ['c_pad', ''],
    ['b_ff0000,w_160,h_90', 'w_160,h_90,b_ff0000'],
    ['b_000000,w_160', 'w_160'],
    ['b_000,w_160,h_90,c_lpad', 'w_160,h_90,c_pad'],
    ['b_ff000080,w_160,h_90,c_pad', 'w_160,h_90,c_pad,b_ff0000'],
    ['tt_3,w_160', 'w_160'],
    ['t_false,w_160', 'w_160'],
    ['so_0,w_160', 'w_160'],
    ['so_0,eo_2', 'so_0,eo_2'],
    ['eo_2.0,so_1.0', 'so_1,eo_2'],
    ['f_jpg,so_1', 'so_1,f_jpeg'],
    ['vc_h264', ''],
    ['f_mov,vc_h264', 'f_mov'],
    ['vc_vp9,f_webm', 'f_webm'],
    ['f_webm,vc_av1', 'vc_av1,f_webm'],
    ['vc_hevc,q_50', 'vc_h265,q_50'],
    ['w_160,fps_25,so_1', 'so_1,fps_25,w_160'],
    ['ln_1,w_160', 'w_160,ln_true'],
    ['ln_true,au_none', 'au_none'],
    ['ln_false', ''],
    ['b_blur,w_160,h_90,c_pad', 'w_160,h_90,c_pad,b_blur'],
    ['b_blur:20,w_160,h_90,c_pad', 'w_160,h_90,c_pad,b_blur'],
    ['b_blur:10,w_80,h_45,c_pad,dpr_2', 'w_160,h_90,c_pad,b_blur'],
    ['b_blur:5,w_160,h_90', 'w_160,h_90'],
  ])('%s is the same variant as %s', (segment, expected) => {
    expect(canonical(segment)).toBe(expected);
  });
});

describe('combinations of two parameters', () => {
  test.each(['eo_2', 'so_2,eo_2', 'so_3,eo_2', 'eo_0,so_0'])('%s is a 400', (segment) => {
    expect(() => checkVideoOptions(read(segment) as VideoOptions)).toThrow(/"eo": expected/);
  });

  test('an end after its start is fine, from 0 too', () => {
    expect(() => checkVideoOptions(read('so_0,eo_0.5') as VideoOptions)).not.toThrow();
  });

  test.each([
    ['t_true', 0],
    ['t_true,tt_2', 2],
    ['t_true,so_3', 3],
    ['t_true,so_3,tt_0', 0],
    ['so_1.5,f_webp', 1.5],
    ['f_jpeg', 0],
    ['f_png,tt_2', 0],
    ['so_1,eo_2,f_gif', 1],
    ['f_json', 0],
    ['f_json,so_3', 3],
    ['f_json,tt_2', 2],
    ['f_json,so_3,tt_0', 0],
  ])('%s is a single frame, at %d s', (segment, time) => {
    const options = read(segment) as VideoOptions;
    expect(isFrame(options)).toBe(true);
    expect(frameTimeOf(options)).toBe(time);
  });

  test.each(['w_320', 'so_1', 'q_auto', 'f_auto', 'f_webm,so_1', 't_false', 'tt_2'])('%s is a transcode', (segment) => {
    expect(isFrame(read(segment) as VideoOptions)).toBe(false);
  });
});

test('canonical options are read back unchanged, defaults alone too', () => {
  for (const segment of ['so_1,eo_2,w_320,c_fit,q_60,f_webm', '']) {
    expect(formatOptions(readCanonicalOptions(segment, { outputSide: 8192 }, 'video'), videoSteps)).toBe(segment);
  }
});

test('the rest of a frame is read as of an image, with any video format', () => {
  expect(withoutVideoFormat('t_true,f_mp4,w_320')).toBe('t_true,w_320');
  expect(withoutVideoFormat('t_true,f_webp')).toBe('t_true,f_webp');
});

describe('the codec', () => {
  const check = (segment: string) => () => checkVideoOptions(read(segment) ?? {});

  test('has to fit the format: the 400 names both', () => {
    expect(check('vc_vp9')).toThrow('"vc": expected f_webm with vc_vp9: MP4 cannot hold VP9, received "f_mp4"');
    expect(check('vc_h264,f_webm')).toThrow('expected f_mp4 or f_mov or f_cmaf with vc_h264: WEBM cannot hold H.264');
    for (const segment of ['vc_av1,f_mov', 'vc_h265,f_webm', 'vc_vp9,f_mov'])
      expect(check(segment)).toThrow(HttpProblem);
    for (const segment of ['vc_av1,f_webm', 'vc_h265,f_mov', 'vc_vp9,t_true', 'vc_vp9,f_webp']) check(segment)();
  });

  test('has to take sides that are known beforehand', () => {
    expect(check('vc_av1,w_62')).toThrow('AV1 needs at least 64 pixels per side; the result has 62.');
    check('vc_av1,w_62,t_true')();
    check('vc_h265,w_62')();
  });
});
