import { describe, expect, test } from 'vitest';
import type { Target } from '../../api/targets/targets.ts';
import { refusalOf } from './refusal.ts';

const order = { sort: 'name', order: 'asc' } as const;
const file = { path: 'a/one.jpg', kind: 'file' } as const;
const folder = { path: 'a/b', kind: 'folder' } as const;

/** The reason for each folder. */
function reasons(target: Target, folders: readonly string[], isCopy = false) {
  const items = 'items' in target ? target.items : [];
  const has = (path: string) => items.some((item) => item.path === path);
  return folders.map((one) => refusalOf(target, one, isCopy, has));
}

describe('a folder that items are dragged onto', () => {
  test('takes them, unless they are in it', () => {
    expect(reasons({ items: [file] }, ['', 'a', 'a/b', 'c'])).toEqual([undefined, 'here', undefined, undefined]);
    expect(reasons({ items: [file, { path: 'two.jpg', kind: 'file' }] }, ['', 'a'])).toEqual([undefined, undefined]);
  });

  test('is not one of them, and not inside of one', () => {
    expect(reasons({ items: [file, folder] }, ['a/b', 'a/b/c', 'a/bc'])).toEqual(['itself', 'itself', undefined]);
  });

  test('takes copies also where they are, but none of folders', () => {
    expect(reasons({ items: [file, folder] }, ['a', 'a/b', 'c'], true)).toEqual([undefined, undefined, undefined]);
    expect(reasons({ items: [folder] }, ['', 'c'], true)).toEqual(['folders', 'folders']);
  });

  test('takes a whole folder, unless it is that one or selected in it', () => {
    const target: Target = { scope: { folder: 'a', order, search: undefined }, except: ['a/c'], count: 9 };
    const has = (path: string) => path.startsWith('a/') && path !== 'a/c';
    const judge = (one: string, isCopy: boolean) => refusalOf(target, one, isCopy, has);
    expect(['', 'a', 'a/b', 'a/c'].map((one) => judge(one, false))).toEqual([undefined, 'here', 'itself', undefined]);
    expect(['', 'a', 'a/b'].map((one) => judge(one, true))).toEqual([undefined, 'here', undefined]);
  });

  test('takes search results, which may be anywhere', () => {
    const target: Target = { scope: { folder: 'a', order, search: { q: 'x' } }, except: [], count: 9 };
    expect(refusalOf(target, 'a', false, () => false)).toBeUndefined();
  });
});
