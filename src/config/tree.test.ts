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

test('every setting that is named like a secret is one', () => {
  const named = settings.filter(({ name }) => /SECRET|PASSWORD|TOKEN|SALT|_KEY\b|_KEY_/.test(name));
  const shown = named.filter(({ isSecret }) => !isSecret).map(({ name }) => name);
  // An access key is the name of an account, its secret another setting. The first one has no password in it.
  expect(shown).toEqual(['PASSWORD_SIGN_IN', 'STORAGE_ACCESS_KEY_ID']);
});
