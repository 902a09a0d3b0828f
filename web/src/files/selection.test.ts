import { describe, expect, test } from 'vitest';
import type { Entry } from './entry.ts';
import { chooseRanges, countOf, EVERYTHING, isChosen, NOTHING, sizeOf, targetOf, toggle } from './selection.ts';

const folder: Entry = { kind: 'folder', name: 'a', path: 'a' };
const file = (path: string): Entry => ({
  kind: 'image',
  name: path,
  path,
  size: 1,
  mtime: '',
  width: null,
  height: null,
  duration: null,
  placeholder: null,
  problem: null,
  alt: null,
});
const scope = { folder: 'x', order: { sort: 'name', order: 'asc', kind: 'image' }, search: undefined } as const;
const nothingArrived = { get: () => undefined };
const letters = { get: (index: number) => file(String.fromCharCode(97 + index)) };

describe('a selection', () => {
  test('takes an item in and lets go of it', () => {
    const one = toggle(NOTHING, folder, 0);
    expect([isChosen(one, 'a', 0), isChosen(one, 'b', 1), countOf(one, 10)]).toEqual([true, false, 1]);
    expect(targetOf(one, scope, 100_000)).toEqual({ items: [{ path: 'a', kind: 'folder' }] });
    expect(toggle(one, folder, 0)).toEqual(NOTHING);
  });

  test('takes many in beside those that are chosen, each once', () => {
    const some = chooseRanges(toggle(NOTHING, file('b'), 1), [[1, 2]], letters);
    expect(countOf(some, 10)).toBe(2);
    expect(targetOf(some, scope, 10)).toEqual({
      items: [
        { path: 'b', kind: 'file' },
        { path: 'c', kind: 'file' },
      ],
    });
  });

  test('of everything is a rule with exceptions, whatever the number of files', () => {
    const most = toggle(toggle(EVERYTHING, file('b'), 1), file('c'), 2);
    expect([isChosen(most, 'a', 0), isChosen(most, 'b', 1), countOf(most, 100_000)]).toEqual([true, false, 99_998]);
    expect(targetOf(most, scope, 100_000)).toEqual({ scope, except: ['b', 'c'], count: 99_998 });
    expect(sizeOf(targetOf(most, scope, 100_000))).toBe(99_998);
    expect(isChosen(chooseRanges(most, [[1, 1]], letters), 'b', 1)).toBe(true);
  });

  test('of what has not arrived is a rule of places, with exceptions and single items beside it', () => {
    const far = chooseRanges(toggle(NOTHING, file('b'), 1), [[10, 90_009]], nothingArrived);
    const but = toggle(far, file('m'), 12);
    expect([isChosen(but, 'm', 12), isChosen(but, 'n', 13), isChosen(but, 'b', 1)]).toEqual([false, true, true]);
    expect(countOf(but, 100_000)).toBe(90_000);
    expect(targetOf(but, scope, 100_000, 'z')).toEqual({
      scope,
      ranges: [[10, 90_009]],
      last: 'z',
      except: ['m'],
      count: 90_000,
      items: [{ path: 'b', kind: 'file' }],
    });
    expect(toggle(but, file('m'), 12)).toEqual(far);
  });

  test('counts what two ranges share once, and single items that a range takes in not at all', () => {
    const one = chooseRanges(toggle(NOTHING, file('b'), 400), [[300, 700]], nothingArrived);
    const both = chooseRanges(one, [[500, 800]], nothingArrived);
    expect([both.ranges, both.items.size, countOf(both, 1000)]).toEqual([[[300, 800]], 0, 501]);
  });

  test('does not change what it was made from', () => {
    const before = toggle(NOTHING, folder, 0);
    toggle(before, file('b'), 1);
    expect(before.items.size).toBe(1);
  });
});
