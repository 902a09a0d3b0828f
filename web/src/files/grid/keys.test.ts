import { describe, expect, test } from 'vitest';
import { commandOf } from './keys.ts';

const press = (key: string, more: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  ...{ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  ...more,
});
/** Eleven tiles, four in a row. */
const at = (index: number) => ({ index, count: 11, columns: 4, rows: 2 });

describe('a key in the grid', () => {
  test.each([
    ['ArrowRight', 5, 6],
    ['ArrowRight', 10, 10],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 7, 10],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 5, 1],
    ['ArrowUp', 2, 2],
    ['Home', 5, 0],
    ['End', 5, 10],
    ['PageDown', 1, 9],
    ['PageDown', 5, 10],
    ['PageUp', 9, 1],
    ['PageUp', 5, 1],
  ])('%s goes from %i to %i', (key, index, target) => {
    expect(commandOf(press(key), at(index))).toEqual({ move: target, extends: false });
    expect(commandOf(press(key, { shiftKey: true }), at(index))).toEqual({ move: target, extends: true });
  });

  test.each([
    [press(' '), 'toggle'],
    [press('Enter'), 'open'],
    [press('a', { ctrlKey: true }), 'all'],
    [press('A', { metaKey: true }), 'all'],
    [press('ArrowUp', { altKey: true }), 'up'],
    [press('F2'), 'rename'],
    [press('/'), 'search'],
    [press('n'), 'folder'],
    [press('u'), 'upload'],
    [press('n', { ctrlKey: true }), undefined],
    [press('ArrowLeft', { altKey: true }), undefined],
    [press('x'), undefined],
  ])('%j is %s', (event, command) => {
    expect(commandOf(event, at(0))).toBe(command);
  });
});
