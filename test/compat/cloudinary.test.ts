import { type Translated, translate } from '@darkroom/url-translators/cloudinary/translate';
import { writeSegment } from '@darkroom/url-translators/cloudinary/write';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTransformation } from '../../src/delivery/url.ts';
import { HttpProblem } from '../../src/errors.ts';
import { mediaTypeOf } from '../../src/media.ts';
import { growthOf } from '../growth.ts';

const RULES = { outputSide: 8192, presets: { card: 'w_300' } };

function translated(url: string): Translated {
  const result = translate(url);
  if (result.kind === 'refused') throw new Error(`${result.part}: ${result.reason}`);
  return result;
}

/** Returns the transformation for a stored file, as parsed by our own parser. */
function segmentFor(url: string, file: string, layers: string[] = []): string {
  const written = writeSegment(translated(url), { file, layers });
  if (written.kind === 'refused') throw new Error(`${written.part}: ${written.reason}`);
  const { segment } = written;
  if (segment !== '') {
    const read = readTransformation(segment, mediaTypeOf(file), RULES);
    expect(read?.kind, segment).toMatch(/^(picture|transcode|playlist)$/);
  }
  return segment;
}

/** True if our parser recognizes a transformation in it, also one that is out of range. */
function isTransformation(segment: string, file: string): boolean {
  try {
    return readTransformation(segment, mediaTypeOf(file), RULES) !== undefined;
  } catch (error) {
    return error instanceof HttpProblem;
  }
}

const I = '/demo/image/upload';
const V = '/demo/video/upload';

