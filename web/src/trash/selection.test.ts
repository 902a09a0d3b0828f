import { expect, test } from 'vitest';
import { NOTHING, present, toggled } from './selection.ts';

const SHOWN = ['a', 'b', 'c', 'd', 'e'];
const ids = (selection: typeof NOTHING) => [...selection.ids].toSorted();

test('an item is selected, and removed again', () => {
  const one = toggled(NOTHING, 'b', SHOWN, false);
  expect(ids(one)).toEqual(['b']);
  expect(ids(toggled(one, 'b', SHOWN, false))).toEqual([]);
});

test('a range goes from the last item in both directions, and removes as it selects', () => {
  const down = toggled(toggled(NOTHING, 'b', SHOWN, false), 'd', SHOWN, true);
  expect(ids(down)).toEqual(['b', 'c', 'd']);
  const less = toggled(down, 'c', SHOWN, true);
  expect(ids(less)).toEqual(['b']);
  expect(ids(toggled(toggled(NOTHING, 'd', SHOWN, false), 'b', SHOWN, true))).toEqual(['b', 'c', 'd']);
  expect(ids(toggled(NOTHING, 'c', SHOWN, true))).toEqual(['c']);
});

test('what has left the list is selected no more', () => {
  const all = { ids: new Set(SHOWN), anchor: 'a' };
  expect(ids(present(all, ['c', 'x']))).toEqual(['c']);
});
