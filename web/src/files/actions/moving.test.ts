import { describe, expect, test } from 'vitest';
import type { Rule, Target } from '../../api/targets/targets.ts';
import { refusedMove, withoutThoseIn } from './moving.ts';

const file = (path: string) => ({ path, kind: 'file' as const });
const folder = (path: string) => ({ path, kind: 'folder' as const });
const items = (...all: { path: string; kind: 'file' | 'folder' }[]): Target => ({ items: all });
const all = (of: string, except: string[] = []): Rule => ({
  scope: { folder: of, order: { sort: 'name', order: 'asc' }, search: undefined },
  except,
  count: 3,
});

describe('a move', () => {
  test.each<[Target, string, string | undefined]>([
    [items(file('a/1.jpg')), 'a', 'The item is already in this folder.'],
    [items(file('a/1.jpg'), file('a/2.jpg')), 'a', 'The items are already in this folder.'],
    [items(file('a/1.jpg'), file('b/2.jpg')), 'a', undefined],
    [items(file('1.jpg')), '', 'The item is already in this folder.'],
    [items(folder('a/b')), 'a/b', '“b” cannot be moved into itself.'],
    [items(folder('a/b')), 'a/b/c', '“b” cannot be moved into itself.'],
    [items(folder('a/b')), 'a/bc', undefined],
    [items(file('a/b')), 'a/b', undefined],
    [all('a'), 'a', 'The items are already in this folder.'],
    [all('a'), 'a/b/c', '“b” cannot be moved into itself.'],
    [all('a', ['a/b']), 'a/b/c', undefined],
    [all(''), 'b/c', '“b” cannot be moved into itself.'],
    [all('a'), '', undefined],
    [all('a'), 'other', undefined],
    [{ ...all('a'), scope: { ...all('a').scope, search: { q: 'x' } } }, 'a', undefined],
  ])('of %j to %j is refused: %j', (target, destination, reason) => {
    expect(refusedMove(target, destination)).toBe(reason);
  });

  test('leaves out what is in the folder already', () => {
    expect(withoutThoseIn(items(file('a/1.jpg'), file('b/2.jpg')), 'a')).toEqual(items(file('b/2.jpg')));
  });
});
