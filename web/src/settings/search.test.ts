import { expect, test } from 'vitest';
import type { Setting } from '../api/settings.ts';
import { settingsFound, summaryOf } from './search.ts';

const setting = (name: string, description: string, group: string, isSet = false): Setting => ({
  name,
  value: null,
  default: null,
  isSet,
  isSecret: false,
  description,
  group,
  documentation: 'configuration',
});
const ALL = [
  setting('PORT', 'Port to listen on.', 'Service', true),
  setting('CACHE_MAX_SIZE_MB', 'Size of the cache. More.', 'Cache'),
  setting('CACHE_MEMORY_MB', 'Memory, less than `CACHE_MAX_SIZE_MB`.', 'Cache'),
];
const names = (text: string, isSetOnly = false) =>
  settingsFound(ALL, text, isSetOnly).map(([group, found]) => [group, ...found.map(({ name }) => name)]);

test('settings are found by words of their name or meaning, in their sections', () => {
  expect(names('')).toEqual([
    ['Service', 'PORT'],
    ['Cache', 'CACHE_MAX_SIZE_MB', 'CACHE_MEMORY_MB'],
  ]);
  expect(names('memory less')).toEqual([['Cache', 'CACHE_MEMORY_MB']]);
  expect(names('LISTEN')).toEqual([['Service', 'PORT']]);
  expect(names('nothing')).toEqual([]);
  expect(names('', true)).toEqual([['Service', 'PORT']]);
});

test('a part of a name does not find settings that mention it', () => {
  expect(names('cache_max')).toEqual([['Cache', 'CACHE_MAX_SIZE_MB']]);
});

test('the summary is the first sentence', () => {
  expect(summaryOf({ description: 'Size, e.g. 3 MB; 0: none. Default: `x`.' })).toBe('Size, e.g. 3 MB; 0: none.');
});
