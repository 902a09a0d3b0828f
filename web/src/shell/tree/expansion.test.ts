import { describe, expect, test } from 'vitest';
import { readExpanded, rememberExpanded, reveal, toggled } from './expansion.ts';

function memory(text?: string) {
  const values = new Map(text === undefined ? [] : [['darkroom-tree /', text]]);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

describe('expanded folders', () => {
  test('are the root at first, and remembered for each space', () => {
    const store = memory();
    expect(readExpanded('/', store)).toEqual(new Set(['']));
    rememberExpanded('/', new Set(['', 'a']), store);
    rememberExpanded('/b/acme/', new Set(), store);
    expect(readExpanded('/', store)).toEqual(new Set(['', 'a']));
    expect(readExpanded('/b/acme/', store)).toEqual(new Set());
  });

  test.each(['no JSON', '{}'])('are the root where %s was stored', (text) => {
    expect(readExpanded('/', memory(text))).toEqual(new Set(['']));
  });

  test('are the last hundred', () => {
    const store = memory();
    rememberExpanded('/', new Set(Array.from({ length: 130 }, (_, at) => `${at}`)), store);
    expect([readExpanded('/', store).size, readExpanded('/', store).has('129')]).toEqual([100, true]);
  });

  test('reveal the open folder, unless the tree is collapsed', () => {
    expect(reveal(new Set(['']), 'a/b/c')).toEqual(new Set(['', 'a', 'a/b']));
    expect(reveal(new Set(['x']), 'a/b/c')).toEqual(new Set(['x']));
    const same = new Set(['']);
    expect([reveal(same, ''), reveal(same, 'a')]).toEqual([same, same]);
  });

  test('are toggled one by one', () => {
    expect(toggled(new Set(['', 'a']), 'a')).toEqual(new Set(['']));
    expect(toggled(new Set(['']), 'a')).toEqual(new Set(['', 'a']));
  });
});
