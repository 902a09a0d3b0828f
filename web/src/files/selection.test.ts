import { describe, expect, test } from 'vitest';
import type { Entry } from './entry.ts';
import { choose, countOf, EVERYTHING, isChosen, NOTHING, sizeOf, targetOf, toggle } from './selection.ts';

const folder: Entry = { kind: 'folder', name: 'a', path: 'a' };
const file = (path: string): Entry => ({
  ...{ kind: 'image', name: path, path, size: 1, mtime: '2026-01-01T00:00:00Z' },
  ...{ width: null, height: null, duration: null, placeholder: null, alt: null },
});
const scope = { folder: 'x', kind: 'image', total: 100_000 } as const;

describe('a selection', () => {
  test('takes an item in and lets go of it', () => {
    const one = toggle(NOTHING, folder);
    expect([isChosen(one, 'a'), isChosen(one, 'b'), countOf(one, 10)]).toEqual([true, false, 1]);
    expect(targetOf(one, scope)).toEqual({ items: [{ path: 'a', kind: 'folder' }] });
    expect(toggle(one, folder)).toEqual(NOTHING);
  });

  test('takes many in beside those that are chosen, each once', () => {
    const some = choose(toggle(NOTHING, file('b')), [file('b'), file('c')]);
    expect(countOf(some, 10)).toBe(2);
  });

  test('of everything is a rule with exceptions, whatever the number of files', () => {
    const most = toggle(toggle(EVERYTHING, file('b')), file('c'));
    expect([isChosen(most, 'a'), isChosen(most, 'b'), countOf(most, 100_000)]).toEqual([true, false, 99_998]);
    expect(targetOf(most, scope)).toEqual({ folder: 'x', kind: 'image', except: ['b', 'c'], count: 99_998 });
    expect(sizeOf(targetOf(most, scope))).toBe(99_998);
    expect(isChosen(choose(most, [file('b')]), 'b')).toBe(true);
  });

  test('does not change what it was made from', () => {
    const before = toggle(NOTHING, folder);
    toggle(before, file('b'));
    expect(before.items.size).toBe(1);
  });
});
