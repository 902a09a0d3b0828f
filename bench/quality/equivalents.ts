import { encoderSettings } from '../../src/image/encode/encoder-settings.ts';
import { encode, interpolate, quantile } from './encode.ts';
import { type Picture, pictures } from './pictures.ts';
import type { Metric } from './ssimulacra2.ts';

const JPEG = [10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100];
const OTHER = [1, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 100];
const FORMATS = ['webp', 'avif'] as const;

interface Point {
  quality: number;
  score: number;
  bytes: number;
}

/** For each JPEG quality the WebP and AVIF quality of the same score: median over pictures of a kind, with quartiles. */
export async function findEquivalents(
  metric: Metric,
  write: (line: string) => void,
  kind: Picture['kind'],
): Promise<void> {
  const shown = (await pictures()).filter((picture) => picture.kind === kind);
  const found = JPEG.map((jpeg) => ({ jpeg, score: [] as number[], webp: [] as Match[], avif: [] as Match[] }));
  for (const picture of shown) {
    const curve = async (format: 'jpeg' | 'webp' | 'avif', qualities: readonly number[]): Promise<Point[]> => {
      const points = [];
      for (const quality of qualities) {
        const { score, bytes } = await encode(picture, format, encoderSettings(format, quality), metric);
        points.push({ quality, score, bytes });
      }
      return points;
    };
    const reference = await curve('jpeg', JPEG);
    const curves = { webp: await curve('webp', OTHER), avif: await curve('avif', OTHER) };
    found.forEach((row, index) => {
      const target = reference[index] as Point;
      row.score.push(target.score);
      for (const format of FORMATS) row[format].push(match(curves[format], target));
    });
    process.stderr.write(
      `${picture.name}: JPEG 85 scores ${reference.find((p) => p.quality === 85)?.score.toFixed(1)}\n`,
    );
  }
  write(`\n${shown.length} times a ${kind}: median (quartiles).\n`);
  write('| JPEG | SSIMULACRA2 | WebP | bytes | AVIF | bytes |');
  write('|--:|--:|--:|--:|--:|--:|');
  for (const row of found) {
    const cells = FORMATS.map((format) => `${spread(row[format].map((m) => m.quality))} | ${percent(row[format])}`);
    write(`| ${row.jpeg} | ${quantile(row.score, 0.5).toFixed(1)} | ${cells.join(' | ')} |`);
  }
}

interface Match {
  quality: number;
  /** Bytes as a share of the JPEG's. */
  ratio: number;
}

/** The quality, held to 1 to 100, at which a curve reaches the target's score. */
function match(curve: readonly Point[], target: Point): Match {
  const quality = interpolate(
    rising(curve).map(({ score, quality: y }) => ({ x: score, y })),
    target.score,
  );
  const held = Math.min(100, Math.max(1, quality));
  const bytes = interpolate(
    curve.map((point) => ({ x: point.quality, y: point.bytes })),
    held,
  );
  return { quality: held, ratio: bytes / target.bytes };
}

/** Only the points above all before them: at the ends a metric may dip. */
function rising(curve: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of curve) if (point.score > (kept.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) kept.push(point);
  return kept;
}

function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => Math.round(quantile(values, share)));
  return `${middle} (${low} to ${high})`;
}

const percent = (matches: readonly Match[]) =>
  `${Math.round(
    100 *
      quantile(
        matches.map((m) => m.ratio),
        0.5,
      ),
  )} %`;
