import { type Translated, translate } from '@darkroom/url-translators/imgproxy/translate';
import { writeSegment } from '@darkroom/url-translators/imgproxy/write';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTransformation } from '../../src/delivery/url.ts';
import { HttpProblem } from '../../src/errors.ts';
import { mediaTypeOf } from '../../src/media.ts';
import { extensionOf, parsePath } from '../../src/path.ts';
import { growthOf } from '../growth.ts';

const RULES = { outputSide: 8192, presets: { sharp: 'w_300' } };

function translated(rest: string): Translated {
  const result = translate(rest);
  if (result.kind === 'refused') throw new Error(`${result.part}: ${result.reason}`);
  return result;
}

function write(rest: string) {
  const url = translated(rest);
  return writeSegment(url, { extension: extensionOf(url.path), isVideo: mediaTypeOf(url.path).kind === 'video' });
}

/** Returns the transformation, as parsed by our own parser. */
function segmentOf(rest: string): string {
  const written = write(rest);
  if (written.kind === 'refused') throw new Error(`${written.part}: ${written.reason}`);
  const { segment } = written;
  const read = segment === '' ? undefined : readTransformation(segment, mediaTypeOf(translated(rest).path), RULES);
  if (segment !== '') expect(read?.kind, segment).toMatch(/^(picture|transcode)$/);
  return segment;
}

const L = 'plain/local:///a/b.jpg';
const B64 = Buffer.from('local:///a/b.jpg').toString('base64url');

/** The path after the signature, and its conversion. */
const FORMS: readonly [string, string][] = [
  // Sizes
  [`/rs:fit:300:200/${L}`, 'w_300,h_200,c_fit,f_jpeg'],
  [`/resize:fill:300:200:1/${L}`, 'w_300,h_200,g_center,f_jpeg'],
  [`/rs:fill:300:200/g:sm/${L}`, 'w_300,h_200,el_false,g_auto,f_jpeg'],
  [`/rs:fill-down:300:200/gravity:noea/${L}`, 'w_300,h_200,el_false,g_north_east,f_jpeg'],
  [`/rs:force:300:200:t/${L}`, 'w_300,h_200,c_scale,f_jpeg'],
  [`/size:300:200/rt:fill/el:1/g:fp:0.3:0.7/${L}`, 'w_300,h_200,g_fp:0.3:0.7,f_jpeg'],
  [`/s:300/${L}`, 'w_300,el_false,f_jpeg'],
  [`/w:300/el:1/${L}`, 'w_300,f_jpeg'],
  [`/height:200/${L}`, 'h_200,el_false,f_jpeg'],
  [`/rs:fit:300:200:0:1/bg:ff8800/${L}`, 'w_300,h_200,c_pad,el_false,g_center,b_ff8800,f_jpeg'],
  [`/rs:fit:300:200:1:1:no/${L}`, 'w_300,h_200,c_pad,g_north,f_jpeg'],
  [`/w:100/w:300/dpr:2/${L}`, 'w_300,el_false,dpr_2,f_jpeg'],
  // Parts of the image
  [`/c:200:100:nowe:10:20/${L}`, 'rg_10:20:200:100,f_jpeg'],
  [`/crop:0.5:0.5/${L}`, 'rg_0.25:0.25:0.5:0.5,f_jpeg'],
  [`/c:0.5:0:fp:0.9:0.5/${L}`, 'rg_0.5:0.0:0.5:1.0,f_jpeg'],
  [`/c:0.5:0.25/g:so/${L}`, 'rg_0.25:0.75:0.5:0.25,f_jpeg'],
  [`/t:10/${L}`, 'tr_4,f_jpeg'],
  [`/rot:90/w:100/${L}`, 'a_90,w_100,el_false,f_jpeg'],
  [`/fl:1:0/${L}`, 'a_hflip,f_jpeg'],
  // Effects
  [`/pd:10:20/rs:fill:300:200:1/${L}`, 'w_340,h_220,g_center,pd_10:20:10:20,f_jpeg'],
  [`/padding:5/${L}`, 'pd_5:5:5:5,f_jpeg'],
  [`/bg:255:128:0/${L}`, 'b_ff8000,f_jpeg'],
  [`/bl:3/sh:0.5/pix:8/${L}`, 'e_blur:3,e_sharpen:0.5,e_pixelate:8,f_jpeg'],
  [`/a:51:1.5:0.5/${L}`, 'e_brightness:20,e_contrast:50,e_saturation:-50,f_jpeg'],
  [`/mc:1/dt:1:102030:ffffff/${L}`, 'e_grayscale,e_duotone:102030:ffffff,f_jpeg'],
  // Formats
  [`/q:80/${L}@webp`, 'q_80,f_webp'],
  [`/f:png/${L}`, 'f_png'],
  [`/fq:webp:70:avif:50/${L}@avif`, 'q_50,f_avif'],
  [`/aq:ssim/${L}@best`, 'q_auto,f_best'],
  ['/w:90/plain/local:///a.gif', 'w_90,el_false,an_true,f_gif'],
  ['/w:90/plain/local:///a.gif@mp4', 'w_90,an_true,f_mp4'],
  ['/pg:1/plain/local:///a.gif@png', 'pg_2,f_png'],
  ['/plain/local:///a.heic', 'f_jpeg'],
  ['/vts:3/w:90/plain/local:///a.mp4', 'w_90,el_false,so_3,f_jpeg'],
  [`/raw:1/${L}`, ''],
  [`/skp:jpg:png/w:90/${L}`, ''],
  [`/pr:sharp/${L}@webp`, 'n_sharp'],
  // Addresses
  [`/w:90/${B64}`, 'w_90,el_false,f_jpeg'],
  [`/w:90/${B64.slice(0, 6)}/${B64.slice(6)}.png`, 'w_90,el_false,f_png'],
  ['/w:90/plain/local:/a/b.jpg@png', 'w_90,el_false,f_png'],
  [`${L}`, 'f_jpeg'],
];

