import { describe, expect, test } from 'vitest';
import { commandOf } from './keys.ts';

const press = (key: string, more: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});
/** Eleven tiles in rows of four. */
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
    [press('Delete'), 'delete'],
    [press('Delete', { shiftKey: true }), 'deletePermanently'],
    [press('/'), 'search'],
    [press('n'), 'folder'],
    [press('u'), 'upload'],
    [press('n', { ctrlKey: true }), undefined],
    [press('ArrowLeft', { altKey: true }), undefined],
    [press('c', { ctrlKey: true }), 'copy'],
    [press('x', { metaKey: true }), 'cut'],
    [press('v', { ctrlKey: true }), 'paste'],
    [press('z', { ctrlKey: true }), 'undo'],
    [press('Z', { ctrlKey: true, shiftKey: true }), undefined],
    [press('F10', { shiftKey: true }), 'menu'],
    [press('F10'), undefined],
    [press('ContextMenu'), 'menu'],
    [press('Tab'), undefined],
    [press('x'), { typed: 'x' }],
    // Shift types a shortcut letter as part of a name.
    [press('N', { shiftKey: true }), { typed: 'N' }],
  ])('%j is %j', (event, command) => {
    expect(commandOf(event, at(0))).toEqual(command);
  });

  test('goes on with a name while one is typed, spaces too', () => {
    const typing = { hasLetters: true, isTyping: true };
    expect(['n', ' ', 'x', '/'].map((key) => commandOf(press(key), at(0), typing))).toEqual([
      { typed: 'n' },
      { typed: ' ' },
      { typed: 'x' },
      { typed: '/' },
    ]);
    expect(commandOf(press('Enter'), at(0), typing)).toBe('open');
    expect(commandOf(press('ArrowRight'), at(0), typing)).toEqual({ move: 1, extends: false });
  });

  test('is a letter of a name where single letters are no commands', () => {
    const typing = { hasLetters: false, isTyping: false };
    expect(commandOf(press('n'), at(0), typing)).toEqual({ typed: 'n' });
    expect(commandOf(press(' '), at(0), typing)).toBe('toggle');
    expect(commandOf(press('Delete'), at(0), typing)).toBe('delete');
  });
});
