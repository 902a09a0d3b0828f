import { expect, test } from 'vitest';
import { createEntryIds } from './entry-ids.ts';

const idsOf = (key: string) => createEntryIds(() => Buffer.alloc(32, key));
const ids = idsOf('installation');

test('ids lead back to their rows', () => {
  for (const row of [1, 2, 4711, Number.MAX_SAFE_INTEGER]) expect(ids.rowOf(ids.of(row))).toBe(row);
  expect(ids.of(7)).toBe(idsOf('installation').of(7));
});

test('ids do not show how many entries there are', () => {
  const made = Array.from({ length: 200 }, (_, row) => ids.of(row));
  expect(new Set(made).size).toBe(200);
  expect(made.every((id) => /^[\w-]{22}$/.test(id))).toBe(true);
  expect(made.toSorted()).not.toEqual(made);
  expect(idsOf('another').of(1)).not.toBe(ids.of(1));
});

test.each(['', '1', 'a'.repeat(22), 'a'.repeat(44), idsOf('another').of(1)])(
  'the id "%s" of nobody leads nowhere',
  (id) => expect(ids.rowOf(id)).toBeUndefined(),
);
