import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { openStudio, type Studio } from '../../test/pictures/studio.ts';
import { interpolate } from '../quality/encode.ts';
import { loadSsimulacra2, type Metric, type Pixels } from '../quality/ssimulacra2.ts';
import { median, spread, table } from '../tools/report.ts';

/** Photos: of drawings lossless formats are the better choice, which is what `q_auto` finds out. */
const PICTURES = ['photo-2725x2225.jpg', 'orientation-1.jpg', 'still.avif', 'winter-1440x960.heic'];
const FORMATS = ['avif', 'webp', 'jpeg'] as const;
/** Of our own scale. */
const QUALITIES = [30, 40, 50, 60, 70, 80, 85, 90, 95, 100];

const OTHERS: Readonly<Record<string, (pixels: Sharp) => Sharp>> = {
  'JPEG 85': (pixels) => pixels.jpeg({ quality: 85 }),
  'WebP, default (80)': (pixels) => pixels.webp(),
  'AVIF, default (50)': (pixels) => pixels.avif(),
};

interface Point {
  score: number;
  bytes: number;
}

/** Bytes of `w_800` in each format that negotiation can choose, at the visual quality of other encoders' usual settings. */
export async function measureBytes(quick: boolean): Promise<string> {
  const metric = await loadSsimulacra2().catch((error: Error) => error);
  if (metric instanceof Error) return `### Bytes at equal visual quality\n\nNot measured. ${metric.message}`;
  const studio = await openStudio();
  const ours: string[][] = [];
  const ratiosOf = new Map<string, number[]>();
  for (const name of quick ? PICTURES.slice(0, 1) : PICTURES) {
    const input = fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
    // What every encoder is given and compared with.
    const exact = await pixelsOf(await readFile((await studio.render(input, 'w_800,f_png')).file));
    const curves = new Map<string, Point[]>();
    for (const format of FORMATS) curves.set(format, await curveOf(studio, input, format, exact, metric));
    const defaults = FORMATS.map((format) => curves.get(format)?.[QUALITIES.indexOf(85)] as Point);
    ours.push([name, ...defaults.map(({ bytes, score }) => `${kilobytes(bytes)} (${score.toFixed(1)})`)]);
    for (const [other, encode] of Object.entries(OTHERS)) {
      const target = await measure(await encode(sharpOf(exact)).toBuffer(), exact, metric);
      for (const format of FORMATS) {
        const points = rising(curves.get(format) ?? []).map(({ score, bytes }) => ({ x: score, y: bytes }));
        const key = `${other} ${format}`;
        ratiosOf.set(key, [...(ratiosOf.get(key) ?? []), interpolate(points, target.score) / target.bytes]);
      }
    }
    process.stderr.write(`  ${name}\n`);
  }
  await studio.close();
  return describe(ours, ratiosOf);
}

async function curveOf(studio: Studio, input: string, format: string, exact: Pixels, metric: Metric): Promise<Point[]> {
  const points: Point[] = [];
  for (const quality of QUALITIES) {
    const { file } = await studio.render(input, `w_800,q_${quality},f_${format}`);
    points.push(await measure(await readFile(file), exact, metric));
  }
  return points;
}

async function measure(encoded: Buffer, exact: Pixels, metric: Metric): Promise<Point> {
  return { bytes: encoded.length, score: metric(exact, await pixelsOf(encoded)) };
}

async function pixelsOf(file: Buffer): Promise<Pixels> {
  const image = sharp(file).toColourspace('srgb').removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function sharpOf({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** Only points above all before them: at the ends a metric may dip. */
function rising(curve: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of curve) if (point.score > (kept.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) kept.push(point);
  return kept;
}

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

function describe(ours: readonly string[][], ratiosOf: ReadonlyMap<string, number[]>): string {
  const rows = Object.keys(OTHERS).map((other) => [
    other,
    ...FORMATS.map((format) => spread(ratiosOf.get(`${other} ${format}`) ?? [Number.NaN])),
  ]);
  const avif = median(ratiosOf.get('JPEG 85 avif') ?? []);
  return [
    '### Bytes at equal visual quality',
    '',
    '`w_800` (`q_85`, which nobody has to write) in each format that negotiation can choose: size and SSIMULACRA2 (90: no difference to be',
    'seen, 70: high quality) against the lossless picture.',
    '',
    table(['picture', ...FORMATS], ours),
    '',
    'Our bytes, at the quality `q` that reaches the same score (interpolated), as a share of the bytes of encoders as they are usually set',
    `(sharp's own options): median and range over the pictures. Who takes AVIF gets ${Math.round((1 - avif) * 100)} % fewer bytes than JPEG of quality 85 at equal quality.`,
    '',
    table(['against', ...FORMATS.map((format) => `our ${format}`)], rows),
  ].join('\n');
}
