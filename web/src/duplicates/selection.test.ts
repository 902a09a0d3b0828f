import { describe, expect, test } from 'vitest';
import type { Asset } from '../api/types.ts';
import { bestOf, removedPaths } from './selection.ts';

const asset = (path: string, more: Partial<Asset> = {}): Asset =>
  ({
    path,
    width: 100,
    height: 100,
    size: 10,
    createdAt: '2026-01-02T00:00:00Z',
    title: null,
    alt: null,
    description: null,
    tags: [],
    focal: null,
    ...more,
  }) as Asset;
const group = (...assets: Asset[]) => ({ assets, wastedBytes: 0 });

describe('of a group', () => {
  test.each([
    ['has the most pixels', { width: 200 }],
    ['has been written about', { alt: 'A harbour' }],
    ['has tags', { tags: ['sea'] }],
    ['is larger', { size: 11 }],
    ['was there first', { createdAt: '2026-01-01T00:00:00Z' }],
  ])('that is best which %s', (_why, more) => {
    expect(bestOf(group(asset('a'), asset('b', more), asset('c')))?.path).toBe('b');
  });

  test('pixels count more than words, and words more than bytes', () => {
    const large = asset('large', { width: 200 });
    const worded = asset('worded', { title: 'x' });
    expect(bestOf(group(worded, large))).toBe(large);
    expect(bestOf(group(asset('heavy', { size: 99 }), worded))).toBe(worded);
  });

  test('all but the best go', () => {
    expect(removedPaths(group(asset('a'), asset('b', { size: 11 }), asset('c')), new Map())).toEqual(['a', 'c']);
  });

  test('what somebody keeps stays, and what somebody does not keep goes', () => {
    const three = group(asset('a'), asset('b', { size: 11 }), asset('c'));
    expect(removedPaths(three, new Map([['a', true]]))).toEqual(['c']);
    expect(
      removedPaths(
        three,
        new Map([
          ['a', true],
          ['b', false],
        ]),
      ),
    ).toEqual(['b', 'c']);
  });

  test('nothing goes where nothing would stay', () => {
    expect(removedPaths(group(asset('a'), asset('b', { size: 11 })), new Map([['b', false]]))).toEqual([]);
  });
});
