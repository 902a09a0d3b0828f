import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpProblem } from '../errors.ts';
import { imageSteps } from '../image/steps/index.ts';
import { videoSteps } from '../video/steps/index.ts';
import { formatOptions, parseSegment } from './transformation.ts';

const limits = { outputSide: 8192 };

const parseImage = (segment: string) => parseSegment(segment, imageSteps, [videoSteps], limits);
const parseVideo = (segment: string) => parseSegment(segment, videoSteps, [imageSteps], limits);

/** Returns the canonical text on an image; undefined for a folder name. */
function imageText(segment: string): string | undefined {
  const options = parseImage(segment);
  return options && formatOptions(options, imageSteps);
}

/** Returns the canonical text on a video; undefined for a folder name. */
function videoText(segment: string): string | undefined {
  const options = parseVideo(segment);
  return options && formatOptions(options, videoSteps);
}

const word = (key: string, values: fc.Arbitrary<string | number>) => values.map((value) => `${key}_${value}`);
const whole = (min: number, max: number) => fc.integer({ min, max });
const pixels = whole(1, limits.outputSide);
const side = fc.oneof(
  whole(1, 99_999),
  fc.tuple(whole(0, 99_999), whole(1, 9999)).map(([units, rest]) => `${units}.${String(rest).padStart(4, '0')}`),
);
const seconds = fc.oneof(
  whole(0, 86_400),
  whole(0, 86_400_000).map((ms) => ms / 1000),
);
const hex = fc.constantFrom('f00', '00ff00', 'FFFFFF', '11223344', 'ABC', 'aabbccff');
const radius = fc.array(whole(0, 500), { minLength: 1, maxLength: 4 }).map((values) => values.join(':'));
const crops = 'fill fit scale crop pad lfill fill_pad limit mfit thumb lpad'.split(' ');
const directions =
  'center north south east west north_east sw ne c n s e w north_center faces face auto focal fp:0.25:0.75 fp:1:0'.split(
    ' ',
  );

/** One arbitrary part for each image parameter. */
const imageWords = [
  word('w', pixels),
  word('h', pixels),
  word('c', fc.constantFrom(...crops)),
  fc.tuple(side, side).map(([width, height]) => `ar_${width}:${height}`),
  word('a', fc.oneof(whole(-1000, 1000), fc.constant('auto'))),
  word('g', fc.constantFrom(...directions)),
  fc.tuple(fc.constantFrom('b_', 'bg_', 'b_rgb:', 'bg_rgb:'), hex).map(([key, digits]) => key + digits),
  word('r', fc.oneof(radius, fc.constant('max'))),
  word('q', fc.oneof(whole(1, 100), fc.constant('auto'))),
  word('f', fc.constantFrom('avif', 'webp', 'jpeg', 'jpg', 'png', 'gif', 'auto')),
];

const videoWords = [
  word('so', seconds),
  word('eo', seconds),
  word('w', pixels),
  word('h', pixels),
  word('c', fc.constantFrom(...crops)),
  word('b', hex),
  word('q', fc.oneof(whole(1, 100), fc.constant('auto'))),
  word('f', fc.constantFrom('mp4', 'webm', 'mov', 'webp', 'jpg', 'auto')),
  word('t', fc.constantFrom('true', 'false', '1', '0')),
  fc.tuple(fc.constantFrom('tt_', 'thumbnail_time_'), seconds).map(([key, value]) => key + value),
];

/** Picks some of the parts, each at most once, in any order. */
const someOf = (words: fc.Arbitrary<string>[]) =>
  fc.tuple(...words).chain((all) => fc.shuffledSubarray(all, { minLength: 1 }));

