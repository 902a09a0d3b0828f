import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Layer, type Options, transformation, url } from '../../packages/client/src/index.ts';
import { OPTIONS_FILE, optionTypes, PARAMETERS_FILE, parameterTable } from '../../scripts/client-options.ts';
import { readDeliveryUrl } from '../../src/delivery/url.ts';
import type { Layer as ServerLayer } from '../../src/image/layers/layer.ts';
import { imageLayer, textLayer } from '../../src/image/layers/parameters.ts';
import { formatLayered, parseLayered } from '../../src/image/layers/segment.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { parsePath } from '../../src/path.ts';
import { formatOptions, parseSegment } from '../../src/transformation/transformation.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import { layeredOptions, meaningOf, optionsOf, paths } from './options.ts';

const rules = { outputSide: 8192 };
const RUNS = { numRuns: 2000 };

const meantLayer = (layer: Layer): ServerLayer =>
  layer.text === undefined
    ? { kind: 'picture', path: parsePath(layer.picture), options: meaningOf(layer, imageLayer) }
    : { kind: 'text', text: layer.text, options: meaningOf(layer, textLayer) };

/** Returns the keys of comma-separated parts, in order. */
const keysOf = (parts: string) => parts.split(',').flatMap((part) => /^(e_[a-z_]+|[a-z]+)/.exec(part)?.[0] ?? []);

/** Returns the parts before the layers, then those of each layer. */
const listsOf = (segment: string) => {
  const [base, layers] = segment.startsWith('l_')
    ? ['', segment.split('~')]
    : [segment.split('~')[0] ?? '', segment.split('~').slice(1)];
  return [base, ...layers.map((layer) => layer.split(',').slice(1).join(','))];
};

test('the options and their order are what the declarations of the parameters say', async () => {
  expect(await readFile(OPTIONS_FILE, 'utf8')).toBe(optionTypes());
  expect(await readFile(PARAMETERS_FILE, 'utf8')).toBe(parameterTable());
});

describe('any options', () => {
  test('of a picture, with any layers, mean to the service what they say', () => {
    fc.assert(
      fc.property(layeredOptions(imageSteps), paths, (options, path) => {
        const segment = transformation(options);
        fc.pre(segment !== '');
        const address = url(`${path}.jpg`, options);
        const request = readDeliveryUrl(address.slice('/t/'.length), rules);
        expect(request.path).toBe(parsePath(`${path}.jpg`));
        expect(request.segment).toBe(segment);
        const read = parseLayered(request.segment, imageSteps, [videoSteps], rules);
        const layers = (options.layers ?? []).map(meantLayer);
        const meant = { ...meaningOf(options, imageSteps), ...(layers.length > 0 && { layers }) };
        expect(read && formatLayered(read, imageSteps)).toBe(formatLayered(meant, imageSteps));
      }),
      RUNS,
    );
  });

  test('of a video mean to the service what they say', () => {
    fc.assert(
      fc.property(optionsOf(videoSteps), (options) => {
        const segment = transformation(options);
        fc.pre(segment !== '');
        const read = parseSegment(segment, videoSteps, [imageSteps], rules);
        expect(read && formatOptions(read, videoSteps)).toBe(formatOptions(meaningOf(options, videoSteps), videoSteps));
      }),
      RUNS,
    );
  });

  test('are written in one order, which is that of the canonical text of pictures and layers', () => {
    fc.assert(
      fc.property(layeredOptions(imageSteps), (options) => {
        const segment = transformation(options);
        fc.pre(segment !== '');
        const read = parseLayered(segment, imageSteps, [], rules);
        const canonical = listsOf((read && formatLayered(read, imageSteps)) ?? '').map(keysOf);
        const written = listsOf(segment).map((parts, at) =>
          keysOf(parts).filter((key) => canonical[at]?.includes(key)),
        );
        expect(written).toEqual(canonical);
        const turned = Object.fromEntries(Object.entries(options).reverse());
        expect(transformation(turned)).toBe(segment);
      }),
      { numRuns: 500 },
    );
  });
});

