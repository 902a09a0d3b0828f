import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStudio, type Pixel, painted, type Studio } from '../../../test/pictures/studio.ts';
import { formatOptions, parseSegment } from '../../transformation/transformation.ts';
import { imageSteps } from '../steps/index.ts';
import type { Layout, Size } from './geometry.ts';
import { layoutOf } from './layout-of.ts';

const LANDSCAPE = { width: 400, height: 200 };

function layout(segment: string, image: Size = LANDSCAPE): Layout {
  const options = parseSegment(segment, imageSteps, [], { outputSide: 8192 });
  if (!options) throw new Error(`${segment} is no transformation`);
  return layoutOf(image, options, {});
}

const sides = ({ width, height }: Size) => [width, height];

describe('a region', () => {
  test.each<[string, [left: number, top: number, width: number, height: number]]>([
    ['rg_10:20:30:40', [10, 20, 30, 40]],
    ['rg_0.25:0.5:0.5:0.5', [100, 100, 200, 100]],
    ['rg_0.0:0:1.0:50', [0, 0, 400, 50]],
    ['rg_350:150:100:100', [350, 150, 50, 50]],
    ['rg_10:20:30:40,a_90', [10, 20, 30, 40]],
    ['rg_0.0:0.0:0.5:0.25,a_90', [0, 0, 100, 100]],
  ])('%s is %o of the turned picture', (segment, [left, top, width, height]) => {
    expect(layout(segment).region).toEqual({ left, top, width, height });
    expect(sides(layout(segment).output)).toEqual([width, height]);
  });

  test('is the picture for everything that follows', () => {
    expect(layout('rg_100:0:200:200,w_100,h_200,g_east').region).toEqual({
      left: 200,
      top: 0,
      width: 100,
      height: 200,
    });
    expect(layout('rg_100:0:200:200,w_50,h_50').region).toEqual({ left: 100, top: 0, width: 200, height: 200 });
    expect(layout('rg_100:0:200:200,ar_1:2,g_fp:0.3:0').region).toEqual({ left: 100, top: 0, width: 100, height: 200 });
    expect(layout('rg_100:0:200:200,ar_1:2,g_fp:0.5:0').region).toEqual({ left: 150, top: 0, width: 100, height: 200 });
    expect(layout('rg_100:0:200:200,ar_1:2,g_fp:1:0').region).toEqual({ left: 200, top: 0, width: 100, height: 200 });
  });

  test('that lies outside is refused with the size of the picture', () => {
    expect(() => layout('rg_400:0:10:10')).toThrow('The region is outside the image, which is 400 x 200.');
  });
});

describe('zoom', () => {
  test.each<[string, [number, number, number, number], [number, number]]>([
    ['z_2', [100, 50, 200, 100], [200, 100]],
    ['w_100,h_100,z_2', [150, 50, 100, 100], [100, 100]],
    ['w_100,h_100,z_2,g_north_west', [0, 0, 100, 100], [100, 100]],
    ['w_100,h_100,z_4,g_fp:0.25:0.5', [75, 75, 50, 50], [100, 100]],
    ['w_100,h_100,c_fit,z_4', [150, 75, 100, 50], [100, 50]],
    ['w_100,h_100,c_pad,z_4,g_south', [150, 150, 100, 50], [100, 100]],
  ])('%s keeps %o', (segment, [left, top, width, height], output) => {
    expect(layout(segment).region).toEqual({ left, top, width, height });
    expect(sides(layout(segment).output)).toEqual(output);
  });
});

