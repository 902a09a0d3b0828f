import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { imageLayer, textLayer } from '../src/image/layers/parameters.ts';
import { parseLayered } from '../src/image/layers/segment.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import { gifSteps, videoSteps } from '../src/video/steps/index.ts';
import { ROOT } from './source-files.ts';

const RULES = { outputSide: 8192, families: ['Noto Sans'] };
/** Contexts of a part: alone, or in one of these layers. */
const PLACES = ['', '~l_logo.png,', '~l_text:Hello,'];

const page = await readFile(join(ROOT, 'docs', 'url-languages.md'), 'utf8');
/** Darkroom's own spellings on the page: the second column of its tables, except addresses and presets. */
const spellings = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
  .filter((text) => /^~?[a-z]+_/.test(text) && !text.startsWith('n_'));

function isUnderstood(text: string): boolean {
  return [imageSteps, videoSteps, gifSteps].some((own) =>
    PLACES.some((place) => parseLayered(decodeURIComponent(place + text), own, [], RULES) !== undefined),
  );
}

test('the comparison of URL languages says nothing of ours that is not understood', () => {
  expect(spellings.length).toBeGreaterThan(60);
  expect(spellings.filter((text) => !isUnderstood(text))).toEqual([]);
});

test('it names every parameter', () => {
  const parts = spellings.flatMap((text) => text.replace(/^~/, '').split(','));
  const isNamed = (key: string) =>
    parts.some((part) => part === key || (/^[_:]/.test(part.slice(key.length)) && part.startsWith(key)));
  const keys = [imageSteps, videoSteps, imageLayer, textLayer].flatMap((list) => list.map(({ key }) => key));
  expect([...new Set(keys)].filter((key) => !isNamed(key))).toEqual([]);
});
