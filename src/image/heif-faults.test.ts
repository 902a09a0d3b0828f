import { readFile } from 'node:fs/promises';
import { sequenceOf } from '@darkroom/image-files/heif/av1-frames';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CodedItem,
  gridData,
  imir,
  irot,
  ispe,
  nclx,
  pixi,
  readItems,
  writeHeif,
} from '../../test/corpus/make/heif.ts';
import { openStudio, type Studio } from '../../test/pictures/studio.ts';
import { describeImage } from './analysis/describe.ts';
import { prepareSharp } from './loaders.ts';

const fixture = (name: string) => new URL(`../../test/fixtures/${name}`, import.meta.url).pathname;
const fromCorpus = (name: string) => readFile(new URL(`../../test/corpus/files/${name}`, import.meta.url));

let studio: Studio;
let count = 0;
beforeAll(async () => {
  prepareSharp();
  studio = await openStudio();
});
afterAll(() => studio.close());

const shownFile = (file: string, segment = 'f_png') => studio.render(file, segment);
const shown = async (bytes: Buffer) => shownFile(await studio.keep(`${count++}.avif`, bytes));

/** Displayed level of a value of limited range, in 8 bits. */
const expanded = (value: number) => Math.min(255, Math.max(0, ((value - 16) * 255) / 219));
const POINTS = [
  [5, 5],
  [60, 40],
  [120, 80],
  [200, 30],
  [230, 150],
] as const;

/** The coded items of a file, without its container. */
async function itemsOf(name: string): Promise<CodedItem[]> {
  const bytes = name.includes('/') ? await readFile(name) : await fromCorpus(name);
  return readItems(bytes);
}

const withColour = (item: CodedItem, ...more: readonly Buffer[]): CodedItem => ({
  ...item,
  properties: [...(item.properties ?? []), ...more],
});

const ALPHA = { refers: [{ type: 'auxl', to: [1] }], hidden: true } as const;

/** A stream whose samples count as those of the other range: the last bit of its header that decides it is turned. */
function inOtherRange(item: CodedItem): CodedItem {
  const before = sequenceOf(item.data)?.range;
  for (let bit = 16 * 8; bit > 0; bit--) {
    const data = Buffer.from(item.data);
    data[bit >> 3] = (data[bit >> 3] as number) ^ (128 >> (bit & 7));
    const after = sequenceOf(data)?.range;
    const isSame = after?.isMonochrome === before?.isMonochrome && after?.isNarrow !== before?.isNarrow;
    const codes = sequenceOf(item.data)?.codes;
    const others = sequenceOf(data)?.codes;
    if (isSame && codes?.primaries === others?.primaries) return { ...item, data };
  }
  throw new Error('Expected a stream that states its range.');
}

describe('an AVIF of several images', () => {
  test('shows its primary item, also where that is not the first one', async () => {
    const { width, height } = await shownFile(fixture('primary-is-second.avif'));
    expect({ width, height }).toEqual({ width: 120, height: 80 });
  });

  test.each([0, 1, 2])('shows its primary item: %i', async (primary) => {
    const names = ['orientation-1.avif', 'orientation-6.avif', 'cropped.avif'];
    const items = (await Promise.all(names.map(itemsOf))).map(([item]) => item as CodedItem);
    const coloured = items.map((item) => withColour(item, nclx(1, 13, 6, true)));
    const file = writeHeif('avif', coloured, primary + 1);
    const sizes = items.map(({ properties = [] }) => {
      const size = properties.find((property) => property.includes('ispe')) as Buffer;
      return [size.readUInt32BE(12), size.readUInt32BE(16)];
    });
    const { width, height } = await shown(file);
    expect([width, height]).toEqual(sizes[primary]);
  });

  test('counts as one image', async () => {
    const result = await describeImage({
      input: fixture('primary-is-second.avif'),
      limits: { inputMegapixels: 1, animationFrames: 1 },
    });
    expect(result).toMatchObject({ outcome: 'described', facts: { width: 120, height: 80, frames: undefined } });
  });

  test('is not handed on with the ones that are not shown', async () => {
    const { file } = await shownFile(fixture('primary-is-second.avif'), 'f_avif');
    expect((await readFile(file)).equals(await readFile(fixture('primary-is-second.avif')))).toBe(false);
  });
});