/** URL, stored file, converted URL. */
const FORMS: readonly [string, string, string][] = [
  // Addresses
  ['https://res.cloudinary.com/demo/image/upload/v1571218039/blog/cover.jpg', 'blog/cover.jpg', ''],
  [`${I}/cover.jpg?_a=BAMAAAP0`, 'cover.jpg', ''],
  [`${I}/w_300/cover.jpeg`, 'cover.jpg', 'w_300,f_jpeg'],
  ['/image/upload/w_300/v1/blog/cover.jpg', 'blog/cover.jpg', 'w_300,f_jpeg'],
  ['/demo/iu/w_300/cover.jpg', 'cover.jpg', 'w_300,f_jpeg'],
  [`${I}/s--Ai4Znfl3--/w_300/cover.jpg`, 'cover.jpg', 'w_300,f_jpeg'],
  [`${I}/w_300/v1/r_reports/cover.jpg`, 'r_reports/cover.jpg', 'w_300,f_jpeg'],
  ['/demo/raw/upload/v1/papers/terms.pdf', 'papers/terms.pdf', ''],
  // Names without an extension, and with another one
  [`${I}/v1/blog/cover`, 'blog/cover.png', ''],
  [`${I}/c_scale,w_500/v1/blog/cover`, 'blog/cover.png', 'w_500,f_png'],
  [`${I}/blog/cover.webp`, 'blog/cover.png', 'f_webp'],
  [`${I}/w_200/scan.v2`, 'scan.v2.png', 'w_200,f_png'],
  [`${I}/w_200/photo`, 'photo.heic', 'w_200'],
  // Chains, and commas that are encoded
  [`${I}/q_auto/f_auto/v123/a/b.jpg`, 'a/b.jpg', 'q_auto,f_auto'],
  [`${I}/f_auto,q_auto/c_fill,g_auto,w_400,h_400/b.jpg`, 'b.jpg', 'q_auto,w_400,h_400,g_auto,f_auto'],
  [`${I}/c_fill%2Cw_200%2Ch_100%2Cg_face/q_auto/f_auto/v123/a/b.jpg`, 'a/b.jpg', 'w_200,h_100,g_face,q_auto,f_auto'],
  [`${I}/c_crop,x_10,y_20,w_400,h_300/c_fill,w_200,h_200/b.jpg`, 'b.jpg', 'rg_10:20:400:300,w_200,h_200,f_jpeg'],
  [`${I}/ar_16:9,c_fill,g_auto/c_limit,w_800/b.jpg`, 'b.jpg', 'ar_16:9,g_auto,w_800,c_fit,f_jpeg'],
  [`${I}/w_200/v1/blog%2F2020%2Fcover.jpg`, 'blog/2020/cover.jpg', 'w_200,f_jpeg'],
  // A box, and then one of its sides
  [`${I}/c_fill,g_auto,h_400,w_800/c_scale,w_200/b.jpg`, 'b.jpg', 'w_200,h_100,g_auto,f_jpeg'],
  [`${I}/c_pad,h_400,w_800/b_white/f_auto/dpr_2.0/h_100/b.jpg`, 'b.jpg', 'w_200,h_100,c_pad,b_white,dpr_2,f_auto'],
  [`${I}/c_fill,h_400,w_800/c_limit,w_900/b.jpg`, 'b.jpg', 'w_800,h_400,f_jpeg'],
  [`${I}/ar_16:9,c_lpad/b_white/q_auto/c_scale,w_400/b.jpg`, 'b.jpg', 'w_400,h_225,c_pad,b_white,q_auto,f_jpeg'],
  [`${I}/ar_1.5,c_pad/c_limit,w_300/b.jpg`, 'b.jpg', 'w_300,h_200,c_pad,f_jpeg'],
  // The last of repeated words applies there too
  [`${I}/c_fill,w_100,w_800,h_400/w_200/b.jpg`, 'b.jpg', 'w_200,h_100,f_jpeg'],
  [`${I}/c_fill,w_800,h_100,h_400/w_200/b.jpg`, 'b.jpg', 'w_200,h_100,f_jpeg'],
  [`${I}/c_pad,c_fill,w_800,h_400/c_limit,c_scale,w_900/b.jpg`, 'b.jpg', 'w_900,h_450,f_jpeg'],
  [`${I}/ar_2,ar_1.5,c_pad/w_300/b.jpg`, 'b.jpg', 'w_300,h_200,c_pad,f_jpeg'],
  // Sizes
  [`${I}/w_300,h_200/b.jpg`, 'b.jpg', 'w_300,h_200,c_scale,f_jpeg'],
  [`${I}/c_fit,w_300/b.jpg`, 'b.jpg', 'w_300,f_jpeg'],
  [`${I}/c_fit,w_300,h_300/b.jpg`, 'b.jpg', 'w_300,h_300,c_fit,f_jpeg'],
  [`${I}/c_limit,w_1200,h_1200/b.jpg`, 'b.jpg', 'w_1200,h_1200,c_fit,f_jpeg'],
  [`${I}/c_lfill,w_600,h_400/b.jpg`, 'b.jpg', 'w_600,h_400,el_false,f_jpeg'],
  [`${I}/b_white,c_pad,h_300,w_300/b.jpg`, 'b.jpg', 'w_300,h_300,c_pad,b_white,f_jpeg'],
  [`${I}/c_lpad,b_rgb:FF8800,h_300,w_300/b.jpg`, 'b.jpg', 'w_300,h_300,c_pad,el_false,b_ff8800,f_jpeg'],
  [`${I}/c_pad,b_auto,h_300,w_300/b.jpg`, 'b.jpg', 'w_300,h_300,c_pad,b_auto,f_jpeg'],
  [`${I}/ar_1.9047619047619047,c_fill/b.jpg`, 'b.jpg', 'ar_1.9048:1,f_jpeg'],
  [`${I}/ar_1.5,c_fill,w_300/b.jpg`, 'b.jpg', 'w_300,h_200,f_jpeg'],
  [`${I}/c_crop,w_0.5,h_0.5/b.jpg`, 'b.jpg', 'rg_0.25:0.25:0.5:0.5,f_jpeg'],
  [`${I}/c_fill,g_north_west,w_90,h_90,dpr_2.0/b.png`, 'b.png', 'w_90,h_90,g_north_west,dpr_2,f_png'],
  [`${I}/c_thumb,g_face,h_150,r_max,w_150/b.png`, 'b.jpg', 'w_150,h_150,g_face,z_auto,r_max,f_png'],
  [`${I}/c_fill,g_xy_center,x_0.3,y_0.7,w_100,h_100/b.jpg`, 'b.jpg', 'w_100,h_100,g_fp:0.3:0.7,f_jpeg'],
  [`${I}/c_fill,g_custom,w_100,h_100/b.jpg`, 'b.jpg', 'w_100,h_100,g_focal,f_jpeg'],
  [`${I}/c_fill,h_100,w_300/a_90/b.jpg`, 'b.jpg', 'w_100,h_300,a_90,f_jpeg'],
  [`${I}/a_hflip/c_fill,h_100,w_300/b.jpg`, 'b.jpg', 'a_hflip,w_300,h_100,f_jpeg'],
  [`${I}/e_trim:5/w_300/b.png`, 'b.png', 'tr_5,w_300,f_png'],
  // Effects
  [`${I}/w_300/e_grayscale/b.jpg`, 'b.jpg', 'w_300,e_grayscale,f_jpeg'],
  [`${I}/e_sepia,w_300/b.jpg`, 'b.jpg', 'w_300,e_sepia:80,f_jpeg'],
  [`${I}/w_300,e_blur:1000,q_1,f_auto/b.jpg`, 'b.jpg', 'w_300,e_blur:10,q_1,f_auto'],
  [`${I}/w_300,e_sharpen:80/b.jpg`, 'b.jpg', 'w_300,e_sharpen:0.8,f_jpeg'],
  [`${I}/w_300/e_pixelate_faces/b.jpg`, 'b.jpg', 'w_300,e_pixelate_faces,f_jpeg'],
  [`${I}/w_300/e_brightness:-30/e_contrast:20/b.jpg`, 'b.jpg', 'w_300,e_brightness:-30,e_contrast:20,f_jpeg'],
  [`${I}/w_300,bo_4px_solid_tomato,r_20/b.png`, 'b.png', 'w_300,bo_4:ff6347,r_20,f_png'],
  [`${I}/w_300,bo_0px_solid_red,r_0/b.png`, 'b.png', 'w_300,f_png'],
  [`${I}/w_300,o_40/b.png`, 'b.png', 'w_300,o_40,f_png'],
  [`${I}/w_300,q_auto:eco,fl_progressive/b.jpg`, 'b.jpg', 'w_300,q_auto,f_jpeg'],
  [`${I}/ar_0.01234567,c_fill/b.jpg`, 'b.jpg', 'ar_0.0123:1,f_jpeg'],
  // Named transformations, pages, animated frames
  [`${I}/t_card/f_auto/b.jpg`, 'b.jpg', 'n_card'],
  [`${I}/pg_2,w_100/b.gif`, 'b.gif', 'w_100,pg_2,f_gif'],
  [`${I}/w_100/b.mp4`, 'b.gif', 'w_100,an_true,f_mp4'],
  // Videos
  [`${V}/v1/clips/tour.mp4`, 'clips/tour.mp4', ''],
  [`${V}/w_640,h_360,c_fill,q_auto/tour.mp4`, 'tour.mp4', 'w_640,h_360,q_auto'],
  [`${V}/so_2,du_4.5,ac_none/tour.webm`, 'tour.mp4', 'so_2,au_none,eo_6.5,f_webm'],
  [`${V}/eo_3/tour.mp4`, 'tour.mp4', 'eo_3,so_0'],
  [`${V}/so_3,w_400/tour.jpg`, 'tour.mp4', 'w_400,so_3,f_jpeg'],
  [`${V}/so_3/f_auto,q_auto,w_400/tour.jpg`, 'tour.mp4', 'w_400,so_3,q_auto,f_jpeg'],
  [`${V}/so_3,f_auto:image,w_400/tour`, 'tour.mp4', 'w_400,so_3,f_jpeg'],
  [`${V}/f_auto:video,q_auto,w_400/tour.jpg`, 'tour.mp4', 'w_400,q_auto'],
  [`${V}/so_1,eo_3,w_320/tour.gif`, 'tour.mp4', 'w_320,so_1,eo_3,an_true,f_gif'],
  [`${V}/sp_auto/tour.m3u8`, 'tour.mov', 'f_hls'],
  [`${V}/vc_h265,w_640,fps_15-30/tour.mp4`, 'tour.mov', 'w_640,vc_h265,fps_30'],
  [
    `${V}/co_white,fl_waveform,w_400,h_90,so_1,eo_5/talk.png`,
    'talk.mp4',
    'w_400,h_90,wf_true,co_white,so_1,eo_5,f_png',
  ],
  [`${I}/fl_awebp,w_90/b.webp`, 'b.gif', 'w_90,an_true,f_webp'],
  [`${V}/talk.mp3`, 'talk.mp4', 'au_mp3'],
];

