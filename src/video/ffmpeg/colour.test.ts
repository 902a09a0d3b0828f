import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  encodeLight,
  fromSrgb,
  map,
  matrixBetween,
  type Space,
  TRANSFERS,
  times,
} from '../../../test/corpus/spaces.ts';
import type { Triple } from '../../../test/pictures/colours.ts';
import { openStudio, type Studio } from '../../../test/video-samples.ts';
import { furthest, openWays, WAYS, type Way, type Ways } from '../../../test/video-ways.ts';

let studio: Studio;
let ways: Ways;
beforeAll(async () => {
  studio = await openStudio();
  ways = await openWays(studio);
});
afterAll(() => Promise.all([studio.close(), ways.close()]));

const COLOUR: Triple = [192, 128, 64];
const GREY: Triple = [126, 126, 126];

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '1'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:lossless=1'];
const VP9 = ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-crf', '0', '-b:v', '0'];

/** Encoding of flat colours, and their tags in the stream. */
interface Coding {
  file: string;
  size: string;
  /** As `scale` names it. */
  matrix: string;
  range?: 'tv' | 'pc';
  pixelFormat?: string;
  codec: readonly string[];
  /** Tags of matrix, transfer and primaries; none where undefined. */
  tags?: readonly [matrix: string, transfer: string, primaries: string];
  /** Colour space of the values; sRGB if undefined. */
  space?: Space;
}

/** Columns of a film before it gets its size: six colours have 16 each. */
const COLUMNS = 96;

/** Makes three frames of colours side by side. @param shown expected colours, 0 to 255 */
async function film(coding: Coding, ...shown: Triple[]): Promise<string> {
  const { file, size, matrix, range = 'tv', pixelFormat = 'yuv420p', codec, tags, space } = coding;
  const numbers = shown.map(([r, g, b]) => numbersOf([r / 255, g / 255, b / 255], space));
  /** A channel of the colour in each column. */
  const plane = (channel: 0 | 1 | 2) =>
    numbers.reduceRight((others, colour, index) => {
      const value = `${Math.round(colour[channel] * 65_535)}`;
      return others === '' ? value : `if(lt(X\\,${(COLUMNS * (index + 1)) / shown.length})\\,${value}\\,${others})`;
    }, '');
  const [m, t, p] = tags ?? [];
  const filters = [
    ...[`format=gbrp16le`, `geq=r=${plane(0)}:g=${plane(1)}:b=${plane(2)}`],
    `scale=${size.replace('x', ':')}:flags=neighbor,setsar=1`,
    ...(pixelFormat === 'gbrp' ? [] : [`scale=out_color_matrix=${matrix}:out_range=${range}`]),
    `format=${pixelFormat}`,
    ...(tags ? [`setparams=colorspace=${m}:color_trc=${t}:color_primaries=${p}`] : []),
  ];
  const input = ['-f', 'lavfi', '-i', `color=black:s=${COLUMNS}x16:r=10:d=0.3`, '-vf', filters.join(',')];
  return studio.make(file, ...input, ...codec, '-color_range', range);
}

/** Colours of a film, in the order of their columns, by the way in which they were delivered. */
type Delivered = ReadonlyMap<Way, readonly (readonly number[])[]>;

/** Delivers a film of these colours in every way. */
async function deliver(coding: Coding, ...shown: Triple[]): Promise<Delivered> {
  const input = await film(coding, ...shown);
  const delivered = new Map<Way, readonly (readonly number[])[]>();
  for (const way of WAYS) {
    const { width, height, pixel } = await ways.see(input, way);
    const middles = shown.map((_, index) => Math.floor((width * (index + 0.5)) / shown.length));
    delivered.set(
      way,
      middles.map((x) => pixel(x, height >> 1).slice(0, 3)),
    );
  }
  return delivered;
}

/** Expects a colour at its place in every way. */
function expectColour(delivered: Delivered, index: number, colour: readonly number[], most: number): void {
  for (const [way, pixels] of delivered)
    expect(furthest(pixels[index], colour), `${way}: ${pixels[index]}`).toBeLessThanOrEqual(most);
}

/** SDR counts as sRGB; HDR shows the light of a screen for BT.709 (ITU-R BT.1886). */
function numbersOf(share: Triple, space: Space | undefined): Triple {
  if (!space) return share;
  if (space.transfer === TRANSFERS.srgb) return fromSrgb(share, space);
  const light = times(
    matrixBetween('srgb', space.primaries),
    map(share, (value) => value ** 2.4),
  );
  return encodeLight(light, space);
}