describe('a monochrome AVIF', () => {
  test.each(['8', '10', '12'])('of %s bits is expanded where its box says limited range', async (bits) => {
    const [item] = await itemsOf(`still-${bits}-400.avif`);
    const full = await shown(writeHeif('avif', [withColour(item as CodedItem, nclx(1, 13, 6, true))]));
    const limited = await shown(writeHeif('avif', [withColour(item as CodedItem, nclx(1, 13, 6, false))]));
    for (const [x, y] of POINTS) {
      const value = expanded(full.pixel(x, y)[0]);
      expect(limited.pixel(x, y)).toEqual([...Array(3).fill(expect.closeTo(value, -0.4)), 255]);
    }
  });

  test.each(['8', '10', '12'])('of %s bits is expanded where its stream alone says so', async (bits) => {
    const [item] = await itemsOf(`still-${bits}-400.avif`);
    const full = await shown(writeHeif('avif', [item as CodedItem]));
    const limited = await shown(writeHeif('avif', [inOtherRange(item as CodedItem)]));
    for (const [x, y] of POINTS) {
      expect(limited.pixel(x, y)[0]).toBeCloseTo(expanded(full.pixel(x, y)[0]), -0.4);
    }
  });

  test('follows its box against its stream', async () => {
    const [item] = await itemsOf('still-8-400.avif');
    const full = await shown(writeHeif('avif', [item as CodedItem]));
    const other = inOtherRange(item as CodedItem);
    for (const matrix of [6, 2]) {
      const codes = matrix === 2 ? 2 : 1;
      const stated = await shown(writeHeif('avif', [withColour(other, nclx(codes, codes, matrix, true))]));
      for (const [x, y] of POINTS) expect(stated.pixel(x, y)).toEqual(full.pixel(x, y));
    }
  });

  test('in tiles is expanded too', async () => {
    const [item] = await itemsOf(fixture('mono-limited.avif'));
    const tile: CodedItem = { ...(item as CodedItem), hidden: true };
    const grid: CodedItem = {
      type: 'grid',
      data: gridData(2, 1, 192, 64),
      properties: [ispe(192, 64), pixi],
      refers: [{ type: 'dimg', to: [2, 3] }],
    };
    const alone = await shownFile(fixture('mono-limited.avif'));
    const tiles = await shown(writeHeif('avif', [grid, tile, tile]));
    for (const x of [3, 50, 90]) {
      expect(tiles.pixel(x, 30)).toEqual(alone.pixel(x, 30));
      expect(tiles.pixel(x + 96, 30)).toEqual(alone.pixel(x, 30));
    }
  });

  test('reaches black and white', async () => {
    const image = await shownFile(fixture('mono-limited.avif'));
    expect([0, 63].map((y) => image.pixel(48, y)[0])).toEqual([0, 255]);
  });
});

