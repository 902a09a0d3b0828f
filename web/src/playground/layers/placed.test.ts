import { describe, expect, test } from 'vitest';
import { listParameters } from '../../../../src/delivery/parameters.ts';
import { readLayer } from '../layered.ts';
import { boxOfLayer, type Ground, moveLayer } from './placed.ts';

const listing = { ...listParameters({ outputSide: 8192 }), presets: [] } as unknown as Ground['listing'];
const ground: Ground = { size: { width: 800, height: 400 }, dpr: 1, listing };
const natural = { width: 100, height: 50 };
const read = (written: string) => readLayer(written) ?? expect.unreachable();
const boxOf = (written: string, dpr = 1) => boxOfLayer(read(written), { ...ground, dpr }, natural);

describe('a layer', () => {
  test.each([
    ['l_a.png', { x: 0.4375, y: 0.4375, width: 0.125, height: 0.125 }],
    ['l_a.png,w_0.5,g_nw,x_80,y_0.1', { x: 0.1, y: 0.1, width: 0.5, height: 0.5 }],
    ['l_a.png,w_200,g_south_east,x_80,y_40', { x: 0.65, y: 0.65, width: 0.25, height: 0.25 }],
    ['l_a.png,h_100,g_east', { x: 0.75, y: 0.375, width: 0.25, height: 0.25 }],
  ])('lies where the service paints it: %s', (written, box) => {
    const found = boxOf(written);
    for (const [side, value] of Object.entries(box)) expect(found?.[side as 'x']).toBeCloseTo(value, 9);
  });

  test('has lengths in pixels multiplied by dpr', () => {
    expect(boxOf('l_a.png,w_100,g_nw,x_40', 2)).toEqual({ x: 0.1, y: 0, width: 0.25, height: 0.25 });
  });

  test('has no place if it covers everything', () => {
    expect(boxOf('l_a.png,tl_10')).toBeUndefined();
  });

  test.each([
    ['l_a.png,g_south_east,x_0.03,y_0.03', 'l_a.png,g_south_east,x_0.13,y_0.23'],
    ['l_a.png,g_south_east,x_10,y_10', 'l_a.png,g_south_east,x_90,y_90'],
    ['l_a.png', 'l_a.png,x_-0.1,y_-0.2'],
    ['l_a.png,x_0.1,y_80', 'l_a.png'],
  ])('moves from its edge in its unit: %s', (written, moved) => {
    const layer = read(written);
    expect(moveLayer(layer, { x: -0.1, y: -0.2 }, boxOf(written) ?? expect.unreachable(), ground)).toBe(moved);
  });

  test('keeps its centre on the image', () => {
    const layer = read('l_a.png');
    expect(moveLayer(layer, { x: 9, y: -9 }, boxOf('l_a.png') ?? expect.unreachable(), ground)).toBe(
      'l_a.png,x_0.5,y_-0.5',
    );
  });
});
