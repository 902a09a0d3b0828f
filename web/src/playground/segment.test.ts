import { describe, expect, test } from 'vitest';
import type { Parameter } from '../api/types.ts';
import {
  expandPreset,
  frameOf,
  isFrame,
  type Listing,
  losslessOf,
  parametersOf,
  stillOf,
  valueIn,
  withValue,
} from './segment.ts';

const parameter = (key: string, aliases: string[] = []): Parameter => ({
  key,
  aliases,
  separator: '_',
  name: key,
  summary: '',
  forms: '',
  examples: [],
  shape: { kind: 'text' },
});
const listing: Listing = {
  image: ['ar', 'w', 'h', 'c', 'g', 'b', 'q', 'f'].map((key) => parameter(key, key === 'b' ? ['bg'] : [])),
  video: [
    ...['so', 'eo', 'w', 'h', 'c', 'q', 'f', 't', 'an', 'sb', 'wf'].map((key) => parameter(key)),
    parameter('tt', ['thumbnail_time']),
  ],
  layer: [],
  text: [],
  presets: [{ name: 'thumb', transformation: 'w_200,h_200' }],
};
const { image, video } = listing;

describe('a segment that is typed', () => {
  test('fills the form, with aliases, values that have underscores, and the last of repeated keys', () => {
    const segment = 'w_10,bg_fff,g_north_east,w_20';
    expect(['w', 'b', 'g', 'h'].map((key) => valueIn(segment, key, image))).toEqual([
      '20',
      'fff',
      'north_east',
      undefined,
    ]);
    expect(valueIn('thumbnail_time_5', 'tt', video)).toBe('5');
    expect(valueIn('thumbnail_time_5', 't', video)).toBeUndefined();
  });

  test('may have effects, with their value after a colon or alone', () => {
    const effects: Parameter[] = [
      ...image,
      { ...parameter('e_blur'), separator: ':', alone: '10' },
      { ...parameter('e_tint'), separator: ':' },
    ];
    expect(valueIn('w_10,e_blur:3', 'e_blur', effects)).toBe('3');
    expect(valueIn('e_blur,w_10', 'e_blur', effects)).toBe('10');
    expect(valueIn('e_tint:fff:20', 'e_tint', effects)).toBe('fff:20');
    expect(withValue('w_10', 'e_blur', '3', effects)).toBe('w_10,e_blur:3');
    expect(withValue('w_10,e_blur:3', 'e_blur', '10', effects)).toBe('w_10,e_blur');
    expect(withValue('e_blur,w_10', 'e_blur', '', effects)).toBe('w_10');
    expect(withValue('w_10', 'e_tint', 'fff:20', effects)).toBe('w_10,e_tint:fff:20');
  });

  test('may be a preset', () => {
    expect(expandPreset('n_thumb', listing.presets)).toBe('w_200,h_200');
    expect(expandPreset('n_other', listing.presets)).toBe('n_other');
  });
});

test.each([
  ['w_160', undefined, false],
  ['an_true', 'animation', false],
  ['an_1,f_webp', 'animation', false],
  ['an_true,f_mp4', undefined, false],
  ['an_true,t_true', undefined, true],
  ['sb_true,f_webp', 'sheet', false],
  ['sb_true,f_vtt', 'cues', false],
  ['sb_false,f_webp', undefined, true],
  ['wf_true', 'waveform', false],
  ['wf_true,f_json', undefined, true],
])('%s asks of a video for %s, and for a frame: %s', (segment, still, isOne) => {
  expect([stillOf(segment, listing), isFrame(segment, listing)]).toEqual([still, isOne]);
});

