import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baseOf, type Layer, layersOf, readLayer, tidy, withBase, withLayers, writeLayer } from './layered.ts';

/** All separators of segments and URLs, and multi-byte characters. */
const hostile = fc.string({
  unit: fc.constantFrom(...',~:/%_?#&\'"<>$`{}\\ \n', '%2C', '%25', 'text:', 'l_', 'a', 'é', '🖼', '文'),
});
const names = hostile.map((name) => name.replaceAll('/', '')).filter((name) => name !== '');
const sources = fc.oneof(
  hostile.map((text) => ({ kind: 'text', text }) as const),
  fc.array(names, { minLength: 1, maxLength: 3 }).map((all) => ({ kind: 'image', path: all.join('/') }) as const),
);
const parts = fc.constantFrom('', 'w_5', 'g_south_east,x_0.1,y_-3', 'ff_Noto Sans,fs_40');
const layers: fc.Arbitrary<Layer> = fc.record({ source: sources, parts });

describe('a layer', () => {
  test('is read as it was written, whatever its name or text has', () => {
    fc.assert(
      fc.property(layers, (layer) => {
        const written = writeLayer(layer);
        expect(readLayer(written)).toEqual(layer);
        expect(written.split(',')[0]).not.toMatch(/[~/ ]/);
      }),
    );
  });

  test('that is an image in a folder named "text" is no text', () => {
    expect(writeLayer({ source: { kind: 'image', path: 'text/logo.png' }, parts: '' })).toBe('l_%74ext:logo.png');
    expect(readLayer('l_%74ext:logo.png,w_5')).toEqual({
      source: { kind: 'image', path: 'text/logo.png' },
      parts: 'w_5',
    });
  });

  test('may be half written, and with half of a character', () => {
    expect(readLayer('l_')?.source).toEqual({ kind: 'image', path: '' });
    expect(readLayer('l_text:')?.source).toEqual({ kind: 'text', text: '' });
    expect(readLayer('l_100%.png')?.source).toEqual({ kind: 'image', path: '100%.png' });
    expect(writeLayer({ source: { kind: 'text', text: '\ud83d' }, parts: '' })).toBe('l_text:%EF%BF%BD');
    expect(['x_3', '', 'l_%E0%A4'].map(readLayer)).toEqual([undefined, undefined, undefined]);
  });
});

describe('a segment', () => {
  test('has a base and layers, in their order and as they were written', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'w_5', 'w_5,h_3'), fc.array(layers, { maxLength: 4 }), (base, all) => {
        const written = all.map(writeLayer);
        const segment = withLayers(base, written);
        expect([baseOf(segment), layersOf(segment)]).toEqual([base, written]);
        expect(withBase(segment, 'q_5')).toBe(['q_5', ...written].join('~'));
        expect(withLayers(segment, [])).toBe(base);
        expect(tidy(segment)).toBe(segment);
      }),
    );
  });

  test('without a base begins with its first layer', () => {
    expect(withBase('w_5~l_a.png', '')).toBe('l_a.png');
    expect(layersOf('l_a.png~l_b.png')).toEqual(['l_a.png', 'l_b.png']);
    expect(layersOf('~l_a.png')).toEqual(['l_a.png']);
    expect(withLayers('', ['x'])).toBe('~x');
  });

  test('is tidied as it is typed: only layers have spaces', () => {
    expect(tidy(' w_4 00,\n h_3/')).toBe('w_400,h_3');
    expect(tidy('w_400 ~ l_text:Hello you , ff_Noto Sans,\tfs_4')).toBe('w_400~l_text:Hello you ,ff_Noto Sans,fs_4');
    expect(['~', 'w_4~', '~l', 'w_4~l_'].map(tidy)).toEqual(['~', 'w_4~', '~l', 'w_4~l_']);
  });
});