describe('without enlarging', () => {
  test.each<[string, number[], number[]]>([
    ['w_800,el_false', [400, 200], [400, 200]],
    ['h_100,el_false', [200, 100], [200, 100]],
    ['w_800,h_800,el_false', [200, 200], [200, 200]],
    ['w_800,h_200,c_crop,el_false', [400, 100], [400, 100]],
    ['w_800,h_800,c_scale,el_false', [200, 200], [200, 200]],
    ['w_100,h_50,c_scale,el_false', [100, 50], [100, 50]],
    ['w_800,h_800,c_pad,el_false', [400, 200], [800, 800]],
    ['w_800,h_800,c_fit,el_false', [400, 200], [400, 200]],
    ['w_300,h_300,z_4,el_false', [50, 50], [50, 50]],
    ['w_800,h_800', [800, 800], [800, 800]],
  ])('%s has a picture of %o in %o', (segment, content, output) => {
    expect([sides(layout(segment).content), sides(layout(segment).output)]).toEqual([content, output]);
  });
});

describe('padding', () => {
  test.each<[string, number[], number[], number[]]>([
    ['pd_10', [400, 200], [420, 220], [10, 10]],
    ['w_100,pd_10', [80, 40], [100, 60], [10, 10]],
    ['w_100,h_100,pd_10:20', [60, 80], [100, 100], [20, 10]],
    ['w_100,h_100,c_fit,pd_10', [80, 40], [100, 60], [10, 10]],
    ['w_100,h_100,c_pad,pd_10', [80, 40], [100, 100], [10, 30]],
    ['w_100,h_100,c_pad,pd_10:0:30:5,g_north', [95, 48], [100, 100], [5, 10]],
    ['ar_1:1,w_100,pd_1:2:3:4', [94, 96], [100, 100], [4, 1]],
  ])('%s has a picture of %o in %o, at %o', (segment, content, output, [left, top]) => {
    const { content: inside, output: whole, offset } = layout(segment);
    expect([sides(inside), sides(whole), offset]).toEqual([content, output, { left, top }]);
  });

  test('that leaves no room is refused', () => {
    expect(() => layout('w_100,pd_0:50')).toThrow(
      'The padding (0:50:0:50) leaves no space for the image in 100 x any height.',
    );
    expect(() => layout('w_100,h_20,pd_10')).toThrow('leaves no space for the image in 100 x 20');
  });
});

test('whatever is asked for, the region lies in the picture, and the content in a result of the size that was asked for', () => {
  const number = (min: number, max: number) => fc.integer({ min, max });
  const part = (key: string, value: fc.Arbitrary<unknown>) =>
    fc.option(
      value.map((text) => `${key}_${text}`),
      { nil: '' },
    );
  const share = number(0, 100).map((percent) => (percent / 100).toFixed(2));
  const segments = fc.tuple(
    part('w', number(1, 300)),
    part('h', number(1, 300)),
    part('c', fc.constantFrom('fill', 'fit', 'scale', 'crop', 'pad')),
    part('ar', fc.constantFrom('1:1', '16:9', '1:5')),
    part('a', number(0, 359)),
    part(
      'z',
      number(100, 1000).map((percent) => percent / 100),
    ),
    part('el', fc.boolean()),
    part(
      'pd',
      fc.array(number(0, 40), { minLength: 1, maxLength: 4 }).map((all) => all.join(':')),
    ),
    part(
      'rg',
      fc.tuple(share, share, share, share).map((all) => all.join(':')),
    ),
    part('g', fc.constantFrom('north', 'south_east', 'fp:0.1:0.9')),
  );
  const image = fc.record({ width: number(1, 500), height: number(1, 500) });
  fc.assert(
    fc.property(image, segments, (upright, parts) => {
      const segment = parts.filter((text) => text !== '').join(',');
      const options = readable(segment);
      if (!options) return;
      let found: Layout;
      try {
        found = layoutOf(upright, options, {});
      } catch (error) {
        expect(String(error)).toMatch(/no space|outside the image/);
        return;
      }
      const { turned, region, area, content, output, offset } = found;
      const isIn = (at: number, length: number, side: number) => at >= 0 && length >= 1 && at + length <= side;
      expect(isIn(region.left, region.width, turned.width) && isIn(region.top, region.height, turned.height)).toBe(
        true,
      );
      expect(area.left >= -1e-9 && area.left + area.width <= turned.width + 1e-9).toBe(true);
      expect(isIn(offset.left, content.width, output.width) && isIn(offset.top, content.height, output.height)).toBe(
        true,
      );
      const { width, height, crop = 'fill', enlarge = true } = options;
      if (width && height && (crop === 'pad' || (enlarge && crop !== 'fit')))
        expect(sides(output)).toEqual([width, height]);
      if (width) expect(output.width).toBeLessThanOrEqual(width);
      if (height) expect(output.height).toBeLessThanOrEqual(height);
    }),
    { numRuns: 3000 },
  );
});

