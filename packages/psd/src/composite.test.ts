import { readFileSync } from 'node:fs';
import { UnsupportedImage } from '@darkroom/image-files/decoded-image';
import { type BlendMode, type Layer, type LayerMaskData, type PixelData, writePsdBuffer } from 'ag-psd';
import { describe, expect, test } from 'vitest';
import { block, channel, layerInfo, psdSample, sized, wide } from '../../../test/pictures/psd-sample.ts';
import { compositeLayers } from './composite.ts';
import { readPsdFile } from './file.ts';
import { flattened } from './psd.ts';

const limits = { megapixels: 1 };
const decodePsd = (file: Buffer) => flattened(readPsdFile(file, limits), limits);
/** At most one off: `closeTo` tolerates half of ten to the minus digits. */
const closeBy = (value: number) => expect.closeTo(value, -0.4);

type Colour = [red: number, green: number, blue: number, alpha?: number];

/** Makes a layer of one colour; by default 4 x 1 pixels at the left edge of the canvas. */
function layer(colour: Colour, extra: Partial<Layer> = {}): Layer {
  const { left = 0, top = 0, right = 4, bottom = 1 } = extra;
  return { left, top, right, bottom, imageData: filled(colour, right - left, bottom - top), ...extra };
}

function filled([red, green, blue, alpha = 255]: Colour, width: number, height: number): PixelData {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < data.length; i += 4) data.set([red, green, blue, alpha], i);
  return { data, width, height };
}

/** Makes a mask over the columns from `left` on, white on black or inverted. */
function mask(left: number, value = 255, outside = 0): LayerMaskData {
  const imageData = filled([value, value, value], 4 - left, 1);
  return { left, top: 0, right: 4, bottom: 1, defaultColor: outside, imageData };
}

/** Draws the layers, bottom first, on 4 x 1 pixels; returns the values of each pixel. */
function draw(...children: Layer[]): number[][] {
  const { samples, channels } = decodePsd(writePsdBuffer({ width: 4, height: 1, children }));
  return Array.from({ length: 4 }, (_, i) => [...samples.subarray(i * channels, (i + 1) * channels)]);
}

const pixel = (...children: Layer[]) => draw(...children)[0];
const backdrop = layer([200, 100, 50]);

describe('layers', () => {
  test('of a real file, drawn, give its merged picture', () => {
    const bytes = readFileSync(new URL('../../../test/fixtures/layers-hopper.psd', import.meta.url));
    const drawn = compositeLayers(readPsdFile(bytes, limits), limits);
    expect(Buffer.compare(drawn.samples, decodePsd(bytes).samples)).toBe(0);
  });

  test('cover the layers below as far as they are opaque', () => {
    expect(pixel(backdrop, layer([0, 0, 255]))).toEqual([0, 0, 255]);
    expect(pixel(backdrop, layer([0, 0, 255], { opacity: 0.2 }))).toEqual([160, 80, 91]);
    expect(pixel(backdrop, layer([0, 0, 255, 51]))).toEqual([160, 80, 91]);
    expect(pixel(backdrop, layer([0, 0, 255], { fillOpacity: 0.2 }))).toEqual([160, 80, 91]);
  });

  test('that are hidden, or in a hidden group, do not show', () => {
    expect(pixel(backdrop, layer([0, 0, 255], { hidden: true }))).toEqual([200, 100, 50]);
    expect(pixel(backdrop, { hidden: true, children: [layer([0, 0, 255])] })).toEqual([200, 100, 50]);
  });

  test('leave uncovered pixels transparent, without darker colours', () => {
    expect(draw(layer([200, 100, 50, 128], { left: 1, right: 3 }))).toEqual([
      [0, 0, 0, 0],
      [200, 100, 50, 128],
      [200, 100, 50, 128],
      [0, 0, 0, 0],
    ]);
  });

  test('that reach over the edge are cut off', () => {
    const over = layer([0, 0, 255], { left: -2, top: -3, right: 1, bottom: 7 });
    expect(draw(backdrop, over)).toEqual([
      [0, 0, 255],
      [200, 100, 50],
      [200, 100, 50],
      [200, 100, 50],
    ]);
    expect(pixel(backdrop, layer([0, 0, 255], { left: 10, right: 12 }))).toEqual([200, 100, 50]);
  });

  test('of 16 bits stand in a block of their own', () => {
    const plane = (...values: number[]) => channel(wide(...values), 1, 3);
    const channels = { 0: plane(51400, 100), 1: plane(25700, 100), 2: plane(12850, 100), [-1]: plane(65535, 65535) };
    const info = layerInfo([{ bounds: [0, 0, 1, 2], channels }]);
    const layers = Buffer.concat([sized(Buffer.alloc(0)), sized(Buffer.alloc(0)), block('Lr16', info)]);
    const planes = [wide(0, 0), wide(0, 0), wide(0, 0)];
    const { samples } = decodePsd(psdSample({ mode: 3, depth: 16, width: 2, height: 1, layers, planes }));
    expect([...samples]).toEqual([200, 100, 50, 0, 0, 0]);
  });

  test('of CMYK are blended in their inks', () => {
    const plane = (value: number) => channel(Buffer.from([value]), 1);
    const ink = { bounds: [0, 0, 1, 1] as [number, number, number, number] };
    const magenta = { 0: plane(255), 1: plane(100), 2: plane(255), 3: plane(255), [-1]: plane(255) };
    const info = layerInfo([
      { ...ink, channels: { ...magenta, 0: plane(200) } },
      { ...ink, blend: 'mul ', channels: magenta },
    ]);
    const planes = [0, 0, 0, 0].map(() => Buffer.from([0]));
    const { samples, space } = decodePsd(psdSample({ mode: 4, width: 1, height: 1, layers: sized(info), planes }));
    expect(space).toBe('cmyk');
    expect([...samples]).toEqual([55, 216, 0, 0]);
  });
});

