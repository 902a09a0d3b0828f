import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertHeic } from '../../src/image/convert.ts';
import { prepareSharp } from '../../src/image/loaders.ts';
import { renderImage } from '../../src/image/pipeline.ts';
import { checkFile, type Darkroom } from './check.ts';
import { corpus } from './index.ts';
import { drawn, FORMULAS } from './references.ts';
import { resample } from './resample.ts';

/** `npm run corpus` runs all of them, in the workers of the service. */
const SMALL_SET = [
  ...[
    'baseline-420.jpg',
    'progressive.jpg',
    'arithmetic.jpg',
    'restart.jpg',
    'lossless.jpg',
    'cmyk.jpg',
    'ycck-icc.jpg',
  ],
  ...['icc-v4.jpg', 'icc-lab.jpg', 'no-end.jpg', 'orientation-5.jpg', 'multi-picture.jpg'],
  ...['grey-1.png', 'grey-16.png', 'palette-4-interlaced.png', 'palette-hole.png', 'rgba-16.png', 'rgb-key.png'],
  ...['gama-1.8.png', 'chrm-p3.png', 'icc-grey-16.png', 'cicp-pq.png', 'orientation-7.png'],
  ...['lossless-alpha.webp', 'icc-v4.webp', 'animated-offset.webp', 'orientation-6.webp'],
  ...[
    'still-10-422.avif',
    'limited-range.avif',
    'nclx-p3.avif',
    'bright-pq.avif',
    'nclx-hlg.avif',
    'alpha-premultiplied.avif',
  ],
  ...['grid.avif', 'sequence.avif', 'orientation-8.avif'],
  ...['nclx-pq.heic', 'alpha-premultiplied.heic', 'grid-turned.heic'],
  ...['disposal-3.gif', 'offset.gif', 'offset-opaque.gif', 'zero-screen.gif', 'small-screen.gif', 'interlaced.gif'],
  ...['primary-second.avif', 'limited-grey-10.avif', 'limited-alpha.avif', 'turned-alpha.avif'],
  ...['layers-two-of-three.avif', 'layers-selected.avif', 'layers-point.avif'],
  ...['bitmap.psd', 'rgb-16.psd', 'rgb-alpha.psd', 'lab-8.psd', 'cmyk.psd'],
  ...['rgb-12-icc.tif', 'planes-alpha.tif', 'lab-16.tif', 'lab-alpha.tif', 'grey-10-white.tif', 'signed.tif'],
];

const IN_PROCESS: Darkroom = { render: renderImage, convertHeic };

let folder: string;
beforeAll(async () => {
  prepareSharp();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-corpus-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a picture comes out as its reference shows it, at full size and at 200 pixels, in every format', () => {
  test.for(SMALL_SET)('%s', async (file) => {
    const entry = corpus.find((candidate) => candidate.file === file);
    if (!entry) throw new Error(`Expected ${file} in the index.`);
    const analysis = await checkFile(entry, IN_PROCESS, folder);
    expect(analysis.filter(({ problem }) => problem)).toEqual([]);
  });
});

test('the index names every file of the corpus once, each with a reference that is there', async () => {
  const inFolder = (name: string) => readdir(fileURLToPath(new URL(name, import.meta.url)));
  expect(corpus.map(({ file }) => file).toSorted()).toEqual((await inFolder('files')).toSorted());
  const drawings = new Set(corpus.map(({ reference }) => reference).filter((reference) => reference.endsWith('.png')));
  expect([...drawings].toSorted()).toEqual((await inFolder('references')).toSorted());
});

test('the resampler of the references keeps a flat colour and the sum of what it squeezes', () => {
  const flat = resample(
    drawn(() => [0.2, 0.4, 0.6, 1]),
    200,
    133,
  );
  expect([...new Set(flat.data)]).toEqual([51, 102, 153, 255]);
  const { grey } = FORMULAS;
  if (!grey) throw new Error('Expected the grey scene.');
  const mean = ({ data }: { data: ArrayLike<number> }) =>
    Array.from(data).reduce((sum, value) => sum + value, 0) / data.length;
  expect(mean(resample(drawn(grey), 200, 133))).toBeCloseTo(mean(drawn(grey)), 0);
});