function readable(segment: string) {
  try {
    return parseSegment(segment, imageSteps, [], { outputSide: 8192 });
  } catch {
    return undefined;
  }
}

describe('z_auto with g_face', () => {
  const FACE = { left: 0.2, top: 0.25, width: 0.1, height: 0.2 };
  const OTHER = { left: 0.3, top: 0.25, width: 0.05, height: 0.1 };
  const FAR = { left: 0.9, top: 0.5, width: 0.1, height: 0.2 };

  test.each([
    // 40 x 40 with 15 % on the sides, 30 % above and 15 % below it.
    ['w_100,h_100', [FACE], [71, 38, 58, 58]],
    ['w_10,h_100', [FACE], [90, 0, 20, 200]],
    ['', [FACE], [42, 38, 116, 58]],
    ['w_100,h_100', [FACE, OTHER], [74, 31, 72, 72]],
    ['w_100,h_100', [FACE, FAR], [0, 0, 200, 200]],
    ['w_100,h_100', [], [100, 0, 200, 200]],
    ['w_100,h_100,rg_0:0:200:200', [FACE, FAR], [71, 38, 58, 58]],
    ['w_100,h_100,a_hflip', [FACE], [271, 38, 58, 58]],
  ] as const)('%s of faces at %j keeps %j', (segment, faces, area) => {
    const options = parseSegment(`${segment},z_auto,g_face`, imageSteps, [], { outputSide: 8192 });
    const { left, top, width, height } = layoutOf(LANDSCAPE, options ?? {}, { faces: { faces: [...faces] } }).area;
    expect([left, top, width, height].map(Math.round)).toEqual(area);
  });

  test('comes no closer than z_10', () => {
    const options = parseSegment('w_10,h_10,z_auto,g_face', imageSteps, [], { outputSide: 8192 });
    const tiny = { left: 0.5, top: 0.5, width: 0.01, height: 0.01 };
    expect(layoutOf(LANDSCAPE, options ?? {}, { faces: { faces: [tiny] } }).area.width).toBe(20);
  });

  test('means nothing without it', () => {
    for (const segment of ['w_100,h_100,z_auto', 'w_100,h_100,z_auto,g_north', 'z_auto,g_auto']) {
      const without = segment.replace(',z_auto', '').replace('z_auto,g_auto', '');
      expect([segment, canonical(segment)]).toEqual([segment, canonical(without)]);
    }
  });
});

function canonical(segment: string): string {
  return formatOptions(parseSegment(segment, imageSteps, [], { outputSide: 8192 }) ?? {}, imageSteps);
}

