import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import astro from '../../packages/client/src/astro.ts';
import { transformation, url } from '../../packages/client/src/index.ts';
import { nextLoader } from '../../packages/client/src/next.ts';
import { getImage } from '../../packages/client/src/nuxt.ts';
import { extract, transform } from '../../packages/client/src/unpic.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { optionsOf, paths } from './options.ts';

const BASE = 'https://media.example.com/m';

describe('a loader', () => {
  test('lets what is asked for go before what holds for all', () => {
    const loader = nextLoader({ base: BASE, options: { quality: 'auto', enlarge: false } });
    expect(loader({ src: '/a.jpg', width: 640 })).toBe(`${BASE}/t/w_640,el_false,q_auto/a.jpg`);
    expect(loader({ src: 'a.jpg', width: 640, quality: 50 })).toBe(`${BASE}/t/w_640,el_false,q_50/a.jpg`);
  });

  test('takes numbers as texts, and the words of frameworks', () => {
    const modifiers = { width: '320', height: '200.4px', fit: 'inside', background: '#fff' };
    expect(getImage('a.jpg', { modifiers }).url).toBe('/t/w_320,h_200,c_fit,b_fff/a.jpg');
    expect(getImage('a.jpg').url).toBe('/t/a.jpg');
  });

  test('refuses what there is not', () => {
    expect(() => getImage('a.jpg', { modifiers: { kernel: 'cubic' } as object })).toThrow(
      '"kernel": expected an option',
    );
    expect(() => getImage('', {})).toThrow('"path"');
    expect(() => getImage('a.jpg', { modifiers: { width: 'wide' } })).toThrow('"width": expected a number');
  });

  test('of Astro reads where a picture is cut', () => {
    const config = { service: { config: { base: BASE } } };
    const at = (position: string) => astro.getURL({ src: 'a.jpg', width: 9, height: 9, position }, config);
    expect(at('bottom')).toContain('g_south/');
    expect(at('left bottom')).toContain('g_south_west/');
    expect(at('30% 70%')).toContain('g_fp:0.3:0.7/');
    expect(at('center')).toBe(`${BASE}/t/w_9,h_9/a.jpg`);
  });
});

describe('addresses', () => {
  test('are read by unpic as they were written', () => {
    fc.assert(
      fc.property(optionsOf(imageSteps), paths, (options, path) => {
        fc.pre(transformation(options) !== '');
        const address = url(`${path}.jpg`, options, BASE);
        const read = extract(address, { base: `${BASE}/` });
        expect(read && url(read.src, read.operations, read.options.base)).toBe(address);
        expect(transform(address, {})).toBe(address);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['/t/w_400/a.jpg', { width: 20 }, `${BASE}/t/w_20/a.jpg`],
    ['/t/w_400/a.jpg?v=3', { width: 20 }, `${BASE}/t/w_20/a.jpg`],
    ['/t/photos/a.jpg', { width: 20 }, `${BASE}/t/w_20/photos/a.jpg`],
    [`${BASE}/t/a.jpg`, { width: 20, format: undefined }, `${BASE}/t/w_20/a.jpg`],
    ['/photos/a.jpg', { width: 20 }, `${BASE}/t/w_20/photos/a.jpg`],
    ['photos/t/a.jpg', { width: 20 }, `${BASE}/t/w_20/photos/t/a.jpg`],
  ])('%s with %j becomes %s', (address, operations, changed) => {
    expect(transform(address, operations, { base: BASE })).toBe(changed);
  });

  test.each(['https://elsewhere.example.com/a.jpg', `${BASE}/t/w_4~l_b.png/a.jpg`, `${BASE}/t/n_thumb/a.jpg`])(
    'are none that can be changed: %s',
    (address) => {
      expect(extract(address, { base: BASE })).toBe(null);
      expect(() => transform(address, { width: 4 }, { base: BASE })).toThrow('"src": expected a path, or an address');
    },
  );
});