describe('blend modes', () => {
  test.each<[BlendMode, number[]]>([
    ['darken', [100, 100, 50]],
    ['multiply', [78, 59, 39]],
    ['color burn', [115, 0, 0]],
    ['linear burn', [45, 0, 0]],
    ['lighten', [200, 150, 200]],
    ['screen', [222, 191, 211]],
    ['color dodge', [255, 243, 232]],
    ['linear dodge', [255, 250, 250]],
    ['overlay', [188, 118, 78]],
    ['soft light', [191, 111, 86]],
    ['hard light', [157, 127, 167]],
    ['vivid light', [185, 121, 116]],
    ['linear light', [145, 145, 195]],
    ['pin light', [200, 100, 145]],
    ['hard mix', [255, 0, 0]],
    ['difference', [100, 50, 150]],
    ['exclusion', [143, 132, 172]],
    ['subtract', [100, 0, 0]],
    ['divide', [255, 170, 64]],
    ['darker color', [200, 100, 50]],
    ['lighter color', [100, 150, 200]],
  ])('%s', (blendMode, expected) => {
    const shown = pixel(backdrop, layer([100, 150, 200], { blendMode })) as number[];
    expect(shown).toEqual(expected.map(closeBy));
  });

  test('hue, saturation, color and luminosity take one part from each side', () => {
    // Luminosity of the backdrop: 0.3 x 200 + 0.59 x 100 + 0.11 x 50 = 124.5.
    const grey = layer([80, 80, 80], { blendMode: 'color' });
    expect(pixel(backdrop, grey)).toEqual([125, 125, 125]);
    expect(pixel(backdrop, { ...grey, blendMode: 'saturation' })).toEqual([125, 125, 125]);
    expect(pixel(backdrop, { ...grey, blendMode: 'luminosity' })).toEqual([155.5, 55.5, 5.5].map(closeBy));
    expect(pixel(layer([90, 90, 90]), layer([200, 0, 0], { blendMode: 'hue' }))).toEqual([90, 90, 90]);
  });

  test('apply only where there is a layer below', () => {
    const over = layer([100, 150, 200], { blendMode: 'multiply' });
    const pixels = draw(layer([200, 100, 50], { right: 2 }), over);
    expect(pixels[0]).toEqual([78, 59, 39]);
    expect(pixels[3]).toEqual([100, 150, 200]);
  });
});

describe('masks and clipping', () => {
  test('a mask shows the layer where it is white, its default value holds outside its bounds', () => {
    const blue = layer([0, 0, 255], { mask: mask(2) });
    expect(draw(backdrop, blue)).toEqual([
      [200, 100, 50],
      [200, 100, 50],
      [0, 0, 255],
      [0, 0, 255],
    ]);
    expect(draw(backdrop, { ...blue, mask: mask(2, 0, 255) })[0]).toEqual([0, 0, 255]);
    expect(draw(backdrop, { ...blue, mask: mask(2, 51) })[3]).toEqual([160, 80, 91]);
    expect(pixel(backdrop, { ...blue, mask: { ...mask(2), disabled: true } })).toEqual([0, 0, 255]);
    expect(pixel(backdrop, { ...blue, mask: { ...mask(2), userMaskDensity: 0.8 } })).toEqual([160, 80, 91]);
  });

  test('a clipped layer shows only where its base does, and fades with it', () => {
    const base = layer([0, 255, 0], { right: 2 });
    const clipped = layer([0, 0, 255], { clipping: true });
    expect(draw(backdrop, base, clipped)).toEqual([
      [0, 0, 255],
      [0, 0, 255],
      [200, 100, 50],
      [200, 100, 50],
    ]);
    expect(pixel(backdrop, { ...base, opacity: 0.2 }, clipped)).toEqual([160, 80, 91]);
    expect(pixel(backdrop, { ...base, hidden: true }, clipped)).toEqual([200, 100, 50]);
    expect(pixel(backdrop, base, { ...clipped, blendMode: 'screen' })).toEqual([0, 255, 255]);
    expect(draw(base, { ...clipped, opacity: 0.5 })[3]).toEqual([0, 0, 0, 0]);
  });
});