describe('a mirrored and turned picture', () => {
  let studio: Studio;
  let marked: string;
  let upsideDown: string;
  beforeAll(async () => {
    studio = await openStudio();
    const file = painted(4, 4, (x, y) => mark(x, y));
    marked = await studio.keep('marked', await file.png().toBuffer());
    // A file that is shown after half a turn.
    const turned = painted(4, 4, (x, y) => mark(3 - x, 3 - y));
    upsideDown = await studio.keep('upside-down', await turned.withMetadata({ orientation: 3 }).png().toBuffer());
  });
  afterAll(() => studio.close());

  const mark = (x: number, y: number): Pixel => [x * 80, y * 80, x === 0 && y === 0 ? 255 : 0, 255];
  type Source = (x: number, y: number) => [number, number];
  const cases: [string, Source][] = [
    ['a_hflip', (x, y) => [3 - x, y]],
    ['a_vflip', (x, y) => [x, 3 - y]],
    ['a_hflip.vflip', (x, y) => [3 - x, 3 - y]],
    ['a_vflip.hflip.180', (x, y) => [x, y]],
    ['a_90', (x, y) => [y, 3 - x]],
    ['a_hflip.90', (x, y) => [3 - y, 3 - x]],
    ['a_vflip.90', (x, y) => [y, x]],
    ['a_hflip.180', (x, y) => [x, 3 - y]],
    ['a_hflip.270', (x, y) => [y, x]],
    ['a_hflip.-90', (x, y) => [y, x]],
    ['a_hflip.450', (x, y) => [3 - y, 3 - x]],
  ];
  test.each(cases)('%s moves every pixel to its place', async (segment, source) => {
    for (const input of [marked, upsideDown]) {
      const { pixel, width, height } = await studio.render(input, segment);
      expect([width, height]).toEqual([4, 4]);
      for (let y = 0; y < 4; y++)
        for (let x = 0; x < 4; x++) expect(pixel(x, y), `${x},${y}`).toEqual(mark(...source(x, y)));
    }
  });

  test('is cropped after that, and what `g` points at goes along', async () => {
    const wide = await studio.keep(
      'wide',
      await sharp({ create: { width: 90, height: 30, channels: 3, background: '#00f' } })
        .composite([{ input: { create: { width: 30, height: 30, channels: 3, background: '#f00' } }, left: 0, top: 0 }])
        .png()
        .toBuffer(),
    );
    expect((await studio.render(wide, 'a_hflip,w_30,h_30,g_east')).at(15, 15)).toBe('red');
    expect((await studio.render(wide, 'a_hflip,w_30,h_30,g_fp:0.1:0.5')).at(15, 15)).toBe('red');
    expect((await studio.render(wide, 'a_hflip.90,w_30,h_30,g_fp:0.1:0.5')).at(15, 15)).toBe('red');
    expect((await studio.render(wide, 'a_hflip.90,w_30,h_30,g_south')).at(15, 15)).toBe('red');
  });

  test('keeps the bars and padding in the colour of b', async () => {
    const shown = await studio.render(marked, 'pd_2:3,b_0000ff,a_hflip');
    expect([shown.width, shown.height]).toEqual([10, 8]);
    for (const [x, y] of [
      [0, 0],
      [2, 4],
      [9, 7],
      [5, 1],
      [7, 4],
    ] as const)
      expect(shown.at(x, y)).toBe('blue');
    expect(shown.pixel(3, 2)).toEqual(mark(3, 0));
    const clear = await studio.render(marked, 'pd_1,b_transparent');
    expect(clear.at(0, 0)).toBe('transparent');
  });
});

describe('the pixel ratio of a screen', () => {
  const parse = (segment: string) => parseSegment(segment, imageSteps, [], { outputSide: 8192 });
  test.each([
    ['w_200,dpr_2', 'w_400'],
    ['w_200,h_100,r_10:5,pd_4,dpr_1.5', 'w_300,h_150,r_15:8,pd_6'],
    ['w_101,dpr_0.5', 'w_51'],
    ['e_blur:3,e_pixelate:10,dpr_2', 'e_blur:6,e_pixelate:20'],
    ['w_20,r_max,dpr_3', 'w_60,r_max'],
    ['w_20,z_2,rg_1:2:3:4,dpr_1', 'w_20,z_2,rg_1:2:3:4'],
    ['w_20,z_2,rg_1:2:3:4,dpr_2', 'w_40,z_2,rg_1:2:3:4'],
    ['dpr_2', ''],
  ])('%s is %s', (segment, same) => {
    expect(parse(segment)).toEqual(same === '' ? {} : parse(same));
  });

  test('that makes a length too large is refused with both', () => {
    expect(() => parse('w_5000,dpr_2')).toThrow(
      'Parameter "w": expected a whole number from 1 to 8192 pixels, received "5000 times dpr_2".',
    );
    expect(() => parse('w_10,e_blur:60,dpr_2')).toThrow('Parameter "e_blur"');
  });
});
