import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVariables } from '../src/config.ts';

test('docs/configuration.md names every variable with its default, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '..', 'docs', 'configuration.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, names = '', standard = ''] = line.split('|').map((cell) => cell.trim());
    const found = [...names.matchAll(/`([A-Z][A-Z_]+)`/g)].map((match) => match[1] ?? '');
    return found.map((name): [string, string] => [name, standard.replaceAll('`', '')]);
  });
  expect(Object.fromEntries(rows)).toEqual(describeVariables());
});