const P3: Space = { primaries: 'p3', transfer: TRANSFERS.srgb };
const BT2020: Space = { primaries: 'bt2020', transfer: TRANSFERS.srgb };
const BT709 = ['bt709', 'bt709', 'bt709'] as const;

const CODINGS: readonly [name: string, coding: Coding][] = [
  ['of BT.709 in high definition', { file: 'a.mp4', size: '1280x720', matrix: 'bt709', codec: X264, tags: BT709 }],
  ['of BT.709 in standard definition', { file: 'b.mp4', size: '320x180', matrix: 'bt709', codec: X264, tags: BT709 }],
  [
    'of BT.709 in full range',
    { file: 'c.mp4', size: '320x180', matrix: 'bt709', range: 'pc', codec: X264, tags: BT709 },
  ],
  ['of BT.709 in VP9', { file: 'd.webm', size: '1280x720', matrix: 'bt709', codec: VP9, tags: BT709 }],
  [
    'of BT.709 in VP9, full range',
    { file: 'e.webm', size: '320x180', matrix: 'bt709', range: 'pc', codec: VP9, tags: BT709 },
  ],
  [
    'of BT.709 in ProRes',
    {
      file: 'f.mov',
      size: '320x180',
      matrix: 'bt709',
      pixelFormat: 'yuv422p10le',
      codec: ['-c:v', 'prores_ks'],
      tags: BT709,
    },
  ],
  [
    'of BT.709 with the curve of sRGB',
    { file: 'g.mp4', size: '320x180', matrix: 'bt709', codec: X264, tags: ['bt709', 'iec61966-2-1', 'bt709'] },
  ],
  [
    'of NTSC',
    { file: 'h.mp4', size: '320x240', matrix: 'bt601', codec: X264, tags: ['smpte170m', 'smpte170m', 'smpte170m'] },
  ],
  ['of PAL', { file: 'i.mp4', size: '320x240', matrix: 'bt601', codec: X264, tags: ['bt470bg', 'bt470bg', 'bt470bg'] }],
  [
    'of BT.601 in high definition',
    { file: 'j.mp4', size: '1280x720', matrix: 'bt601', codec: X264, tags: ['smpte170m', 'bt709', 'bt709'] },
  ],
  ['of high definition without tags', { file: 'k.mp4', size: '1280x720', matrix: 'bt709', codec: X264 }],
  ['that is upright and high, without tags', { file: 'l.mp4', size: '406x720', matrix: 'bt709', codec: X264 }],
  ['of standard definition without tags', { file: 'm.mp4', size: '320x180', matrix: 'bt601', codec: X264 }],
  [
    'of MPEG-4 without tags',
    { file: 'n.mp4', size: '320x180', matrix: 'bt601', codec: ['-c:v', 'mpeg4', '-q:v', '1'] },
  ],
  [
    'of RGB',
    {
      file: 'o.mov',
      size: '1280x720',
      matrix: 'bt709',
      range: 'pc',
      pixelFormat: 'gbrp',
      codec: ['-c:v', 'libx264rgb', '-qp', '0'],
    },
  ],
  [
    'of P3 in high definition',
    { file: 'p.mp4', size: '1280x720', matrix: 'bt709', codec: X264, tags: ['bt709', 'bt709', 'smpte432'], space: P3 },
  ],
  [
    'of P3 in standard definition, of an odd size',
    {
      file: 'q.mp4',
      size: '321x181',
      matrix: 'bt601',
      pixelFormat: 'yuv444p',
      codec: X264,
      tags: ['smpte170m', 'bt709', 'smpte432'],
      space: P3,
    },
  ],
  [
    'of BT.2020 without HDR',
    {
      file: 'r.mp4',
      size: '320x180',
      matrix: 'bt2020',
      pixelFormat: 'yuv420p10le',
      codec: X265,
      tags: ['bt2020nc', 'bt2020-10', 'bt2020'],
      space: BT2020,
    },
  ],
  [
    'of BT.2020 in VP9',
    {
      file: 's.webm',
      size: '320x180',
      matrix: 'bt2020',
      codec: VP9,
      tags: ['bt2020nc', 'bt709', 'bt2020'],
      space: BT2020,
    },
  ],
  [
    'of RGB with the primaries of P3',
    {
      file: 't.mov',
      size: '320x180',
      matrix: 'bt709',
      range: 'pc',
      pixelFormat: 'gbrp',
      codec: ['-c:v', 'libx264rgb', '-qp', '0'],
      tags: ['gbr', 'bt709', 'smpte432'],
      space: P3,
    },
  ],
];