describe('an imgproxy URL becomes the same picture', () => {
  test.each(FORMS)('%s is %s', (rest, segment) => {
    expect(segmentOf(rest).split(',').toSorted()).toEqual(segment.split(',').toSorted());
  });

  test('at least 38 forms are known', () => expect(FORMS.length).toBeGreaterThanOrEqual(38));

  test.each([
    [L, 'a/b.jpg'],
    [B64, 'a/b.jpg'],
    ['plain/s3://media/a/b.jpg@png', 'a/b.jpg'],
    ['plain/local:///my%20photo%40home.jpg@png', 'my photo@home.jpg'],
  ])('%s is the file %s', (rest, path) => expect(translated(rest).path).toBe(path));

  test('it says until when it is good', () => expect(translated(`/exp:1795213157/${L}`).expires).toBe(1795213157));
});

describe('a URL is the file at the same path in the folder of one of ORIGINS', () => {
  const PLACES = [
    ['photos/brand', 'https://other.example.com'],
    ['photos', 'https://old.example.com/uploads'],
    ['old', 'https://old.example.com'],
    ['shop', 'http://old.example.com:8080/my%20shop'],
    ['broken', 'https://old.example.com/100%'],
  ].map(([folder = '', url = '']) => ({ folder: parsePath(folder), url }));
  const read = (url: string) => translate(`/w:90/plain/${encodeURIComponent(url)}`, PLACES);

  test.each([
    ['https://old.example.com/uploads/2019/a.jpg', 'photos/2019/a.jpg'],
    ['https:/OLD.example.com:443/uploads//a.jpg#top', 'photos/a.jpg'],
    ['https://old.example.com/%75ploads/a%20b%23c.jpg', 'photos/a b#c.jpg'],
    ['https://old.example.com/uploads/a.jpg?', 'photos/a.jpg'],
    ['https://old.example.com/uploads2/a.jpg', 'old/uploads2/a.jpg'],
    ['http://old.example.com:8080/my%20shop/a.jpg', 'shop/a.jpg'],
    ['https://other.example.com/a.jpg', 'photos/brand/a.jpg'],
  ])('%s is %s', (url, path) => expect(read(url)).toMatchObject({ kind: 'translated', path }));

  test('also in Base64', () => {
    const code = Buffer.from('https://old.example.com/uploads/a.jpg').toString('base64url');
    expect(translate(`/w:90/${code}.webp`, PLACES)).toMatchObject({ path: 'photos/a.jpg', format: 'webp' });
  });

  test.each([
    ['http://old.example.com/uploads/a.jpg', 'below none'],
    ['https://old.example.com:444/uploads/a.jpg', 'below none'],
    ['https://old.example.com.evil.org/uploads/a.jpg', 'below none'],
    ['http://old.example.com:8080/my%20shop', 'below none'],
    ['https://old.example.com/uploads/brand/a.jpg', 'another one of ORIGINS'],
    ['https://old.example.com/uploads/a.jpg?w=3', 'has a query'],
    ['https://me@old.example.com/uploads/a.jpg', 'without a user'],
    ['https://old.example.com@evil.org/uploads/a.jpg', 'without a user'],
    ['https://old.example.com/uploads/../a.jpg', 'other than . and ..'],
    ['https://old.example.com/uploads/%2E%2e/a.jpg', 'other than . and ..'],
    ['https://old.example.com/uploads\\a.jpg', 'expected https://'],
    ['https://old.example.com/uploads/a%2Fb.jpg', 'expected https://'],
    ['https://old.example.com/uploads/100%.jpg', 'expected https://'],
    ['https://', 'expected https://'],
    ['gs://bucket/a.jpg', 'expected local:///path'],
  ])('%s is refused: %s', (url, reason) => {
    expect(read(url)).toMatchObject({ kind: 'refused', part: url, reason: expect.stringContaining(reason) });
  });
});

