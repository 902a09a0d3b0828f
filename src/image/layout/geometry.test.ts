import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Crop,
  type GeometryRequest,
  type Layout,
  placeAt,
  planLayout,
  type Size,
  turnedSize,
} from './geometry.ts';

const CENTER = placeAt(0.5, 0.5);
const LANDSCAPE = size(400, 200);
const PORTRAIT = size(200, 400);
const SQUARE = size(300, 300);

function size(width: number, height: number): Size {
  return { width, height };
}

function plan(image: Size, request: Partial<GeometryRequest>, place = CENTER): Layout {
  return planLayout(image, { crop: 'fill', angle: 0, ...request }, place);
}

describe('without a size the picture keeps its own, in every mode', () => {
  test.each(['fill', 'fit', 'scale', 'crop', 'pad'] as const)('%s', (crop) => {
    expect(plan(LANDSCAPE, { crop })).toEqual({
      upright: LANDSCAPE,
      angle: 0,
      isMirrored: false,
      turned: LANDSCAPE,
      area: { left: 0, top: 0, ...LANDSCAPE },
      region: { left: 0, top: 0, ...LANDSCAPE },
      content: LANDSCAPE,
      output: LANDSCAPE,
      offset: { left: 0, top: 0 },
    });
  });
});

describe('with one dimension the other follows from the ratio', () => {
  const modes: Crop[] = ['fill', 'crop', 'scale', 'pad'];
  test.each(
    modes.flatMap((crop) => [
      [crop, LANDSCAPE, { width: 100 }, size(100, 50)] as const,
      [crop, LANDSCAPE, { height: 100 }, size(200, 100)] as const,
      [crop, LANDSCAPE, { width: 800 }, size(800, 400)] as const,
      [crop, PORTRAIT, { width: 100 }, size(100, 200)] as const,
      [crop, PORTRAIT, { height: 800 }, size(400, 800)] as const,
      [crop, SQUARE, { width: 77 }, size(77, 77)] as const,
    ]),
  )('%s of %o to %o is %o', (crop, image, box, output) => {
    const layout = plan(image, { crop, ...box });
    expect(layout.output).toEqual(output);
    expect(layout.content).toEqual(output);
    expect(layout.region).toEqual({ left: 0, top: 0, ...image });
  });

  test.each([
    [LANDSCAPE, { width: 100 }, size(100, 50)],
    [LANDSCAPE, { width: 800 }, LANDSCAPE],
    [PORTRAIT, { height: 100 }, size(50, 100)],
    [PORTRAIT, { height: 401 }, PORTRAIT],
  ])('fit of %o to %o is %o: it never enlarges', (image, box, output) => {
    expect(plan(image, { crop: 'fit', ...box }).output).toEqual(output);
  });
});

describe('fill and crop cover the box and cut the overflow', () => {
  test.each([
    [LANDSCAPE, size(100, 100), { left: 100, top: 0, width: 200, height: 200 }],
    [PORTRAIT, size(100, 100), { left: 0, top: 100, width: 200, height: 200 }],
    [SQUARE, size(100, 50), { left: 0, top: 75, width: 300, height: 150 }],
    [SQUARE, size(50, 100), { left: 75, top: 0, width: 150, height: 300 }],
    [LANDSCAPE, size(1000, 1000), { left: 100, top: 0, width: 200, height: 200 }],
    [LANDSCAPE, size(800, 400), { left: 0, top: 0, width: 400, height: 200 }],
  ])('%o in %o keeps %o', (image, box, region) => {
    for (const crop of ['fill', 'crop'] as const) {
      const layout = plan(image, { crop, ...box });
      expect(layout.region).toEqual(region);
      expect(layout.content).toEqual(box);
      expect(layout.output).toEqual(box);
    }
  });
});

describe('fit stays within the box', () => {
  test.each([
    [LANDSCAPE, size(100, 100), size(100, 50)],
    [PORTRAIT, size(100, 100), size(50, 100)],
    [SQUARE, size(100, 50), size(50, 50)],
    [LANDSCAPE, size(1000, 1000), LANDSCAPE],
    [LANDSCAPE, size(400, 100), size(200, 100)],
    [size(1000, 999), size(500, 499), size(499, 499)],
  ])('%o in %o is %o', (image, box, output) => {
    expect(plan(image, { crop: 'fit', ...box })).toMatchObject({ content: output, output });
  });
});

describe('scale stretches the whole picture to the exact size', () => {
  test.each([LANDSCAPE, PORTRAIT, SQUARE])('%o', (image) => {
    for (const box of [size(120, 30), size(1000, 900)]) {
      const layout = plan(image, { crop: 'scale', ...box });
      expect(layout).toMatchObject({ region: { left: 0, top: 0, ...image }, content: box, output: box });
    }
  });
});

