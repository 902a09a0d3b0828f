import { describe, expect, test } from 'vitest';
import { listParameters } from '../../../../src/delivery/parameters.ts';
import { enlargementOf, largestWidthOf, UNBOUNDED, widthsWithin } from './bounds.ts';
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
    expect(widthsWithin(use(''))).toEqual([320, 640, 1000]);
    expect(widthsWithin(use('', { width: 960, height: 1 }))).toEqual([320, 640, 960]);
    expect(widthsWithin(use('', { width: 90, height: 60 }))).toEqual([90]);
    expect(widthsWithin(use('', { width: 9000, height: 6000 }))?.at(-1)).toBe(2048);
    expect(widthsWithin(use('', UNBOUNDED))).toHaveLength(6);
  });

  test('is not guessed', () => {
    expect(widthsWithin({ ...use('w_800'), original: undefined })).toBeUndefined();
  });
});

test.each([
  ['w_800', { width: 4000, height: 2000 }, [320, 640, 800, 960, 1280, 1600, 2048]],
  ['w_800,h_800', { width: 4000, height: 1000 }, [320, 640, 800, 1000]],
  ['h_400', { width: 4000, height: 2000 }, [320, 640, 800, 960, 1280, 1600, 2048]],
  ['w_800,dpr_2', { width: 4000, height: 2000 }, [320, 640, 800, 960, 1280, 1600, 2048]],
  ['w_5000', UNBOUNDED, [320, 640, 960, 1280, 1600, 2048, 5000]],
])(
  'the chosen width of %s is offered, and twice that within the limits of the service',
  (segment, original, widths) => {
    expect(widthsWithin(use(segment, original))).toEqual(widths);
  },
);

describe('a result that is enlarged', () => {
  test.each([
    ['rg_0:0:400:133,w_1500,h_500', [1500, 500], [399, 133]],
    ['rg_0:0:400:200,w_800', [800, 400], [400, undefined]],
    ['rg_0:0:400:200,h_800', [1600, 800], [undefined, 200]],
    ['w_600,dpr_2', [1200, 600], [500, undefined]],
    ['w_1200,h_1200,c_pad', [1200, 1200], [1000, 1000]],
    ['w_1200,h_10,c_scale', [1200, 10], [1000, 8]],
    ['ar_1:1,w_600', [600, 600], [500, undefined]],
  ])('is that of %s', (segment, [width, height], [w, h]) => {
    expect(enlargementOf(use(segment))).toEqual({ result: { width, height }, sides: { w, h } });
  });

  test.each([
    '',
    'q_70',
    'w_1000,h_500',
    'w_1200,h_1200,c_fit',
    'w_1200,el_false',
    'w_1200,h_100,c_pad',
    'rg_0:0:400:133,w_300,h_100',
  ])('is not that of %s', (segment) => {
    expect(enlargementOf(use(segment))).toBeUndefined();
  });

  test('is none of vector graphics, nor before the size is known', () => {
    expect(enlargementOf(use('w_4000,h_4000', UNBOUNDED))).toBeUndefined();
    expect(enlargementOf({ ...use('w_4000,h_4000'), original: undefined })).toBeUndefined();
  });
});
