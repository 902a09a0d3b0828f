import { expect, test } from 'vitest';
import { parsePath } from '../path.ts';
import { writeCursor } from './cursor.ts';
import { readPosition, writePosition } from './listing-order.ts';

test('a position is read as it was written, and one with numbers that no file has is 400', () => {
  const order = { sort: 'dimensions', order: 'asc' } as const;
  const row = { path: parsePath('a.png'), isFolder: false, size: 4, mtime: 5, created: 6, pixels: 7 };
  expect(readPosition(writePosition(row, order), order)).toEqual({ ...row, id: 0 });
  const cursorWith = (pixels: number) => writeCursor(['dimensions', 'asc', false, 4, 5, 'a.png', 0, false, 6, pixels]);
  expect(readPosition(cursorWith(7), order)).toEqual({ ...row, id: 0 });
  for (const pixels of [0.5, 1e300])
    expect(() => readPosition(cursorWith(pixels), order)).toThrow(expect.objectContaining({ status: 400 }));
});