describe('pad stays within the box and adds bars', () => {
  test.each([
    [LANDSCAPE, size(100, 100), size(100, 50), { left: 0, top: 25 }],
    [PORTRAIT, size(100, 100), size(50, 100), { left: 25, top: 0 }],
    [SQUARE, size(100, 50), size(50, 50), { left: 25, top: 0 }],
    [LANDSCAPE, size(800, 800), size(800, 400), { left: 0, top: 200 }],
    [LANDSCAPE, size(101, 100), size(101, 51), { left: 0, top: 25 }],
  ])('%o in %o is %o at %o', (image, box, content, offset) => {
    expect(plan(image, { crop: 'pad', ...box })).toMatchObject({ content, output: box, offset });
  });

  test.each([
    ['the top left', placeAt(0, 0), { left: 0, top: 0 }],
    ['the bottom right', placeAt(1, 1), { left: 0, top: 50 }],
    ['the middle', CENTER, { left: 0, top: 25 }],
  ])('and gravity puts the picture to %s', (_where, place, offset) => {
    expect(plan(LANDSCAPE, { crop: 'pad', width: 100, height: 100 }, place).offset).toEqual(offset);
  });
});

describe('gravity chooses what is kept', () => {
  test.each([
    [placeAt(0, 0.5), { left: 0, top: 0 }],
    [CENTER, { left: 100, top: 0 }],
    [placeAt(1, 0.5), { left: 200, top: 0 }],
  ])('of a landscape cut to a square: %o', (place, point) => {
    expect(plan(LANDSCAPE, { width: 50, height: 50 }, place).region).toMatchObject(point);
  });

  test('a place outside the picture is moved into it', () => {
    const far = () => ({ left: 1e6, top: -1e6 });
    expect(plan(LANDSCAPE, { width: 50, height: 50 }, far).region).toMatchObject({ left: 200, top: 0 });
  });
});

describe('an aspect ratio', () => {
  test('alone crops to the ratio at full size', () => {
    expect(plan(LANDSCAPE, { aspectRatio: 1 })).toMatchObject({
      region: { left: 100, top: 0, width: 200, height: 200 },
      output: size(200, 200),
    });
    expect(plan(LANDSCAPE, { aspectRatio: 4 }).region).toEqual({ left: 0, top: 50, width: 400, height: 100 });
  });

  test('with one dimension gives the other', () => {
    expect(plan(LANDSCAPE, { aspectRatio: 16 / 9, width: 160 }).output).toEqual(size(160, 90));
    expect(plan(PORTRAIT, { aspectRatio: 16 / 9, height: 90 }).output).toEqual(size(160, 90));
    expect(plan(PORTRAIT, { aspectRatio: 1, width: 1000, crop: 'scale' }).output).toEqual(size(1000, 1000));
  });

  test('crops before fit, which still never enlarges', () => {
    expect(plan(LANDSCAPE, { aspectRatio: 1, width: 1000, crop: 'fit' }).output).toEqual(size(200, 200));
    expect(plan(LANDSCAPE, { aspectRatio: 1, width: 50, crop: 'fit' }).output).toEqual(size(50, 50));
  });

  test('crops before the box crops again', () => {
    const layout = plan(size(400, 400), { aspectRatio: 2, width: 100, height: 100 });
    expect(layout.region).toEqual({ left: 100, top: 100, width: 200, height: 200 });
    expect(layout.output).toEqual(size(100, 100));
  });

  test('crops before padding', () => {
    const layout = plan(LANDSCAPE, { aspectRatio: 1, width: 100, height: 50, crop: 'pad' });
    expect(layout).toMatchObject({
      region: { left: 100, top: 0, width: 200, height: 200 },
      content: size(50, 50),
      offset: { left: 25, top: 0 },
    });
  });
});

describe('an angle', () => {
  test.each([
    [0, size(400, 200)],
    [90, size(200, 400)],
    [180, size(400, 200)],
    [270, size(200, 400)],
    [30, size(446, 373)],
    [45, size(424, 424)],
    [150, size(446, 373)],
  ])('of %i degrees makes the canvas %o', (angle, turned) => {
    expect(turnedSize(LANDSCAPE, angle)).toEqual(turned);
  });

  test('counts before any crop', () => {
    expect(plan(LANDSCAPE, { angle: 90, width: 100, height: 100 })).toMatchObject({
      turned: size(200, 400),
      region: { left: 0, top: 100, width: 200, height: 200 },
    });
    expect(plan(LANDSCAPE, { angle: 90, width: 100 }).output).toEqual(size(100, 200));
  });
});

