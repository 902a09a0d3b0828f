import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatsPage, undescribed } from '../scripts/formats.ts';
import { corpus } from './corpus/index.ts';

const page = () => readFile(join(import.meta.dirname, '..', 'docs', 'formats.md'), 'utf8');

test('docs/formats.md is what the table of file types and the index of the corpus say', async () => {
  expect(await page()).toBe(formatsPage());
});

test('every type of picture is described, and every file of the corpus is in the table', async () => {
  expect(undescribed()).toEqual([]);
  const text = await page();
  expect(corpus.filter(({ what }) => !text.includes(what))).toEqual([]);
  expect([...text.matchAll(/, (\d+) files:/g)].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(corpus.length);
});