describe('what is not the same has a name', () => {
  test.each([
    [`/sm:1/mb:1000/cb:x/${L}`, ['sm:1', 'mb:1000'], []],
    [`/bl:3/${L}`, [], ['bl:3']],
    [`/rs:fill:300:200/${L}`, [], ['fill']],
    [`/rs:fit:300:200:1/${L}`, [], ['enlarge']],
  ])('%s', (rest, ignored, similar) => {
    const url = translated(rest);
    const written = write(rest);
    expect(url.ignored).toEqual(ignored);
    const all = [...url.approximate, ...(written.kind === 'written' ? written.approximate : [])];
    expect(all.map(({ part }) => part)).toEqual(similar);
  });

  test.each([
    [`/nonsense:1/${L}`, 'nonsense:1'],
    [`/wm:0.5:soea/${L}`, 'wm:0.5:soea'],
    [`/z:2/${L}`, 'z:2'],
    [`/g:no:10:0/${L}`, 'g:no:10:0'],
    [`/exar:1/${L}`, 'exar:1'],
    [`/w:x/${L}`, 'w:x'],
    [`/rot:45/${L}`, 'rot:45'],
    ['/w:90/plain/https://example.com/a.jpg', 'https://example.com/a.jpg'],
    ['/w:90/enc/abcdef', 'enc'],
    ['/w:90/plain/', ''],
    ['/w:90/!!!', '!!!'],
  ])('%s is refused for %s', (rest, part) => expect(translate(rest)).toMatchObject({ kind: 'refused', part }));

  test.each([
    [`/rs:auto:300:200/${L}`, 'auto'],
    [`/rs:force:300/${L}`, 'force'],
    [`/c:100:100/${L}`, 'c:100:100'],
    [`/pr:sharp/w:90/${L}`, 'preset:sharp'],
    [`/w:90/${L}@jxl`, 'jxl'],
  ])('%s is refused for %s when it is written', (rest, part) => {
    expect(write(rest)).toMatchObject({ kind: 'refused', part });
  });
});

test('whatever stands there, it is translated or refused, and never thrown', () => {
  const piece = fc.constantFrom(
    ...'rs:fill:300:200 w:0 h:9 c:0.5:9 c:10:10:nowe:1:1 g:sm g:fp:0.1:2 dpr:9 t:5 pd:1:2:3 rot:90 fl:1 bg:fff bl:999'.split(
      ' ',
    ),
    ...'a:1:2:3 q:0 fq:jpg f:webp pr:x raw:1 exp:1 pg:3 aq:x ex:1:no rt:auto el:1 plain local:///a.gif @png % : / .'.split(
      ' ',
    ),
  );
  const rest = fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 10 });
  fc.assert(
    fc.property(rest, fc.constantFrom('local:///a.gif', 'local:///a.jpg@webp', 'local:///a.mp4'), (words, source) => {
      const url = `${words.join('/')}/plain/${source}`;
      const result = translate(url);
      if (result.kind === 'refused') {
        expect(result.reason).not.toBe('');
        return;
      }
      const type = mediaTypeOf(result.path);
      const written = writeSegment(result, { extension: extensionOf(result.path), isVideo: type.kind === 'video' });
      if (written.kind === 'refused' || written.segment === '' || written.segment.startsWith('n_')) return;
      try {
        expect(['image', 'video'].includes(type.kind) && readTransformation(written.segment, type, RULES)).not.toBe(
          undefined,
        );
      } catch (error) {
        // A value is out of range.
        if (!(error instanceof HttpProblem)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['options', (n: number) => `${'w:9/'.repeat(n / 4)}${L}`],
  ['values', (n: number) => `w:${'9:'.repeat(n / 2)}/${L}`],
  ['slashes', (n: number) => `${L}${'/'.repeat(n)}`],
  ['names', (n: number) => `plain/https://a${'/b'.repeat(n / 2)}`],
  ['letters', (n: number) => 'a'.repeat(n)],
])('the time is linear in %s', (_what, make) => {
  let growth = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 5 && growth > 9; n++) growth = Math.min(growth, growthOf(make, translate));
  expect(growth).toBeLessThanOrEqual(9);
});
