import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpProblem } from '../../errors.ts';
import { parsePath } from '../../path.ts';
import { videoSteps } from '../../video/steps/index.ts';
import { imageSteps } from '../steps/index.ts';
import { writeSource } from './names.ts';
import { formatLayered, parseLayered } from './segment.ts';

const rules = { outputSide: 8192 };
const read = (segment: string) => parseLayered(segment, imageSteps, [videoSteps], rules);

/** The canonical text; undefined for a folder name. */
function textOf(segment: string): string | undefined {
  const options = read(segment);
  return options && formatLayered(options, imageSteps);
}

function problem(segment: string): string {
  try {
    read(segment);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.message;
    throw error;
  }
  throw new Error(`${segment} is no problem`);
}

describe('a segment with layers', () => {
  test.each([
    ['w_400~l_logo.png', 'w_400~l_logo.png'],
    ['l_logo.png', 'l_logo.png'],
    ['~l_logo.png', 'l_logo.png'],
    ['w_400~l_logo.png,y_1,x_2,g_se', 'w_400~l_logo.png,g_south_east,x_2,y_1'],
    ['h_5,w_4~l_a.png~l_b.png~l_a.png', 'w_4,h_5~l_a.png~l_b.png~l_a.png'],
    ['w_4~l_brand:marks:logo.png', 'w_4~l_brand:marks:logo.png'],
    ['w_4~l_brand%2Flogo.png', 'w_4~l_brand:logo.png'],
    ['w_4~l_a%2Cb%7Ec%3Ad.png', 'w_4~l_a%2Cb%7Ec%3Ad.png'],
    ['w_4~l_100%.png', 'w_4~l_100%25.png'],
    ['w_4~l_größe.png', 'w_4~l_gr%C3%B6%C3%9Fe.png'],
    ['w_4~l_logo.png,x_0,y_0,o_100,bl_normal,g_center,c_fill', 'w_4~l_logo.png'],
    ['w_4~l_logo.png,w_0.50,x_-0.1,y_1.0', 'w_4~l_logo.png,w_0.5,x_-0.1,y_1.0'],
    ['w_4~l_logo.png,w_1', 'w_4~l_logo.png,w_1'],
    ['w_4~l_logo.png,w_1.0', 'w_4~l_logo.png,w_1.0'],
    ['w_4~l_logo.png,sd_2:-2:04:F00', 'w_4~l_logo.png,sd_2:-2:4:ff0000'],
    ['w_4~l_logo.png,e_blur,a_hflip,r_5,rg_0:0:5:5,tl_0', 'w_4~l_logo.png,rg_0:0:5:5,e_blur,r_5,a_hflip,tl_0'],
    ['w_4~l_logo.png,w_30,ar_32:18', 'w_4~l_logo.png,ar_16:9,w_30'],
    ['w_4~l_text:Hello', 'w_4~l_text:Hello'],
    ['w_4~l_text:a:b', 'w_4~l_text:a%3Ab'],
    ['w_4~l_%74ext:logo.png', 'w_4~l_%74ext:logo.png'],
    ['w_4~l_text', 'w_4~l_text'],
  ])('%s is %s', (segment, text) => {
    expect(textOf(segment)).toBe(text);
    expect(textOf(text)).toBe(text);
  });

  test('tells a text from a picture in a folder of that name', () => {
    expect(read('l_text:logo.png')?.layers).toEqual([{ kind: 'text', text: 'logo.png', options: {} }]);
    expect(read('l_%74ext:logo.png')?.layers).toEqual([
      { kind: 'picture', path: parsePath('text/logo.png'), options: {} },
    ]);
  });

  test.each([
    'w_400~',
    'w_400~logo.png',
    'w_400~l_logo.png~',
    'w_400~l_',
    'w_400~l_logo.png,q_80',
    'w_400~l_logo.png,dpr_2',
    'w_400~l_logo.png,foo_1',
    'foo_1~l_logo.png',
    'w_400~l_text:',
    'w_400~l_text:Hello,c_fit',
    'archive~2024',
    'a~l_b~c',
    'w_4~l_logo.png,x_1.',
    'w_4~l_logo.png,w_-1',
  ])('is a folder name where a part of it has another form: %s', (segment) => {
    expect(textOf(segment)).toBe(undefined);
  });

  test.each([
    ['w_4~l_logo.png,w_9000', 'Parameter "w": expected 1 to 8192 pixels, or a share from 0.01 to 1.0, received "9000"'],
    ['w_4~l_logo.png,w_1.1', 'Parameter "w"'],
    ['w_4~l_logo.png,w_0.001', 'Parameter "w"'],
    ['w_4~l_logo.png,x_-8193', 'Parameter "x": expected -8192 to 8192 pixels, or a share from -1.0 to 1.0'],
    ['w_4~l_logo.png,y_1.01', 'Parameter "y"'],
    ['w_4~l_logo.png,tl_2001', 'Parameter "tl"'],
    ['w_4~l_logo.png,sd_0:0:51:000', 'Parameter "sd"'],
    ['w_4~l_logo.png,o_101', 'Parameter "o"'],
    [`w_4${'~l_a.png'.repeat(9)}`, 'Expected at most 8 layers, received 9.'],
    ['w_4~l_..:secret.png', 'Expected names without'],
    ['w_4~l_a%00.png', 'Expected names without'],
    ['w_4~l_%FF.png', 'Parameter "l": expected percent-encoded UTF-8, received "%FF.png"'],
    [`w_4~l_text:${'x'.repeat(501)}`, 'Parameter "l": expected at most 500 characters, received "xxx'],
    ['w_4~l_text:a%07b', 'Parameter "l": expected text without control characters, except line breaks'],
    ['w_4,dpr_4~l_logo.png,w_4000', 'Parameter "w": expected 1 to 8192 pixels'],
  ])('%s is refused', (segment, message) => {
    expect(problem(segment)).toContain(message);
  });

  test('may have 8 layers, and a text of 500 characters beyond the first 65,536', () => {
    expect(read(`w_4${'~l_a.png'.repeat(8)}`)?.layers).toHaveLength(8);
    expect(read(`l_text:${'😀'.repeat(500)}`)?.layers).toHaveLength(1);
  });

  test('multiplies the lengths of its layers by dpr, and no share', () => {
    expect(textOf('w_200,dpr_2~l_logo.png,w_50,h_0.5,x_3,y_-0.1,r_4,tl_7,sd_1:2:3:000,e_blur:5,rg_1:1:9:9')).toBe(
      'w_400~l_logo.png,rg_1:1:9:9,w_100,h_0.5,e_blur,r_8,x_6,y_-0.1,tl_14,sd_2:4:6:000000',
    );
  });
});