describe.each([
  ['picture', imageWords, imageText, parseImage],
  ['video', videoWords, videoText, parseVideo],
] as const)('any transformation of a %s', (_kind, words, canonical, parse) => {
  test('has a canonical text that means the same and is its own canonical text', () => {
    fc.assert(
      fc.property(someOf([...words]), (parts) => {
        const text = canonical(parts.join(',')) as string;
        if (text !== '') expect(parse(text)).toEqual(parse(parts.join(',')));
        expect(canonical(text) ?? '').toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test('means the same in any order', () => {
    const twoOrders = someOf([...words]).chain((parts) =>
      fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })),
    );
    fc.assert(
      fc.property(twoOrders, ([one, other]) => {
        expect(canonical(one.join(','))).toBe(canonical(other.join(',')));
      }),
    );
  });
});

describe('one canonical text', () => {
  test.each([
    ['h_300,w_400', 'w_400,h_300'],
    ['f_webp,q_70,w_400', 'w_400,q_70,f_webp'],
    ['w_0400', 'w_400'],
    ['f_jpg', 'f_jpeg'],
    ['bg_rgb:FF0000', 'b_ff0000'],
    ['b_f00', 'b_ff0000'],
    ['b_ff0000ff', 'b_ff0000'],
    ['b_white', 'b_ffffff'],
    ['b_black', 'b_000000'],
    ['b_transparent', 'b_00000000'],
    ['b_rgb:11223344', 'b_11223344'],
    ['w_9,h_9,c_limit', 'w_9,h_9,c_fit'],
    ['w_9,h_9,c_mfit', 'w_9,h_9,c_fit'],
    ['w_9,h_9,c_thumb', 'w_9,h_9,c_crop'],
    ['w_9,h_9,c_lpad', 'w_9,h_9,c_pad'],
    ['w_9,h_9,g_c', 'w_9,h_9,g_center'],
    ['w_9,h_9,g_n', 'w_9,h_9,g_north'],
    ['w_9,h_9,g_fp:0.30:00.70004', 'w_9,h_9,g_fp:0.3:0.7'],
    ['w_9,h_9,g_fp:1:0', 'w_9,h_9,g_fp:1:0'],
    ['w_9,h_9,g_s', 'w_9,h_9,g_south'],
    ['e_blur:10', 'e_blur'],
    ['a_vflip', 'a_hflip.180'],
    ['a_hflip.vflip.90', 'a_270'],
    ['a_hflip.0', 'a_hflip'],
    ['rg_010:0:5:0.50', 'rg_10:0:5:0.5'],
    ['rg_0.0:0.25:1.00:1.0', 'rg_0.0:0.25:1.0:1.0'],
    ['w_9,z_2.50', 'w_9,z_2.5'],
    ['w_9,el_0', 'w_9,el_false'],
    ['pd_1:2:1:2', 'pd_1:2'],
    ['pd_3:3:3', 'pd_3'],
    ['b_blur:20', 'b_blur'],
    ['b_blur:007.50', 'b_blur:7.5'],
    ['bo_3:FFF', 'bo_3:ffffff'],
    ['w_100,dpr_1.5', 'w_150'],
    ['e_blur:3.14159,w_9', 'w_9,e_blur:3.14'],
    ['e_contrast:-07,e_blur', 'e_blur,e_contrast:-7'],
    ['e_grayscale:1', 'e_grayscale'],
    ['e_tint:F80:100', 'e_tint:ff8800'],
    ['e_tint:white:20', 'e_tint:ffffff:20'],
    ['e_duotone:black:fff', 'e_duotone:000000:ffffff'],
    ['w_9,h_9,g_e', 'w_9,h_9,g_east'],
    ['w_9,h_9,g_w', 'w_9,h_9,g_west'],
    ['w_9,h_9,g_north_center', 'w_9,h_9,g_north'],
    ['w_9,h_9,g_faces', 'w_9,h_9,g_face'],
    ['w_9,h_9,g_face_center', 'w_9,h_9,g_face'],
    ['w_9,h_9,g_north_east', 'w_9,h_9,g_north_east'],
    ['ar_32:18', 'ar_16:9'],
    ['ar_1.5:1', 'ar_3:2'],
    ['a_450', 'a_90'],
    ['a_-90', 'a_270'],
    ['a_999999999999999999990', 'a_270'],
    ['r_5:5:5:5', 'r_5'],
    ['r_1:2:1:2', 'r_1:2'],
    ['r_1:2:3:2', 'r_1:2:3'],
    ['r_1:2:3:4', 'r_1:2:3:4'],
    ['r_max', 'r_max'],
    ['q_auto', 'q_auto'],
  ])('%s is %s', (segment, text) => {
    expect(imageText(segment)).toBe(text);
  });

  test.each([
    'c_fill',
    'w_9,h_9,c_fill',
    'w_9,h_9,c_lfill',
    'w_9,h_9,c_fill_pad',
    'w_9,h_9,g_focal',
    'w_9,h_9,q_85',
    'w_9,h_9,f_auto',
    'w_9,h_9,a_auto',
    'w_9,h_9,a_0',
    'w_9,h_9,a_360',
    'w_9,h_9,e_hue:0',
    'w_9,h_9,z_1',
    'w_9,h_9,el_true',
    'w_9,h_9,pd_0:0:0:0',
    'w_9,h_9,o_100',
    'w_9,h_9,dpr_1',
    'w_9,h_9,e_brightness:-0',
    'w_9,h_9,e_negate:false',
    'w_9,h_9,r_0',
    'w_9,h_9,r_0:0:0:0',
  ])('a default spelled out vanishes: %s', (segment) => {
    expect(imageText(segment)).toBe(segment.startsWith('w') ? 'w_9,h_9' : '');
  });

  test.each([
    ['c_pad', ''],
    ['w_9,g_north', 'w_9'],
    ['w_9,h_9,c_scale,g_north', 'w_9,h_9,c_scale'],
    ['w_9,h_9,c_pad,g_fp:0.2:0.3', 'w_9,h_9,c_pad'],
    ['ar_1:1,g_north', 'ar_1:1,g_north'],
    ['q_30,f_png', 'f_png'],
  ])('a parameter without effect vanishes: %s is "%s"', (segment, text) => {
    expect(imageText(segment)).toBe(text);
  });

  test.each([
    ['q_75', ''],
    ['q_auto', ''],
    ['f_auto', ''],
    ['f_mp4', ''],
    ['t_0', ''],
    ['t_false,w_90', 'w_90'],
    ['t_1', 't_true'],
    ['t_true,thumbnail_time_5', 't_true,tt_5'],
    ['t_true,tt_0', 't_true'],
    ['tt_5', ''],
    ['so_1.50,eo_3', 'so_1.5,eo_3'],
    ['so_0,t_true,tt_0', 't_true'],
  ])('on a video %s is "%s"', (segment, text) => {
    expect(videoText(segment)).toBe(text);
  });
});

describe('parts', () => {
  test('that are empty are dropped', () => {
    expect(imageText(',,w_400,,h_300,')).toBe('w_400,h_300');
  });

  test.each([
    ['w_1,w_2', 'w_2'],
    ['b_f00,bg_00f', 'b_0000ff'],
    ['w_0,w_300', 'w_300'],
    ['f_mp4,f_webp', 'f_webp'],
  ])('repeated: the last wins, %s is %s', (segment, text) => {
    expect(imageText(segment)).toBe(text);
  });
});

describe('a segment that is a folder name', () => {
  test.each([
    '',
    ',',
    'photos',
    'my_photos',
    'w_',
    'w_-5',
    'w_+5',
    'w_1.5',
    'w_1e3',
    'w_abc',
    ' w_5',
    'W_5',
    'w_400,photos',
    'w_400 ',
    'width_400',
    'w400',
    'c_circle',
    'c_Fill',
    'g_middle',
    'a_hflip.hflip.vflip',
    'a_90.hflip',
    'a_hflip.',
    'rg_1:2:3',
    'rg_1:2:3:4:5',
    'rg_-1:2:3:4',
    'rg_1:2:3:4e1',
    'z_x',
    'el_maybe',
    'pd_1:2:3:4:5',
    'pd_-1',
    'b_blur:',
    'b_blur:x',
    'bo_3',
    'bo_3:nothing',
    'bo_3:fff:1',
    'o_half',
    'dpr_2x',
    'e_',
    'e_blur:',
    'e_blur_3',
    'e_blur:3:4',
    'e_blur:-3',
    'e_blur:a',
    'e_brightness',
    'e_brightness:',
    'e_brightness:+5',
    'e_tint',
    'e_tint:rgb:fff',
    'e_tint:fff:',
    'e_tint:fff:5:5',
    'e_duotone:fff',
    'e_duotone:fff:000:111',
    'e_duotone:fff:transparent',
    'e_sparkle',
    'e_grayscale:yes',
    'g_fp',
    'g_fp:0.5',
    'g_fp:0.5:0.5:0.5',
    'g_fp:-0.5:0.5',
    'g_fp:.5:1e-1',
    'g_fp:a:b',
    'a_90.5',
    'a_left',
    'ar_16x9',
    'ar_16',
    'ar_-1:1',
    'b_red',
    'b_12345',
    'b_constructor',
    'b_toString',
    'b___proto__',
    'g_constructor',
    'f___proto__',
    '__proto___1',
    'constructor_1',
    'r_1:2:3:4:5',
    'r_',
    'q_high',
    'q_8.5',
    'f_psd',
    'f_avi',
    'f_mp3',
    'f_wav',
    'f_ogg',
    'f_pdf',
    'f_tiff',
    't_yes',
    'so_1.',
    'so_-1',
    'wörter_1',
  ])('%j', (segment) => {
    expect(parseImage(segment)).toBeUndefined();
    expect(parseVideo(segment)).toBeUndefined();
  });
});

describe('a value out of range is 400 and names the parameter, the expected form and the received text', () => {
  const pixelRange = 'a whole number from 1 to 8192 pixels';
  test.each([
    ['w_0', `Parameter "w": expected ${pixelRange}, received "0".`],
    ['w_99999', `Parameter "w": expected ${pixelRange}, received "99999".`],
    ['w_8193', `Parameter "w": expected ${pixelRange}, received "8193".`],
    ['h_0', `Parameter "h": expected ${pixelRange}, received "0".`],
    [`w_${'9'.repeat(400)}`, `Parameter "w": expected ${pixelRange}, received "${'9'.repeat(100)}…".`],
    ['q_0', 'Parameter "q": expected a whole number from 1 to 100, received "0".'],
    ['q_101', 'Parameter "q": expected a whole number from 1 to 100, received "101".'],
    ['ar_0:1', 'Parameter "ar": expected two numbers greater than 0, such as 16:9, received "0:1".'],
    ['ar_1:0', 'Parameter "ar": expected two numbers greater than 0, such as 16:9, received "1:0".'],
    ['w_100,q_101', 'Parameter "q": expected a whole number from 1 to 100, received "101".'],
    ['w_300,w_0', `Parameter "w": expected ${pixelRange}, received "0".`],
  ])('%.20s on a picture', (segment, message) => {
    expect(() => parseImage(segment)).toThrow(message);
    expect(() => parseImage(segment)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test.each(['f_mp4', 'f_webm', 'f_mov', 'w_300,f_mp4'])('%s on a picture: a video format', (segment) => {
    expect(() => parseImage(segment)).toThrow(/^Parameter "f": expected avif, webp, .*, received "(mp4|webm|mov)"\.$/);
  });

  test('a folder name beside it makes the whole a folder name', () => {
    expect(parseImage('w_0,photos')).toBeUndefined();
  });

  test('the largest side that may be asked for is a setting', () => {
    expect(parseSegment('w_500', imageSteps, [], { outputSide: 500 })).toEqual({ width: 500 });
    expect(() => parseSegment('w_501', imageSteps, [], { outputSide: 500 })).toThrow('from 1 to 500 pixels');
  });
});

describe('a parameter that means nothing for the kind of file is ignored', () => {
  test.each([
    ['so_5', ''],
    ['so_5,eo_2,w_300', 'w_300'],
    ['t_true', ''],
    ['thumbnail_time_3,w_300', 'w_300'],
  ])('%s on a picture is "%s"', (segment, text) => {
    expect(imageText(segment)).toBe(text);
  });

  test.each([
    ['r_20,w_300', 'w_300'],
    ['g_face,w_300,h_300', 'w_300,h_300'],
    ['a_90', ''],
    ['ar_16:9', ''],
  ])('%s on a video is "%s"', (segment, text) => {
    expect(videoText(segment)).toBe(text);
  });
});

test('any text is a transformation, a folder name or a 400, never another error', () => {
  const pieces = fc.oneof(
    fc.constantFrom('w', 'h', 'c', 'ar', 'a', 'g', 'b', 'bg', 'r', 'q', 'f', 'so', 'eo', 't', 'tt', 'thumbnail_time'),
    fc.constantFrom('_', ',', ':', '.', '-', '0', '1', 'auto', 'max', 'rgb:', 'fff', '__proto__', 'constructor'),
    fc.constantFrom('toString', 'valueOf', 'length', 'hasOwnProperty', '99999999999999999999'),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.double().map(String),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      for (const parse of [parseImage, parseVideo]) {
        try {
          parse(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(HttpProblem);
          expect((error as HttpProblem).status).toBe(400);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