describe('a Cloudinary URL becomes the same picture', () => {
  test.each(FORMS)('%s of %s is %s', (url, file, segment) => {
    expect(segmentFor(url, file).split(',').toSorted()).toEqual(segment.split(',').toSorted());
  });

  test('at least 38 forms are known', () => expect(FORMS.length).toBeGreaterThanOrEqual(38));

  test('its name is the stem, which finds the file, and the extension is the format', () => {
    expect(translated(`${I}/w_300/v12/blog/my%20cover.jpg`)).toMatchObject({
      cloud: 'demo',
      resource: 'image',
      path: 'blog/my cover.jpg',
      stem: 'blog/my cover',
      extension: 'jpg',
    });
  });
});

describe('layers', () => {
  test.each([
    [
      'w_800/l_brand:logo,w_120,g_south_east,x_20,y_20/b.jpg',
      'w_800,f_jpeg~l_brand:logo.png,w_120,g_south_east,x_20,y_20',
    ],
    [
      'w_800/l_brand:logo/c_fit,w_120/o_50/fl_layer_apply,g_north_west,x_5/f_auto/b.jpg',
      'w_800,f_auto~l_brand:logo.png,c_fit,w_120,o_50,g_north_west,x_5',
    ],
    ['w_800/l_brand:logo,fl_relative,w_0.2,e_multiply/b.jpg', 'w_800,f_jpeg~l_brand:logo.png,w_0.2,bl_multiply'],
    ['w_800/u_brand:logo/b.png', 'w_800,f_png~l_brand:logo.png,bl_behind'],
  ])('%s is %s', (url, segment) => expect(segmentFor(`${I}/${url}`, 'b.jpg', ['brand/logo.png'])).toBe(segment));

  test('a text keeps its words, its size and its colour, and says that its font is another', () => {
    const url = `${I}/w_800/co_rgb:ffffff,l_text:Arial_40_bold:Hello%252C%20world/fl_layer_apply,g_south,y_20/b.jpg`;
    expect(segmentFor(url, 'b.jpg')).toBe('w_800,f_jpeg~l_text:Hello%2C%20world,fs_40,fw_700,co_ffffff,g_south,y_20');
    expect(translated(url).approximate).toMatchObject([{ part: 'Arial' }]);
  });
});

