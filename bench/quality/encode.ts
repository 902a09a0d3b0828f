import sharp from 'sharp';
import type { EncoderOptions } from '../../src/image/encode/encoder-settings.ts';
import { type Picture, pipeline } from './pictures.ts';
import type { Metric, Pixels } from './ssimulacra2.ts';

/** What one encode cost and gave. */
export interface Encoded {
  /** Processor time of the encoder, all its threads, in milliseconds. */
  cpu: number;
  bytes: number;
  /** SSIMULACRA2 against the pixels that were encoded. */
  score: number;
}

/** Encodes a picture, decodes it again and scores it; without a metric (lossless formats) the score is 100. */
export async function encode<F extends keyof EncoderOptions>(
  picture: Picture,
  format: F,
  options: EncoderOptions[F],
  metric?: Metric,
): Promise<Encoded> {
  const before = process.cpuUsage();
  const data = await pipeline(picture).toFormat(format, options).toBuffer();
  const { user, system } = process.cpuUsage(before);
  const score = metric ? metric(picture, await decode(data, picture)) : 100;
  return { cpu: (user + system) / 1000, bytes: data.length, score };
}

async function decode(data: Buffer, { width, height }: Pixels): Promise<Pixels> {
  return { data: await sharp(data).toColourspace('srgb').removeAlpha().raw().toBuffer(), width, height };
}

/** The y at x on the line through the points nearest to x; points sorted or not, outside them the last line goes on. */
export function interpolate(points: readonly { x: number; y: number }[], x: number): number {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  const next = sorted.findIndex((point) => point.x >= x);
  const end = next === -1 ? sorted.length - 1 : Math.max(next, 1);
  const [a, b] = [sorted[end - 1], sorted[end]];
  if (!a || !b || a.x === b.x) return b?.y ?? Number.NaN;
  return a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y);
}

/** The value below which a share of the values lie; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const points = sorted.map((y, x) => ({ x, y }));
  return points.length < 2 ? (sorted[0] ?? Number.NaN) : interpolate(points, share * (sorted.length - 1));
}

export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
