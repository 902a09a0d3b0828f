import { expect, test } from 'vitest';
import { parsePath, splitWords } from '../path.ts';
import { foldName, isFoundPath, searchedWords } from './path-words.ts';

test('names are folded: no capitals, no accents, no compatibility forms', () => {
  expect(['Kyōto', 'ÜBER', 'İstanbul', 'ﬁx', '１２', 'が', '京都'].map(foldName)).toEqual([
    ...['kyoto', 'uber', 'istanbul', 'fix', '12', 'か', '京都'],
  ]);
});

test('words end at spaces and slashes, and parts of other words are left out', () => {
  expect(searchedWords('  Trips/Kyōto  kyo 2024 ')).toEqual(['trips', 'kyoto', '2024']);
  expect(searchedWords(' / ')).toEqual([]);
  expect(splitWords(' a b/')).toEqual(['a', 'b']);
});

test.each([
  ['img 12', 'a/IMG_0012.jpg', false, true],
  ['kyo', 'Kyōto/a.jpg', false, true],
  ['kyo', 'Kyōto', true, true],
  ['kyo', 'Kyōto/deep', true, false],
  ['kyo deep', 'Kyōto/deep', true, true],
  ['kyo x', 'Kyōto/a.jpg', false, false],
  ['', 'a.jpg', false, true],
  [' ', 'a.jpg', false, false],
])('"%s" in %s (folder: %s): %s', (search, path, isFolder, isFound) => {
  expect(isFoundPath(search, parsePath(path), parsePath(''), isFolder)).toBe(isFound);
});

test('the names of the searched folder and those above it do not count', () => {
  expect(isFoundPath('kyo', parsePath('Kyōto/a/b.jpg'), parsePath('Kyōto/a'), false)).toBe(false);
});
