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
import { furthest, openWays, WAYS, type Ways } from '../../../test/video-ways.ts';

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

/** Encoding of a flat colour, and its tags in the stream. */
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

/** Makes three frames of one colour. @param shown expected colour, 0 to 255 */
async function film(coding: Coding, shown: Triple): Promise<string> {
  const { file, size, matrix, range = 'tv', pixelFormat = 'yuv420p', codec, tags, space } = coding;
  const share: Triple = [shown[0] / 255, shown[1] / 255, shown[2] / 255];
  const numbers = numbersOf(share, space);
  const [r, g, b] = numbers.map((value) => Math.round(value * 65_535));
  const [m, t, p] = tags ?? [];
  const filters = [
    ...[`format=gbrp16le`, `geq=r=${r}:g=${g}:b=${b}`, `scale=${size.replace('x', ':')}:flags=neighbor`],
    ...(pixelFormat === 'gbrp' ? [] : [`scale=out_color_matrix=${matrix}:out_range=${range}`]),
    `format=${pixelFormat}`,
    ...(tags ? [`setparams=colorspace=${m}:color_trc=${t}:color_primaries=${p}`] : []),
  ];
  const input = ['-f', 'lavfi', '-i', 'color=black:s=16x16:r=10:d=0.3', '-vf', filters.join(',')];
  return studio.make(file, ...input, ...codec, '-color_range', range);
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
  test.each([[GREY], [COLOUR]])('shows %o in every way', async (colour) => {
    const input = await film(coding, colour);
    for (const way of WAYS) {
      const pixel = await ways.middle(input, way);
      expect(furthest(pixel, colour), `${way}: ${pixel}`).toBeLessThanOrEqual(3);
    }
  });
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
  test.each([
    ['red', [160, 0, 0], 0],
    ['green', [0, 160, 0], 1],
  ] as const)('%s is equally bright in every way', async (colour, numbers, channel) => {
    const file = `${name}-${colour}.mp4`;
    const input = await film({ file, size: '320x180', matrix, pixelFormat: 'yuv420p10le', codec: X265, tags }, [
      ...numbers,
    ]);
    const still = await ways.middle(input, WAYS[0]);
    for (const way of WAYS) {
      const pixel = await ways.middle(input, way);
      expect(Math.abs((pixel[channel] ?? 0) - (still[channel] ?? 255)), `${way}: ${pixel}`).toBeLessThanOrEqual(6);
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

  test.each([
    ['white', [255, 255, 255], 20],
    ['a light grey', [200, 200, 200], 8],
    ['a grey', [118, 118, 118], 8],
    ['a dark grey', [40, 40, 40], 8],
    ['a brown', [192, 128, 64], COLOURS],
    ['a dark blue', [32, 64, 96], COLOURS],
  ] as const)('shows %s in every way', async (_colour, colour, most) => {
    const input = await film(coding, colour);
    for (const way of WAYS) {
      const pixel = await ways.middle(input, way);
      expect(furthest(pixel, colour), `${way}: ${pixel}`).toBeLessThanOrEqual(most);
    }
  });
});
