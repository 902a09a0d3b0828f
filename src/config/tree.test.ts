import { expect, test } from 'vitest';
import { listOfSettings } from './setting.ts';
import { settings, tree } from './tree.ts';

test('every setting has a name of its own, a section of the page and a meaning', () => {
  const names = settings.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(settings.filter(({ section, about }) => section === undefined || about === '')).toEqual([]);
  expect(settings).toHaveLength(listOfSettings(tree).length);
});

test('every setting has a format that errors describe', () => {
  const errors = settings.map((setting) => setting.read('\0'));
  const lines = errors.flatMap((reading) => ('error' in reading ? [reading.error] : []));
  expect(lines.length).toBeGreaterThan(100);
  for (const line of lines) expect(line).toMatch(/^[A-Z_]+: expected (?!undefined).+, received .+$/);
});
