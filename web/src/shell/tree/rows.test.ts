import { describe, expect, test } from 'vitest';
import type { Subfolders } from '../../api/subfolders.ts';
import { moveOf, rowsOf } from './rows.ts';

const level = (...paths: string[]): Subfolders => ({
  folders: paths.map((path) => ({ path, name: path.slice(path.lastIndexOf('/') + 1) })),
  hasMore: false,
});
const KNOWN = new Map([
  ['', level('a', 'b', 'c')],
  ['a', level('a/x')],
  ['a/x', level()],
]);
const rows = (...expanded: string[]) => rowsOf('Library', new Set(expanded), (path) => KNOWN.get(path));

describe('the visible folders of a tree', () => {
  test('are those of expanded levels, with their position', () => {
    expect(rows().map(({ name }) => name)).toEqual(['Library']);
    expect(
      rows('', 'a').map(({ path, level, position, siblings, isExpanded }) => [
        path,
        level,
        position,
        siblings,
        isExpanded,
      ]),
    ).toEqual([
      ['', 1, 1, 1, true],
      ['a', 2, 1, 3, true],
      // It has no subfolders.
      ['a/x', 3, 1, 1, undefined],
      ['b', 2, 2, 3, false],
      ['c', 2, 3, 3, false],
    ]);
  });

  test('are not those of a level below a collapsed one', () => {
    expect(rows('a').map(({ path }) => path)).toEqual(['']);
  });

  test('are without children until these have been read', () => {
    expect(rows('', 'b').map(({ path, isExpanded }) => [path, isExpanded])).toEqual([
      ['', true],
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  test('end with an item for the folders beyond the limit', () => {
    const long = rowsOf('Library', new Set(['']), () => ({ ...level('a'), hasMore: true }));
    expect(long.map(({ path, siblings, isRest }) => [path, siblings, isRest])).toEqual([
      ['', 1, false],
      ['a', 2, false],
      ['', 2, true],
    ]);
  });
});

describe('a key in the tree', () => {
  const open = rows('', 'a');

  test('goes along the visible items, and ends at both ends', () => {
    expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => moveOf(key, open, 1))).toEqual([
      { to: 2 },
      { to: 0 },
      { to: 0 },
      { to: 4 },
    ]);
    expect([moveOf('ArrowDown', open, 4), moveOf('ArrowUp', open, 0)]).toEqual([{ to: 4 }, { to: 0 }]);
  });

  test('unfolds and goes in, folds and goes out', () => {
    expect([moveOf('ArrowRight', open, 3), moveOf('ArrowRight', open, 1)]).toEqual([{ toggle: 'b' }, { to: 2 }]);
    expect(moveOf('ArrowRight', open, 2)).toBeUndefined();
    expect([moveOf('ArrowLeft', open, 1), moveOf('ArrowLeft', open, 2)]).toEqual([{ toggle: 'a' }, { to: 1 }]);
  });

  test('goes to the next name that begins with a letter', () => {
    expect([moveOf('c', open, 0), moveOf('A', open, 3), moveOf('q', open, 0)]).toEqual([
      { to: 4 },
      { to: 1 },
      undefined,
    ]);
    expect(moveOf('Enter', open, 0)).toBeUndefined();
  });
});
