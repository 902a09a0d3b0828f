import { expect, test } from 'vitest';
import { collect } from './news.ts';
import type { Upload } from './upload.ts';

const upload = (name: string, state: Upload['state'], error?: string) => ({ name, state, error }) as Upload;
const NOTHING = { done: { names: [], count: 0 }, failed: { names: [], reasons: [], count: 0 } };

test('uploads are announced by their first three names and the number of all, failures with their reasons', () => {
  const first = collect(NOTHING, [upload('1', 'done'), upload('2', 'done'), upload('a', 'failed', 'too large')]);
  const all = collect(first, [upload('3', 'done'), upload('4', 'done'), upload('b', 'skipped', 'empty')]);
  expect(all).toEqual({
    done: { names: ['1', '2', '3'], count: 4 },
    failed: { names: ['a', 'b'], reasons: ['too large', 'empty'], count: 2 },
  });
});