describe('alpha of an AVIF', () => {
  test('in limited range is expanded', async () => {
    const image = await shownFile(fixture('alpha-lim.avif'));
    expect([0, 63].map((y) => image.pixel(48, y)[3])).toEqual([0, 255]);
  });

  test.each(['alpha.avif', 'alpha-10.avif', 'alpha-grey.avif'])(
    'is expanded where its stream says so: %s',
    async (name) => {
      const [item, alpha] = (await itemsOf(name)) as [CodedItem, CodedItem];
      const colour = withColour(item, nclx(1, 13, 6, true));
      const full = await shown(writeHeif('avif', [colour, { ...alpha, ...ALPHA }]));
      const limited = await shown(writeHeif('avif', [colour, { ...inOtherRange(alpha), ...ALPHA }]));
      for (const [x, y] of POINTS) {
        expect(limited.pixel(x, y)[3]).toBeCloseTo(expanded(full.pixel(x, y)[3]), -0.4);
        if (limited.pixel(x, y)[3] > 100) expect(limited.pixel(x, y).slice(0, 3)).toEqual(full.pixel(x, y).slice(0, 3));
      }
    },
  );

  const clap = (width: number, height: number) => {
    const numbers = Buffer.alloc(40);
    for (const [index, value] of [32, width, 1, height, 1, 0, 1, 0, 1].slice(1).entries()) {
      numbers.writeInt32BE(value, 8 + index * 4);
    }
    numbers.writeUInt32BE(40, 0);
    numbers.write('clap', 4, 'latin1');
    return numbers;
  };

  test.each<[string, Buffer[], Buffer[]]>([
    ['a turn', [irot(1)], []],
    ['half a turn', [irot(2)], []],
    ['a mirror', [imir(0)], []],
    ['a turn and a mirror', [irot(3), imir(1)], []],
    ['a cut', [clap(100, 60)], []],
    ['another turn', [irot(1)], [irot(3)]],
    ['a turn that the image does not have', [], [irot(1)]],
  ])('follows the image, which has %s', async (_, own, others) => {
    const [item, alpha] = (await itemsOf('alpha.avif')) as [CodedItem, CodedItem];
    const colour = withColour(item, nclx(1, 13, 6, true), ...own);
    const right = await shown(writeHeif('avif', [colour, withColour({ ...alpha, ...ALPHA }, ...own)]));
    const apart = await shown(writeHeif('avif', [colour, withColour({ ...alpha, ...ALPHA }, ...others)]));
    expect([apart.width, apart.height]).toEqual([right.width, right.height]);
    for (let x = 1; x < right.width; x += 9) {
      for (let y = 1; y < right.height; y += 9) expect(apart.pixel(x, y)).toEqual(right.pixel(x, y));
    }
  });

  test('follows a turn of the image: the sample file', async () => {
    const { width, height, pixel } = await shownFile(fixture('irot-colour-only.avif'));
    expect({ width, height }).toEqual({ width: 32, height: 64 });
    // Its right half is transparent before it is turned against the clock.
    expect([pixel(2, 2)[3], pixel(29, 2)[3], pixel(2, 61)[3], pixel(29, 61)[3]]).toEqual([0, 0, 255, 255]);
  });
});

describe('an AVIF of layers', () => {
  test.each(['layers.avif', 'layers-selected.avif', 'layers-point.avif', 'layers-two-of-three.avif'])(
    'shows the one that is chosen, at the size of the image: %s',
    async (name) => {
      const scene = await shown(await fromCorpus('still-8-444.avif'));
      const { width, height, pixel } = await shown(await fromCorpus(name));
      expect([width, height]).toEqual([scene.width, scene.height]);
      for (const [x, y] of POINTS) {
        for (const channel of [0, 1, 2]) {
          expect(Math.abs((pixel(x, y)[channel] ?? 0) - (scene.pixel(x, y)[channel] ?? 0))).toBeLessThan(16);
        }
      }
    },
  );

  test('is not handed on with the layers that are not shown', async () => {
    const original = await fromCorpus('layers-selected.avif');
    const { file } = await shownFile(await studio.keep('layers.avif', original), 'f_avif');
    expect((await readFile(file)).equals(original)).toBe(false);
  });

  test('is an image or an error, however it is damaged', async () => {
    const whole = await fromCorpus('layers-two-of-three.avif');
    for (let at = 0; at < 700; at += 3) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      const result = await studio.attempt(await studio.keep('damaged.avif', damaged), 'w_20,f_png');
      expect(['rendered', 'undecodable', 'limit exceeded']).toContain(result.outcome);
    }
  });
});

describe('a colour box that states the range alone', () => {
  test.each([true, false])('wins over the stream: full range %s', async (isFull) => {
    const [full] = (await itemsOf('still-8-444.avif')) as [CodedItem];
    const item = isFull ? inOtherRange(full) : full;
    const wanted = await shown(writeHeif('avif', [withColour(item, nclx(1, 13, 6, isFull))]));
    const stated = await shown(writeHeif('avif', [withColour(item, nclx(2, 2, 2, isFull))]));
    for (const [x, y] of POINTS) expect(stated.pixel(x, y)).toEqual(wanted.pixel(x, y));
  });
});
