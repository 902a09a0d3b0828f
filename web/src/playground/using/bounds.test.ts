import { describe, expect, test } from 'vitest';
import { listParameters } from '../../../../src/delivery/parameters.ts';
import { largestWidthOf, widthsWithin } from './bounds.ts';
import type { Use } from './use.ts';

const listing = { ...listParameters({ outputSide: 8192 }), presets: [] } as unknown as Use['listing'];
const use = (segment: string, original: Use['original'] = { width: 1000, height: 500 }): Use => ({
  base: 'https://media.example.com/',
  path: 'a.jpg',
  segment,
  listing,
  original,
  alt: '',
  accept: '*/*',
});

describe('the largest width without enlarging', () => {
  test.each([
    ['', 1000],
    ['q_70,dpr_2', 1000],
    ['w_300,h_300', 500],
    ['w_300,h_300,c_fit', 1000],
    ['w_300,h_300,c_pad', 1000],
    ['ar_1:1', 500],
    ['a_90', 500],
    ['a_vflip.270,w_100', 500],
    ['rg_100:0:400:500', 400],
    ['rg_900:0:400:500', 100],
    ['rg_1200:0:400:500', 1000],
    ['rg_a:b:c:d', 1000],
    ['rg_0.5:0.0:0.25:1.0', 250],
    ['w_300,h_300,z_2', 250],
    ['w_4000~l_text:Hi', 1000],
  ])('of %s is %i', (segment, width) => {
    expect(largestWidthOf(use(segment))).toBe(width);
  });

  test('is the last one that is offered', () => {
    expect(widthsWithin(use(''))).toEqual([320, 640, 960, 1000]);
    expect(widthsWithin(use('', { width: 960, height: 1 }))).toEqual([320, 640, 960]);
    expect(widthsWithin(use('', { width: 90, height: 60 }))).toEqual([90]);
    expect(widthsWithin(use('', { width: 9000, height: 6000 })).at(-1)).toBe(2048);
    expect(widthsWithin({ ...use(''), original: undefined })).toHaveLength(6);
  });
});