describe('groups', () => {
  const multiply = layer([100, 150, 200], { blendMode: 'multiply' });

  test('that pass through let their layers blend with the layers below', () => {
    const group: Layer = { blendMode: 'pass through', children: [multiply] };
    expect(pixel(backdrop, group)).toEqual([78, 59, 39]);
    expect(pixel(backdrop, { ...group, opacity: 0.2 })).toEqual([176, 92, 48]);
    expect(draw(backdrop, { ...group, mask: mask(2) })).toEqual([
      [200, 100, 50],
      [200, 100, 50],
      [78, 59, 39],
      [78, 59, 39],
    ]);
  });

  test('of another mode are drawn apart first', () => {
    expect(pixel(backdrop, { blendMode: 'normal', children: [multiply] })).toEqual([100, 150, 200]);
    expect(pixel(backdrop, { blendMode: 'multiply', children: [layer([100, 150, 200])] })).toEqual([78, 59, 39]);
    const nested: Layer = { blendMode: 'normal', opacity: 0.2, children: [{ children: [layer([0, 0, 255])] }] };
    expect(pixel(backdrop, nested)).toEqual([160, 80, 91]);
  });

  test('can have other layers clipped to them', () => {
    const group: Layer = { blendMode: 'pass through', children: [layer([0, 255, 0], { right: 2 })] };
    const shown = draw(backdrop, group, layer([0, 0, 255], { clipping: true }));
    expect([shown[0], shown[3]]).toEqual([
      [0, 0, 255],
      [200, 100, 50],
    ]);
  });
});

describe('beyond pixels', () => {
  const fill: Layer = { vectorFill: { type: 'color', color: { r: 10, g: 20, b: 30 } } };
  const stroke = { enabled: true, blendMode: 'normal', color: { r: 0, g: 0, b: 0 }, opacity: 1 } as const;

  test('a solid colour fill covers the canvas, as its mask allows', () => {
    expect(pixel(backdrop, fill)).toEqual([10, 20, 30]);
    expect(draw(backdrop, { ...fill, mask: mask(2) })[0]).toEqual([200, 100, 50]);
    expect(draw(backdrop, { ...fill, mask: mask(2) })[2]).toEqual([10, 20, 30]);
  });

  test.each<[string, Layer]>([
    ['an adjustment', { adjustment: { type: 'invert' } }],
    ['an effect', layer([0, 0, 255], { effects: { solidFill: [stroke] } })],
    ['a vector mask', layer([0, 0, 255], { vectorMask: { paths: [] } })],
    ['dissolve', layer([0, 0, 255], { blendMode: 'dissolve', opacity: 0.5 })],
    ['a feathered mask', layer([0, 0, 255], { mask: { ...mask(2), userMaskFeather: 3 } })],
    ['fill opacity where it is not opacity', layer([0, 0, 255], { blendMode: 'hard mix', fillOpacity: 0.5 })],
    ['a knockout', layer([0, 0, 255], { knockout: true })],
  ])('%s is refused, unless hidden', (_, special) => {
    expect(() => draw(backdrop, special)).toThrow(UnsupportedImage);
    expect(pixel(backdrop, { ...special, hidden: true })).toEqual([200, 100, 50]);
  });

  test('an effect that is switched off does not count', () => {
    const off = layer([0, 0, 255], { effects: { solidFill: [{ ...stroke, enabled: false }] } });
    expect(pixel(backdrop, off)).toEqual([0, 0, 255]);
  });

  test('a layer far larger than any picture may be is refused', () => {
    const bounds: [number, number, number, number] = [0, 0, 30_000, 30_000];
    const plane = channel(Buffer.from([0]), 1);
    const info = layerInfo([{ bounds, channels: { 0: plane, 1: plane, 2: plane } }]);
    const planes = [0, 0, 0].map(() => Buffer.from([0]));
    const sample = psdSample({ mode: 3, width: 1, height: 1, layers: sized(info), planes });
    expect(() => decodePsd(sample)).toThrow(UnsupportedImage);
  });
});
