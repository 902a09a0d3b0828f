import { describe, expect, test } from 'vitest';
import { blockOf, pull } from './band.ts';
import { layoutOf } from './use-layout.ts';

/** Tiles of 100 pixels with gaps of ten and a padding of 20; rows of 160 including the gap. */
const layout = { columns: 4, rowHeight: 160, tileWidth: 100, gap: 10, padding: 20 };
const block = (x1: number, y1: number, x2: number, y2: number) =>
  blockOf({ x: x1, y: y1 }, { x: x2, y: y2 }, layout, 1_000_000);

describe('the rectangle of the pointer', () => {
  test('takes in the tiles that it touches, in whatever direction it is drawn', () => {
    expect(block(25, 5, 135, 165)).toEqual({ rows: [0, 1], columns: [0, 1] });
    expect(block(135, 165, 25, 5)).toEqual({ rows: [0, 1], columns: [0, 1] });
  });

  test('takes in no tile from the gaps between them', () => {
    expect(block(122, 152, 128, 158)).toBeUndefined();
    expect(block(122, 5, 140, 20)).toEqual({ rows: [0, 0], columns: [1, 1] });
    expect(block(0, 0, 15, 400)).toBeUndefined();
  });

  test('ends where the grid does', () => {
    expect(block(-50, -50, 5000, 10)).toEqual({ rows: [0, 0], columns: [0, 3] });
    expect(block(25, 159_999_900, 30, 999_999_999)).toEqual({ rows: [999_999, 999_999], columns: [0, 0] });
    expect(blockOf({ x: 25, y: 900 }, { x: 30, y: 950 }, layout, 3)).toBeUndefined();
  });

  test('takes in whole rows of a list', () => {
    const list = layoutOf(800, 'list');
    expect(blockOf({ x: 3, y: 60 }, { x: 5, y: 110 }, list, 9)).toEqual({ rows: [1, 2], columns: [0, 0] });
  });

  test('scrolls near the edges, the faster the farther it is beyond them', () => {
    expect([pull(300, 600), pull(20, 600), pull(-1000, 600), pull(590, 600), pull(9000, 600)]).toEqual([
      0, -22, -90, 34, 90,
    ]);
  });
});