describe('any layers', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((one) => !/[\\/\p{Cc}]/u.test(one) && one !== '.' && one !== '..' && one.isWellFormed());
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => parsePath(names.join('/')));
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((one) => !/[^\P{Cc}\n]/u.test(one) && one.isWellFormed());
  const source = fc.oneof(
    path.map((one) => ({ kind: 'picture' as const, path: one })),
    text.map((one) => ({ kind: 'text' as const, text: one })),
  );
  const offset = fc.oneof(
    fc.integer({ min: -8192, max: 8192 }).map(String),
    fc.integer({ min: -100, max: 100 }).map((share) => (share / 100).toFixed(2)),
  );
  const word = fc.oneof(
    offset.map((value) => `x_${value}`),
    offset.map((value) => `y_${value}`),
    fc.constantFrom('g_north', 'g_se', 'g_center', 'bl_multiply', 'bl_normal', 'tl_5', 'a_90', 'a_-10', 'sd_1:2:3:abc'),
    fc.integer({ min: 0, max: 100 }).map((share) => `o_${share}`),
  );
  const layer = fc
    .tuple(source, fc.array(word, { maxLength: 5 }))
    .map(([of, words]) => [`l_${writeSource(of)}`, ...words].join(','));
  const segment = fc
    .tuple(fc.constantFrom('', 'w_40', 'e_blur,h_7', 'f_png,b_fff'), fc.array(layer, { minLength: 1, maxLength: 8 }))
    .map(([base, layers]) => (base === '' ? layers : [base, ...layers]).join('~'));

  test('are read from their canonical text as they were', () => {
    fc.assert(
      fc.property(segment, (written) => {
        const options = read(written);
        const canonical = options && formatLayered(options, imageSteps);
        expect(canonical && read(canonical)).toEqual(options);
        expect(canonical && textOf(canonical)).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });

  test('keep their names and texts, whatever these hold', () => {
    fc.assert(
      fc.property(fc.array(source, { minLength: 1, maxLength: 8 }), (sources) => {
        const written = sources.map((of) => `l_${writeSource(of)}`).join('~');
        expect(read(written)?.layers?.map(({ options, ...of }) => of)).toEqual(sources);
      }),
      { numRuns: 2000 },
    );
  });
});
