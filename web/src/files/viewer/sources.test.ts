import { expect, test } from 'vitest';
import { pagesOf, sourceFor } from './sources.ts';

const MB = 1024 * 1024;
const photo = { type: 'image/jpeg', size: 8 * MB, width: 6000, frames: null, problem: null };

test('a photo is shown by the next larger of a few widths', () => {
  expect(sourceFor(photo, 900)).toBe('w_1280,c_fit,q_85,f_webp');
  expect(sourceFor(photo, 1921)).toBe('w_2560,c_fit,q_85,f_webp');
});

test('beyond them the original shows each pixel, unless it is too large or no browser knows its type', () => {
  expect([sourceFor(photo, 6000), sourceFor({ ...photo, width: 3000 }, 3000)]).toEqual(['', '']);
  expect(sourceFor({ ...photo, size: 65 * MB }, 6000)).toBe('w_3840,c_fit,q_85,f_webp');
  expect(sourceFor({ ...photo, type: 'image/vnd.adobe.photoshop' }, 6000)).toBe('w_3840,c_fit,q_85,f_webp');
});

test('no variant is wider than its original, except of drawings', () => {
  expect(sourceFor({ ...photo, width: 1000 }, 900)).toBe('w_1000,c_fit,q_85,f_webp');
  expect(sourceFor({ ...photo, type: 'image/svg+xml', width: 100 }, 900)).toBe('w_1280,c_fit,q_85,f_webp');
});

test('small files and animations are shown as they are, and so is what only a browser may know', () => {
  expect(sourceFor({ ...photo, size: 4000 }, 900)).toBe('');
  expect(sourceFor({ ...photo, problem: 'The image cannot be decoded completely.' }, 900)).toBe('');
  expect(sourceFor({ ...photo, type: 'image/gif', frames: 12 }, 900)).toBe('');
  expect(sourceFor({ ...photo, type: 'image/gif', frames: null }, 900)).toBe('w_1280,c_fit,q_85,f_webp');
});

test('documents have pages, animations do not', () => {
  const pdf = { type: 'application/pdf', size: MB, width: 595, frames: 3, problem: null };
  expect([pagesOf(pdf), pagesOf({ ...pdf, type: 'image/gif' }), pagesOf({ ...pdf, frames: null })]).toEqual([3, 1, 1]);
  expect(sourceFor(pdf, 900, 2)).toBe('pg_2,w_1280,c_fit,q_85,f_webp');
});
