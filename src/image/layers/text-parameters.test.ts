import { describe, expect, test } from 'vitest';
import { formatOptions, parseSegment } from '../../transformation/transformation.ts';
import { styleOf, textParameters, texts } from './text-parameters.ts';

const RULES = { outputSide: 8192, families: ['Noto Sans', 'Noto Sans Arabic'] };

const read = (segment: string) => parseSegment(segment, textParameters, [], RULES) ?? {};
const canonical = (segment: string) => formatOptions(read(segment), textParameters);

describe('the parameters of a text', () => {
  test('have one spelling, in one order, without defaults', () => {
    expect(canonical('co_white,ff_Noto Sans Arabic,lh_1.50,fi_1,w_300,fs_40,al_right,fw_700')).toBe(
      'ff_Noto Sans Arabic,fs_40,fw_700,fi_true,co_ffffff,w_300,al_right,lh_1.5',
    );
    expect(canonical('ff_Noto Sans,fs_32,fw_400,fi_false,co_black,al_left')).toBe('');
    expect(canonical('st_3:f00,b_00000080,pd_8:16:8:16,r_4:4:4:4')).toBe('st_3:ff0000,b_00000080,pd_8:16,r_4');
  });

  test('have no padding and no corners without a box', () => {
    expect(canonical('pd_8,r_max,fs_40')).toBe('fs_40');
  });

  test.each([
    ['fs_3', 'fs'],
    ['fs_513', 'fs'],
    ['fw_99', 'fw'],
    ['fw_901', 'fw'],
    ['w_0', 'w'],
    ['lh_0.79', 'lh'],
    ['lh_3.01', 'lh'],
    ['st_0:000', 'st'],
    ['st_21:000', 'st'],
    ['b_000,pd_2001', 'pd'],
  ])('refuse %s, naming the key', (segment, key) => {
    expect(() => read(segment)).toThrow(new RegExp(`\\b${key}\\b.*expected`));
  });

  test.each(['fs_4', 'fs_512', 'fw_100', 'fw_900', 'lh_0.8', 'lh_3', 'st_1:000000', 'st_20:000000'])(
    'take %s',
    (segment) => expect(canonical(segment)).toBe(segment),
  );

  test.each(['fi_yes', 'al_justify', 'st_3', 'st_3:000:1', 'co_red', 'fs_4.5', 'fs_big', 'ff_'])(
    'do not know the form of %s',
    (segment) => expect(parseSegment(segment, textParameters, [], RULES)).toBeUndefined(),
  );

  test('name the families that there are when one is unknown', () => {
    expect(() => read('ff_noto sans arabic')).toThrow(/one of Noto Sans, Noto Sans Arabic/);
    expect(() => read('ff_Comic Sans')).toThrow(/ff.*Noto Sans, Noto Sans Arabic.*Comic Sans/);
  });

  test('take any family where nobody knows yet which there are', () => {
    const options = parseSegment('ff_Comic Sans', textParameters, [], { outputSide: 8192 });
    expect(options).toEqual({ family: 'Comic Sans' });
  });

  test('are multiplied where they are lengths', () => {
    const options = read('fs_40,w_300,st_3:000,b_fff,pd_8:16,r_4,lh_1.5,fw_700');
    const scaled = textParameters.flatMap(({ name, scale }) => {
      const value = options[name];
      return scale && value !== undefined
        ? [[name, (scale as (value: unknown, factor: number) => unknown)(value, 1.5)]]
        : [];
    });
    expect(Object.fromEntries(scaled)).toEqual({
      fontSize: 60,
      wrapWidth: 450,
      outline: { width: 5, colour: { red: 0, green: 0, blue: 0, alpha: 255 } },
      boxPadding: { top: 12, right: 24, bottom: 12, left: 24 },
      boxRadius: [6, 6, 6, 6],
    });
  });

  test('become a style with all defaults', () => {
    expect(styleOf('Hello', read('fs_40'), 800)).toEqual({
      text: 'Hello',
      family: 'Noto Sans',
      size: 40,
      weight: 400,
      isItalic: false,
      colour: { red: 0, green: 0, blue: 0, alpha: 255 },
      wrapWidth: 800,
      align: 'left',
    });
    expect(styleOf('Hello', read('w_100,b_fff,pd_1'), 800)).toMatchObject({
      wrapWidth: 100,
      box: { padding: { top: 1, right: 1, bottom: 1, left: 1 }, radius: [0, 0, 0, 0] },
    });
  });
});

describe('a text', () => {
  const reading = (text: string) => texts.parse(text, RULES);

  test('may have any letters, marks, signs and line breaks', () => {
    for (const text of [
      'Hello',
      '<b>&amp;',
      'a\nb',
      'שלום',
      '👩‍👩‍👧 🇨🇭',
      '\u202etxet',
      'e\u0301\u0302',
      '\u00ad\u200b',
    ]) {
      expect(reading(text)).toEqual({ value: text });
    }
  });

  test.each(['\u0000', '\t', '\r', '\u001b', '\u007f', '\u0085'])(
    'has no control characters such as %j',
    (character) => {
      expect(reading(`a${character}b`)).toEqual({ expected: 'text without control characters, except line breaks' });
    },
  );

  test('has at most 500 characters, however many bytes or units they are', () => {
    expect(reading('😀'.repeat(500))).toHaveProperty('value');
    expect(reading('😀'.repeat(501))).toEqual({ expected: 'at most 500 characters' });
  });

  test('is not empty', () => expect(reading('')).toBeUndefined());

  test('has no half of a pair', () => expect(reading('a\ud800b')).toEqual({ value: 'a\ufffdb' }));
});