describe('url', () => {
  test.each<[string, Options | string | undefined, string]>([
    ['a.jpg', undefined, '/t/a.jpg'],
    ['a.jpg', {}, '/t/a.jpg'],
    ['a.jpg', { layers: [] }, '/t/a.jpg'],
    ['/photos/my cat.jpg', { width: 400 }, '/t/w_400/photos/my%20cat.jpg'],
    ['100%, größe?/#1.jpg', { width: 400 }, '/t/w_400/100%25%2C%20gr%C3%B6%C3%9Fe%3F/%231.jpg'],
    ['a.jpg', { format: 'webp', height: 300, width: 400, crop: 'fill' }, '/t/w_400,h_300,c_fill,f_webp/a.jpg'],
    ['a.jpg', { gravity: 'fp:0.3:0.7', width: 1, height: 1 }, '/t/w_1,h_1,g_fp:0.3:0.7/a.jpg'],
    [
      'a.jpg',
      { blur: true, trim: true, grayscale: true, cutout: false, sepia: false },
      '/t/tr,e_blur,e_grayscale/a.jpg',
    ],
    ['a.jpg', { blur: 0.1 + 0.2, enlarge: false, width: undefined }, '/t/el_false,e_blur:0.3/a.jpg'],
    ['a.jpg', 'n_thumb', '/t/n_thumb/a.jpg'],
    ['a.jpg', 'w_800~l_text:10%25', '/t/w_800~l_text:10%2525/a.jpg'],
    ['clip.mp4', { startOffset: 1.5, endOffset: 3, codec: 'av1', width: 640 }, '/t/w_640,so_1.5,eo_3,vc_av1/clip.mp4'],
    [
      'shoe.jpg',
      { width: 800, layers: [{ picture: 'brand/logo.png', width: 0.2, gravity: 'south_east', x: 20, y: 20 }] },
      '/t/w_800~l_brand:logo.png,w_0.2,g_south_east,x_20,y_20/shoe.jpg',
    ],
    ['a.jpg', { layers: [{ picture: 'l.png', width: '1.0', height: 1 }] }, '/t/l_l.png,w_1.0,h_1/a.jpg'],
    [
      'a.jpg',
      { layers: [{ text: '10% off, a/b~c', fontSize: 64, textColour: 'white', boxColour: '00000080' }] },
      '/t/l_text:10%2525%2520off%252C%2520a%252Fb%257Ec,fs_64,co_white,b_00000080/a.jpg',
    ],
    ['a.jpg', { layers: [{ picture: 'text/a.png' }, { text: 'a.png' }] }, '/t/l_%2574ext:a.png~l_text:a.png/a.jpg'],
  ])('%s with %j is %s', (path, options, address) => {
    expect(url(path, options)).toBe(address);
  });

  test('begins with where the service is', () => {
    expect(url('a.jpg', { width: 4 }, 'https://media.example.com')).toBe('https://media.example.com/t/w_4/a.jpg');
    expect(url('a.jpg', {}, 'https://example.com/media/')).toBe('https://example.com/media/t/a.jpg');
  });

  test('multiplies lengths by the ratio of pixels, as the service reads it', () => {
    const segment = transformation({ width: 200, pixelRatio: 1.5, layers: [{ picture: 'l.png', x: 10 }] });
    const read = parseLayered(segment, imageSteps, [], rules);
    expect(read && formatLayered(read, imageSteps)).toBe('w_300~l_l.png,x_15');
  });

  test.each<[unknown, unknown, string]>([
    ['a.jpg', { widht: 400 }, '"widht": expected an option that exists, received "widht".'],
    [
      'a.jpg',
      { width: Number.NaN },
      '"width": expected a number, true, false, or a text without , ~ / #, received NaN.',
    ],
    ['a.jpg', { width: Number.POSITIVE_INFINITY }, 'received Infinity'],
    [
      'a.jpg',
      { background: '#336699' },
      '"background": expected a number, true, false, or a text without , ~ / #, received "#336699".',
    ],
    ['a.jpg', { format: 'webp/../..' }, '"format": expected'],
    ['a.jpg', { crop: 'fill,f_png' }, '"crop": expected'],
    ['a.jpg', { width: [4] }, '"width": expected'],
    ['a.jpg', { layers: [{}] }, '"layers": expected a picture or a text in each of them, received undefined.'],
    ['a.jpg', { layers: [{ picture: 'a.png', text: 'a' }] }, '"layers": expected a picture or a text'],
    ['a.jpg', { layers: [{ text: 'a', quality: 4 }] }, '"quality": expected an option that exists'],
    ['', {}, '"path": expected the path of a file, such as photos/cat.jpg, received "".'],
    ['a/../b.jpg', {}, '"path"'],
    ['a//b.jpg', {}, '"path"'],
    ['a/', {}, '"path"'],
  ])('refuses %j with %j', (path, options, message) => {
    const call = () => url(path as string, options as Options);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test('has types that refuse what the service would', () => {
    const options: Options[] = [
      // @ts-expect-error
      { crop: 'cover' },
      // @ts-expect-error
      { gravity: 'fp:a:b' },
      // @ts-expect-error
      { saturation: true },
      // @ts-expect-error
      { widht: 400 },
      // @ts-expect-error
      { layers: [{ picture: 'a.png', text: 'a' }] },
      // @ts-expect-error
      { layers: [{ text: 'a', crop: 'fill' }] },
    ];
    expect(options).toHaveLength(6);
  });
});