describe('what is lost has a name', () => {
  test.each([
    ['w_auto,dpr_auto,c_scale,fl_lossy', ['w_auto', 'c_scale', 'fl_lossy', 'dpr_auto']],
    ['w_300,cs_srgb,d_missing.png', ['cs_srgb', 'd_missing.png']],
    ['c_fill,g_face,w_100,h_100,z_0.7', ['z_0.7']],
    ['e_improve/fl_attachment:cat.strip_profile', ['e_improve', 'fl_attachment:cat', 'fl_strip_profile']],
  ])('%s', (components, ignored) => {
    expect([...translated(`${I}/${components}/b.jpg`).ignored].toSorted()).toEqual(ignored.toSorted());
  });

  test.each([
    ['c_fit,w_10,h_10', 'c_fit'],
    ['e_blur:300', 'e_blur:300'],
    ['q_auto:best', 'q_auto:best'],
    ['c_fill,g_dog,w_10,h_10', 'g_dog'],
    ['e_blur:300/w_10', 'e_blur:300'],
    ['ar_2,c_pad/c_limit,w_10', 'c_limit,w_10'],
  ])('%s is only similar', (components, part) => {
    expect(translated(`${I}/${components}/b.jpg`).approximate.map((one) => one.part)).toContain(part);
  });

  test('a picture of a video without a time is the first one', () => {
    expect(translated(`${V}/tour.jpg`).approximate).toMatchObject([{ part: 'so' }]);
  });
});