describe('extremes', () => {
  test.each([
    [size(1, 10_000), { width: 100, height: 100 }],
    [size(10_000, 1), { width: 100, height: 100 }],
    [size(1, 1), { width: 8192, height: 1 }],
    [size(1, 10_000), { height: 10 }],
    [size(10_000, 1), { width: 10 }],
    [size(1, 10_000), { aspectRatio: 99_999 }],
    [size(10_000, 1), { aspectRatio: 1 / 99_999, width: 1 }],
  ])('%o with %o never gives a side of zero pixels', (image, request) => {
    for (const crop of ['fill', 'fit', 'scale', 'crop', 'pad'] as const) {
      for (const angle of [0, 90, 45]) expectSound(plan(image, { ...request, crop, angle }));
    }
  });
});

function expectSound({ turned, region, content, output, offset }: Layout): void {
  for (const { width, height } of [turned, region, content, output]) {
    expect(Number.isSafeInteger(width) && width >= 1).toBe(true);
    expect(Number.isSafeInteger(height) && height >= 1).toBe(true);
  }
  expectWithin(region, turned);
  expectWithin({ ...offset, ...content }, output);
}

function expectWithin(inner: { left: number; top: number } & Size, outer: Size): void {
  expect(inner.left).toBeGreaterThanOrEqual(0);
  expect(inner.top).toBeGreaterThanOrEqual(0);
  expect(inner.left + inner.width).toBeLessThanOrEqual(outer.width);
  expect(inner.top + inner.height).toBeLessThanOrEqual(outer.height);
}

describe('for every request', () => {
  const side = fc.integer({ min: 1, max: 20_000 });
  const image = fc.record({ width: side, height: side });
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const place = fc.tuple(fraction, fraction).map(([x, y]) => placeAt(x, y));
  const crop = fc.constantFrom<Crop>('fill', 'fit', 'scale', 'crop', 'pad');
  const angle = fc.integer({ min: 0, max: 359 });
  const aspectRatio = fc.tuple(side, side).map(([width, height]) => width / height);
  const request = fc.record(
    { crop, angle, width: side, height: side, aspectRatio },
    { requiredKeys: ['crop', 'angle'] },
  );

  test('sizes are whole pixels, the region lies inside the turned picture, the content inside the result', () => {
    fc.assert(
      fc.property(image, request, place, (upright, wanted, where) => {
        expectSound(planLayout(upright, wanted, where));
      }),
      { numRuns: 2000 },
    );
  });

  test('fill, crop, scale and pad reach the exact size', () => {
    const exact = crop.filter((mode) => mode !== 'fit');
    fc.assert(
      fc.property(image, request, exact, image, place, (upright, wanted, mode, box, where) => {
        expect(planLayout(upright, { ...wanted, crop: mode, ...box }, where).output).toEqual(box);
      }),
    );
  });

  test('a dimension that is given alone is reached by all but fit', () => {
    const exact = crop.filter((mode) => mode !== 'fit');
    fc.assert(
      fc.property(image, angle, exact, side, (upright, turn, mode, length) => {
        expect(plan(upright, { angle: turn, crop: mode, width: length }).output.width).toBe(length);
        expect(plan(upright, { angle: turn, crop: mode, height: length }).output.height).toBe(length);
      }),
    );
  });

  test('fit never enlarges and never exceeds the box', () => {
    fc.assert(
      fc.property(image, request, place, (upright, wanted, where) => {
        const { region, output } = planLayout(upright, { ...wanted, crop: 'fit' }, where);
        expect(output.width).toBeLessThanOrEqual(Math.min(region.width, wanted.width ?? Number.POSITIVE_INFINITY));
        expect(output.height).toBeLessThanOrEqual(Math.min(region.height, wanted.height ?? Number.POSITIVE_INFINITY));
      }),
      { numRuns: 1000 },
    );
  });

  test('only pad adds bars', () => {
    fc.assert(
      fc.property(image, request, place, (upright, wanted, where) => {
        const { content, output } = planLayout(upright, wanted, where);
        if (wanted.crop !== 'pad') expect(output).toEqual(content);
      }),
    );
  });

  test('every mode except scale keeps the ratio of the part it shows, to a pixel', () => {
    fc.assert(
      fc.property(image, request, place, (upright, wanted, where) => {
        if (wanted.crop === 'scale') return;
        const { region, content } = planLayout(upright, wanted, where);
        const sides = [region.width, region.height, content.width, content.height];
        // Nothing is thinner than a pixel, whatever the ratio says.
        if (Math.min(...sides) === 1) return;
        const distortion = Math.log(region.width / region.height / (content.width / content.height));
        // Each side is rounded by up to half a pixel.
        expect(Math.abs(distortion)).toBeLessThanOrEqual(sides.reduce((sum, length) => sum + 1 / length, 0));
      }),
    );
  });
});
