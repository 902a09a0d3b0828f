import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Img, img, type Options, picture } from '../../packages/client/src/index.ts';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { isAnswered, widthOf } from './answered.ts';

const FACE = 'people/face.jpg';
/** Size of the uploaded photo. */
const original = { width: 800, height: 533 };

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await startService();
  base = service.url;
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
  await service.upload({ 'badge.png': fixture('badge.png') });
});
afterAll(() => service.close());

const candidates = ({ srcset }: Pick<Img, 'srcset'>) =>
  srcset.split(', ').map((one) => one.split(' ') as [address: string, descriptor: string]);

describe('img', () => {
  test('offers a picture as wide as the screen in several widths', () => {
    expect(img('a.jpg', { quality: 'auto' }, { base: 'https://m.example.com', widths: [320, 640] })).toEqual({
      src: 'https://m.example.com/t/w_640,q_auto/a.jpg',
      srcset: 'https://m.example.com/t/w_320,q_auto/a.jpg 320w, https://m.example.com/t/w_640,q_auto/a.jpg 640w',
      sizes: '100vw',
    });
  });

  test('offers one that is shown in a size with all of its lengths multiplied', () => {
    const shown = img('a.jpg', { width: 400, height: 300, radius: 20 }, { widths: [200, 800, 8000, 80] });
    expect(shown).toEqual({
      src: '/t/w_400,h_300,r_20/a.jpg',
      srcset: [
        '/t/w_400,h_300,dpr_0.5,r_20/a.jpg 200w',
        '/t/w_400,h_300,dpr_1,r_20/a.jpg 400w',
        '/t/w_400,h_300,dpr_2,r_20/a.jpg 800w',
        '/t/w_400,h_300,dpr_4,r_20/a.jpg 1600w',
      ].join(', '),
      sizes: '(max-width: 400px) 100vw, 400px',
      width: 400,
      height: 300,
    });
  });

  test.each<[Options, { width?: number; height?: number }]>([
    [{ width: 400 }, { width: 400, height: 267 }],
    [
      { width: 400, aspectRatio: '16:9' },
      { width: 400, height: 225 },
    ],
    [
      { width: 400, height: 100 },
      { width: 400, height: 100 },
    ],
    [
      { width: 400, height: 400, crop: 'fit' },
      { width: 400, height: 267 },
    ],
    [{}, { width: 800, height: 533 }],
  ])('of %j leaves room for it', (options, size) => {
    expect(img('a.jpg', options, { original })).toMatchObject(size);
  });

  test('offers nothing larger than the original', () => {
    expect(candidates(img('a.jpg', {}, { original })).map(([, width]) => width)).toEqual(['320w', '640w']);
    const small = img('a.jpg', {}, { original: { width: 100, height: 50 } });
    expect(small).toMatchObject({ src: '/t/w_100/a.jpg', srcset: '/t/w_100/a.jpg 100w' });
    const widthsOf = (options: Options) => candidates(img('a.jpg', options, { original })).map(([, width]) => width);
    expect(widthsOf({ width: 400 })).toEqual(['320w', '400w', '640w', '800w']);
    expect(widthsOf({ width: 400, height: 533 })).toEqual(['320w', '400w']);
    expect(widthsOf({ width: 2000 })).toEqual(['1000w', '1280w', '1600w', '2000w']);
  });

  test('refuses a height without a width, which would be another picture in every width', () => {
    expect(() => img('a.jpg', { height: 300 })).toThrow('"width": expected a width beside the height');
  });

  test('names addresses that are answered, in the widths that it says', async () => {
    const shown = img(
      FACE,
      {
        width: 300,
        height: 200,
        layers: [
          { picture: 'badge.png', width: 40, gravity: 'south_east', x: 7 },
          { text: '10% off, a/b', textColour: 'white' },
        ],
      },
      { base, widths: [300, 450, 613] },
    );
    await isAnswered(shown.src);
    for (const [address, descriptor] of candidates(shown)) expect(`${await widthOf(address)}w`).toBe(descriptor);
  });
});

describe('picture', () => {
  test('has a source for each format, and an img for what takes none of them', async () => {
    const { sources, img: fallback } = picture(FACE, { width: 200 }, { base, original, widths: [400] });
    expect(sources.map(({ type, sizes }) => [type, sizes])).toEqual([
      ['image/avif', '(max-width: 200px) 100vw, 200px'],
      ['image/webp', '(max-width: 200px) 100vw, 200px'],
    ]);
    expect(fallback).toMatchObject({ src: `${base}/t/w_200,f_jpeg/${FACE}`, width: 200, height: 133 });
    for (const { type, srcset } of [...sources, { type: 'image/jpeg', srcset: fallback.srcset }]) {
      for (const [address, descriptor] of candidates({ srcset })) {
        expect([await isAnswered(address), `${await widthOf(address)}w`]).toEqual([type, descriptor]);
      }
    }
  });

  test('has the formats that it is told, and keeps that of its img', () => {
    const { sources, img: fallback } = picture('a.png', { format: 'png', width: 4 }, { formats: ['webp'] });
    expect(sources.map(({ type }) => type)).toEqual(['image/webp']);
    expect(fallback.src).toBe('/t/w_4,f_png/a.png');
  });
});