describe.each(CODINGS)('a video %s', (_name, coding) => {
  let delivered: Delivered;
  beforeAll(async () => {
    delivered = await deliver(coding, GREY, COLOUR);
  });

  test.each([
    [GREY, 0],
    [COLOUR, 1],
  ])('shows %o in every way', (colour, index) => expectColour(delivered, index, colour, 3));
});

test.each([
  ['constant luminance', 'bt2020c', 'bt2020-10', 'bt2020'],
  ['a matrix of its primaries, with constant luminance', 'chroma-derived-c', 'bt709', 'bt2020'],
  ['ICtCp', 'ictcp', 'bt709', 'bt709'],
])('a grey video that is tagged with %s is shown', async (_name, ...tags) => {
  const coding = { file: `${tags[0]}.mp4`, size: '320x180', matrix: 'bt709', codec: X264 };
  const input = await film({ ...coding, tags }, GREY);
  for (const way of WAYS) expect(furthest(await ways.middle(input, way), GREY), way).toBeLessThanOrEqual(3);
});

describe.each([
  ['P3', 'bt709', { tags: ['bt709', 'bt709', 'smpte432'] }],
  ['BT.2020', 'bt2020', { tags: ['bt2020nc', 'bt709', 'bt2020'] }],
  ['PQ', 'bt2020', { tags: ['bt2020nc', 'smpte2084', 'bt2020'] }],
] as const)('a colour of %s beyond sRGB', (name, matrix, { tags }) => {
  let delivered: Delivered;
  beforeAll(async () => {
    const coding = { file: `${name}.mp4`, size: '320x180', matrix, pixelFormat: 'yuv420p10le', codec: X265, tags };
    delivered = await deliver(coding, [160, 0, 0], [0, 160, 0]);
  });

  test.each([
    ['red', 0],
    ['green', 1],
  ] as const)('%s is equally bright in every way', (_colour, channel) => {
    const still = delivered.get(WAYS[0])?.[channel]?.[channel] ?? 255;
    for (const [way, pixels] of delivered) {
      const pixel = pixels[channel];
      expect(Math.abs((pixel?.[channel] ?? 0) - still), `${way}: ${pixel}`).toBeLessThanOrEqual(6);
    }
  });
});

test.each([
  ['smaller', '1280x720', 'bt709', { width: 320 }],
  ['larger', '320x180', 'bt601', { width: 1280 }],
])('a video without tags says its matrix when it becomes %s', async (name, size, matrix, options) => {
  const input = await film({ file: `${name}.mp4`, size, matrix, codec: X264 }, COLOUR);
  const output = await studio.transcode(input, { quality: 100, ...options });
  expect((await studio.stream(output, 'v')).color_space).toBe(matrix === 'bt709' ? 'bt709' : 'smpte170m');
  const [frame] = await studio.frames(output);
  expect(furthest(frame?.at(100, 60), COLOUR)).toBeLessThanOrEqual(3);
});

describe.each([
  ['PQ', 'smpte2084', 'bt2020nc', { primaries: 'bt2020', transfer: TRANSFERS.pq }],
  ['HLG', 'arib-std-b67', 'bt2020nc', { primaries: 'bt2020', transfer: TRANSFERS.hlg }],
  ['PQ with the primaries of P3', 'smpte2084', 'bt709', { primaries: 'p3', transfer: TRANSFERS.pq }],
] as const)('a video in HDR by %s', (name, transfer, matrix, space) => {
  // zscale approximates HLG channel by channel, which makes colours a little stronger.
  const COLOURS = name === 'HLG' ? 18 : 12;
  const primaries = space.primaries === 'p3' ? 'smpte432' : 'bt2020';
  const coding: Coding = {
    file: `${name.replaceAll(' ', '-')}.mp4`,
    size: '320x180',
    matrix: matrix === 'bt709' ? matrix : 'bt2020',
    pixelFormat: 'yuv420p10le',
    codec: X265,
    tags: [matrix, transfer, primaries],
    space,
  };

  const SHOWN: [name: string, colour: Triple, most: number][] = [
    ['white', [255, 255, 255], 20],
    ['a light grey', [200, 200, 200], 8],
    ['a grey', [118, 118, 118], 8],
    ['a dark grey', [40, 40, 40], 8],
    ['a brown', [192, 128, 64], COLOURS],
    ['a dark blue', [32, 64, 96], COLOURS],
  ];
  let delivered: Delivered;
  beforeAll(async () => {
    delivered = await deliver(coding, ...SHOWN.map(([, colour]) => colour));
  });

  test.each(SHOWN.map((shown, index) => [...shown, index] as const))(
    'shows %s in every way',
    (_, colour, most, index) => expectColour(delivered, index, colour, most),
  );
});