describe('a value of the form', () => {
  test('is written where it was, and once', () => {
    expect(withValue('q_5,w_10,foo,w_20', 'w', '30', image)).toBe('q_5,foo,w_30');
    expect(withValue('bg_fff,w_1', 'b', '000', image)).toBe('b_000,w_1');
  });

  test('that is new stands where its effect comes', () => {
    expect(withValue('w_10,q_5', 'h', '30', image)).toBe('w_10,h_30,q_5');
    expect(withValue('', 'h', '30', image)).toBe('h_30');
    expect(withValue('w_10', 'f', 'png', image)).toBe('w_10,f_png');
  });

  test('that is taken away leaves nothing', () => {
    expect(withValue('w_10,q_5', 'w', undefined, image)).toBe('q_5');
    expect(withValue('w_10', 'w', '', image)).toBe('');
  });

  test('cannot become a part or a folder of its own', () => {
    expect(withValue('', 'w', '3,h_4/x y', image)).toBe('w_3h_4xy');
  });
});

describe('a video', () => {
  test('is a frame by its own word or by an image format', () => {
    expect(['t_true', 't_1,w_5', 'f_webp', 'so_2,f_jpg'].map((one) => isFrame(one, listing))).not.toContain(false);
    expect(['', 'w_5', 't_false', 'f_mp4', 'f_auto'].map((one) => isFrame(one, listing))).not.toContain(true);
  });

  test('has a frame in the geometry of its transcode, from where that begins', () => {
    expect(frameOf('so_3,eo_5,w_320,c_pad,q_40,f_webm', listing)).toBe('w_320,c_pad,t_true,tt_3');
    expect(frameOf('', listing)).toBe('t_true');
    expect(frameOf('f_png,so_1', listing)).toBe('f_png,so_1');
  });

  test('has the parameters of images for a frame alone', () => {
    const keys = (segment: string) => parametersOf('video', segment, listing).map(({ key }) => key);
    expect(keys('w_5')).toEqual(video.map(({ key }) => key));
    expect(keys('t_true')).toEqual([...video.map(({ key }) => key), 'ar', 'g', 'b']);
  });
});

describe('a segment with layers', () => {
  const LAYERS = '~l_brand:logo%2Cnew.png,w_0.2,q_7~l_text:w_9%2Ch_9,fs_40';

  test('has the values of its base, and keeps its layers when one is changed', () => {
    expect(valueIn(`w_10${LAYERS}`, 'w', image)).toBe('10');
    expect(valueIn(LAYERS.slice(1), 'w', image)).toBeUndefined();
    expect(withValue(`w_10,q_5${LAYERS}`, 'h', '30', image)).toBe(`w_10,h_30,q_5${LAYERS}`);
    expect(withValue(`w_10${LAYERS}`, 'w', '', image)).toBe(LAYERS.slice(1));
    expect(withValue(LAYERS.slice(1), 'f', 'png', image)).toBe(`f_png${LAYERS}`);
    expect(withValue('', 'w', '3~l_a.png', image)).toBe('w_3l_a.png');
  });

  test('is compared and shown as a frame with all of them', () => {
    expect(losslessOf(`w_300,q_20,f_webp${LAYERS}`, image)).toBe(`w_300,q_100,f_png${LAYERS}`);
    expect(losslessOf(LAYERS.slice(1), image)).toBe(`q_100,f_png${LAYERS}`);
    expect(frameOf(`so_3,w_320,q_40,f_webm${LAYERS}`, listing)).toBe(`w_320,t_true,tt_3${LAYERS}`);
    expect(isFrame('w_5~l_text:a,t_true', listing)).toBe(false);
    expect(isFrame(`t_true${LAYERS}`, listing)).toBe(true);
  });

  test('may be a preset', () => {
    const presets = [{ name: 'card', transformation: `w_200${LAYERS}` }];
    expect(withValue(expandPreset('n_card', presets), 'w', '5', image)).toBe(`w_5${LAYERS}`);
  });
});

test('the side to compare with has the same geometry and no loss', () => {
  expect(losslessOf('w_300,q_20,f_webp,g_face', image)).toBe('w_300,g_face,q_100,f_png');
  expect(losslessOf('', image)).toBe('q_100,f_png');
  expect(losslessOf('w_300,anim_true,f_webp', [...image, parameter('an', ['anim'])])).toBe('w_300,q_100,f_png');
});