describe('what has no counterpart is refused by name', () => {
  test.each([
    ['if_w_gt_500/w_300', 'if_w_gt_500'],
    ['$size_300/w_$size', '$size_300'],
    ['e_cartoonify', 'e_cartoonify'],
    ['c_mfit,w_300,h_300', 'c_mfit'],
    ['c_crop,g_face,w_300,h_300', 'g_face'],
    ['c_fill,w_300,h_300/c_crop,w_100,h_100,x_0,y_0', 'c_crop'],
    ['w_300/w_200', 'w_200'],
    ['c_lfill,w_300,h_300/w_200', 'w_200'],
    ['c_fill,w_300,h_300,dpr_2/w_200', 'w_200'],
    ['c_fill,w_300,h_300/l_logo/fl_layer_apply/w_200', 'w_200'],
    ['c_fill,w_300,h_300,r_20/w_200', 'w_200'],
    ['ar_16:9,c_pad/f_auto', 'ar_16:9'],
    ['ar_0.000049,c_fill', 'ar_0.000049'],
    ['w_0.5', 'w_0.5'],
    ['f_jxl', 'f_jxl'],
    ['r_20/w_300', 'w_300'],
    ['t_card/w_300', 't_card'],
    ['l_fetch:aHR0cDovL2V4YW1wbGUuY29tL2EucG5n', 'l_fetch:aHR0cDovL2V4YW1wbGUuY29tL2EucG5n'],
    ['c_fill,g_north,w_300,h_100/a_90', 'a_90'],
  ])('%s', (components, part) => {
    expect(translate(`${I}/${components}/b.jpg`)).toMatchObject({ kind: 'refused', part });
  });

  test.each([
    ['/demo/image/fetch/https://example.com/a.jpg', 'image/fetch'],
    ['/demo/image/private/a.jpg', 'image/private'],
    ['/photos/a.jpg', '/photos/a.jpg'],
    ['/demo/image/upload/', '/demo/image/upload/'],
    ['/demo/image/upload/a%ZZ.jpg', 'a%ZZ.jpg'],
  ])('%s', (url, part) => expect(translate(url)).toMatchObject({ kind: 'refused', part }));

  test('a format that is not written, unless the file has it', () => {
    expect(writeSegment(translated(`${I}/b.tiff`), { file: 'b.jpg' })).toMatchObject({
      kind: 'refused',
      part: '.tiff',
    });
    expect(writeSegment(translated(`${I}/b.tiff`), { file: 'b.tiff' })).toEqual({ kind: 'written', segment: '' });
  });
});

test('whatever stands there, it is translated or refused, and never thrown', () => {
  const piece = fc.constantFrom(
    ...'c_fill c_crop c_fit w_300 h_0.5 ar_16:9 g_face g_north x_1 a_90 a_10 r_max e_blur e_tint:1:2 l_logo l_text:A_9:b'.split(
      ' ',
    ),
    ...'fl_layer_apply t_card so_1 eo_2 du_auto f_gif q_auto b_auto bo_ co_ __ : % %2C %252F , / / v1 ..'.split(' '),
  );
  const part = fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 8 }));
  const rest = fc.array(fc.tuple(part, fc.constantFrom(',', '/', '_', ':')), { maxLength: 12 });
  const prefix = fc.constantFrom(`${I}/`, `${V}/`, '/raw/upload/', 'https://', '');
  fc.assert(
    fc.property(prefix, rest, (start, words) => {
      const result = translate(start + words.flat().join(''));
      if (result.kind === 'refused') {
        expect(result.reason).not.toBe('');
        return;
      }
      const file = result.resource === 'video' ? 'b.mp4' : 'b.gif';
      const written = writeSegment(result, { file });
      if (written.kind === 'written' && written.segment !== '' && result.preset === undefined) {
        expect(isTransformation(written.segment, file), written.segment).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['components', (n: number) => `${I}/${'q_auto/'.repeat(n / 7)}b.jpg`],
  ['sizes', (n: number) => `${I}/${'c_fill,w_9,h_9/r_9/'.repeat(n / 19)}b.jpg`],
  ['words', (n: number) => `${I}/${'q_auto,'.repeat(n / 7)}/b.jpg`],
  ['folders', (n: number) => `${I}/${'a/'.repeat(n / 2)}b.jpg`],
  ['layers', (n: number) => `${I}/${'l_a/'.repeat(n / 4)}b.jpg`],
  ['flags', (n: number) => `${I}/fl_${'a.'.repeat(n / 2)}/b.jpg`],
])('the time is linear in %s', (_what, make) => {
  let growth = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 5 && growth > 9; n++) growth = Math.min(growth, growthOf(make, translate));
  expect(growth).toBeLessThanOrEqual(9);
});
