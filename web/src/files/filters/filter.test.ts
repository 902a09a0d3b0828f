import { describe, expect, test } from 'vitest';
import { countFilters, isFiltering, NO_FILTER, readFilter, toggleTag } from './filter.ts';

describe('the filter of an address', () => {
  test('is what the address says, as far as it is a value', () => {
    expect(readFilter({ tag: ['alps', 'snow', 'alps'], minSize: 1048576, orientation: 'portrait' })).toEqual({
      tag: ['alps', 'snow'],
      minSize: 1_048_576,
      orientation: 'portrait',
    });
    expect(readFilter({ tag: 'alps', modifiedAfter: '2026-03-01' })).toEqual({
      tag: ['alps'],
      modifiedAfter: '2026-03-01',
    });
    const wrong = { tag: '', minSize: '-1', maxSize: 'many', orientation: 'round', modifiedBefore: '1.3.2026' };
    expect(isFiltering(readFilter(wrong))).toBe(false);
  });

  test('counts each tag, each bound and the kind', () => {
    expect(countFilters(NO_FILTER, undefined)).toBe(0);
    expect(countFilters(readFilter({ tag: ['a', 'b'], maxSize: 5 }), 'image')).toBe(4);
  });

  test('takes a tag in and lets go of it', () => {
    expect(toggleTag({ tag: ['a'] }, 'b')).toEqual(['a', 'b']);
    expect(toggleTag({ tag: ['a'] }, 'a')).toBeUndefined();
  });
});
