import { expect, test } from 'vitest';
import { parsePath, ROOT } from '../path.ts';
import { cacheTag, cacheTagsOf } from './cache-tags.ts';

test('an original has its own tag and those of the folders that it is in', () => {
  const tags = cacheTagsOf(parsePath('products/shoes/red.jpg'));
  expect(tags).toEqual([
    cacheTag(parsePath('products/shoes/red.jpg')),
    cacheTag(ROOT),
    cacheTag(parsePath('products')),
    cacheTag(parsePath('products/shoes')),
  ]);
  expect(tags[0]).toBe('b9a3d9cb679555ae');
});

test('a tag is short and has no letter that a cache could read in another way', () => {
  for (const tag of cacheTagsOf(parsePath('Ä, b/c d.jpg'))) expect(tag).toMatch(/^[0-9a-f]{16}$/);
});

test('of deep folders the sixteen topmost have a tag', () => {
  const names = Array.from({ length: 40 }, (_, n) => `f${n}`);
  const tags = cacheTagsOf(parsePath([...names, 'photo.jpg'].join('/')));
  expect(tags).toHaveLength(18);
  expect(tags.at(-1)).toBe(cacheTag(parsePath(names.slice(0, 16).join('/'))));
});
