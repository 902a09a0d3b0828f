import { expect, test } from 'vitest';
import { bytesIn, bytesText, countIn, linesIn, presetsIn, presetsText } from './values.ts';

function dataOf(text: string): FormData {
  const data = new FormData();
  data.set('field', text);
  return data;
}

test.each([
  ['', null],
  ['1', 1],
  ['500 MB', 500 * 1024 ** 2],
  ['1.5gb', 1.5 * 1024 ** 3],
  ['2 T', 2 * 1024 ** 4],
  ['1,024 KB', 1024 ** 2],
])('a size of %j is %j', (text, bytes) => {
  expect(bytesIn(dataOf(text), 'field')).toBe(bytes);
});

test.each(['0', '-1', 'much', '5 eggs', '9999999 PB', '1.2.3 MB'])('%j is no size', (text) => {
  expect(() => bytesIn(dataOf(text), 'field')).toThrow(`Write a size such as 500 MB instead of “${text}”.`);
});

test('a size as text is the same size again', () => {
  for (const bytes of [null, 1, 1023, 1024, 1025, 5 * 1024 ** 3, 123_456_789])
    expect(bytesIn(dataOf(bytesText(bytes)), 'field')).toBe(bytes);
});

test('counts are whole numbers from 1', () => {
  expect(countIn(dataOf(''), 'field')).toBeNull();
  expect(countIn(dataOf('1,000'), 'field')).toBe(1000);
  for (const text of ['0', '1.5', 'a']) expect(() => countIn(dataOf(text), 'field')).toThrow('Write a whole number');
});

test('lists have an entry a line, or are separated by commas', () => {
  expect(linesIn(dataOf(' a.example \n\nb.example, c.example'), 'field')).toEqual([
    'a.example',
    'b.example',
    'c.example',
  ]);
  expect(linesIn(dataOf(''), 'field')).toEqual([]);
});

test('presets are lines of a name and a transformation, which may contain equals signs', () => {
  const presets = { thumb: 'w_400,c_fill', note: 'l_text:a=b' };
  expect(presetsIn(dataOf('thumb = w_400,c_fill\n\nnote=l_text:a=b'), 'field')).toEqual(presets);
  expect(presetsIn(dataOf(presetsText(presets)), 'field')).toEqual(presets);
  expect(presetsIn(dataOf(''), 'field')).toBeNull();
  for (const text of ['thumb', '= w_1', 'thumb ='])
    expect(() => presetsIn(dataOf(text), 'field')).toThrow(`Write “name = transformation” instead of “${text}”.`);
});
