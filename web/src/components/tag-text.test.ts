import { expect, test } from 'vitest';
import { suggestionsOf, typedTags, withText } from './tag-text.ts';

const all = ['night', 'knight', 'nature', 'Nice'].map((tag, at) => ({ tag, count: at + 1 }));

test('commas separate tags, and the rest is being typed', () => {
  expect(typedTags(['a'], 'b, c , a, d')).toEqual({ tags: ['a', 'b', 'c'], text: 'd' });
  expect(typedTags(['a'], 'b')).toEqual({ tags: ['a'], text: 'b' });
  expect(typedTags([], 'b,')).toEqual({ tags: ['b'], text: '' });
});

test('a text becomes tags without spaces around them, each once', () => {
  expect(withText(['a'], ' b , ,a')).toEqual(['a', 'b']);
  expect(withText(['a'], '  ')).toEqual(['a']);
});

test('suggestions contain the text: first those that begin with it, then those of more files', () => {
  expect(suggestionsOf(all, [], 'ni').map(({ tag }) => tag)).toEqual(['Nice', 'night', 'knight']);
  expect(suggestionsOf(all, ['Nice'], 'NI ').map(({ tag }) => tag)).toEqual(['night', 'knight']);
});
