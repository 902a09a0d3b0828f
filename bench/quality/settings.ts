import type { AvifOptions, GifOptions, JpegOptions, PngOptions, WebpOptions } from 'sharp';
import { type Encoded, encode, interpolate, mean } from './encode.ts';
import { type Picture, pictures } from './pictures.ts';
import type { Metric } from './ssimulacra2.ts';

interface Setting {
  format: 'jpeg' | 'webp' | 'avif';
  name: string;
  options: JpegOptions & WebpOptions & AvifOptions;
}

/** Three qualities round the one that looks like JPEG 85; the table shows the cost of the middle one. */
const QUALITIES = { jpeg: [75, 85, 93], webp: [70, 82, 92], avif: [58, 72, 84] } as const;

const LOSSY: readonly Setting[] = [
  { format: 'jpeg', name: 'plain', options: {} },
  { format: 'jpeg', name: 'progressive', options: { progressive: true } },
  { format: 'jpeg', name: 'progressive, table 3', options: { progressive: true, quantisationTable: 3 } },
  { format: 'jpeg', name: 'progressive 4:4:4', options: { progressive: true, chromaSubsampling: '4:4:4' } },
  { format: 'jpeg', name: 'mozjpeg, no scan search', options: { mozjpeg: true, optimiseScans: false } },
  { format: 'jpeg', name: 'mozjpeg', options: { mozjpeg: true } },
  { format: 'jpeg', name: 'mozjpeg 4:4:4', options: { mozjpeg: true, chromaSubsampling: '4:4:4' } },
  ...[0, 1, 2, 3, 4].map((effort) => ({ format: 'webp', name: `effort ${effort}`, options: { effort } }) as const),
  { format: 'webp', name: 'effort 2, smart subsampling', options: { effort: 2, smartSubsample: true } },
  { format: 'webp', name: 'effort 4, smart subsampling', options: { effort: 4, smartSubsample: true } },
  ...[0, 1, 2, 3, 4].map(
    (effort) => ({ format: 'avif', name: `effort ${effort}, 4:4:4`, options: { effort } }) as const,
  ),
  ...[1, 2, 3].map(
    (effort) =>
      ({ format: 'avif', name: `effort ${effort}, 4:2:0`, options: { effort, chromaSubsampling: '4:2:0' } }) as const,
  ),
];

const LOSSLESS: readonly { format: 'png' | 'gif'; name: string; options: PngOptions & GifOptions }[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (compressionLevel) =>
      ({ format: 'png', name: `level ${compressionLevel}`, options: { compressionLevel } }) as const,
  ),
  ...[3, 6, 9].map(
    (compressionLevel) =>
      ({
        format: 'png',
        name: `level ${compressionLevel}, adaptive filter`,
        options: { compressionLevel, adaptiveFiltering: true },
      }) as const,
  ),
  ...[1, 4, 7, 10].map((effort) => ({ format: 'gif', name: `effort ${effort}`, options: { effort } }) as const),
];

/**
 * Cost of the encoders' settings, and their bytes at the look of plain JPEG 85, as a Markdown table; `only` limits it to
 * plain JPEG and the settings of one format.
 */
export async function compareSettings(metric: Metric, write: (line: string) => void, only?: string): Promise<void> {
  const isAsked = (setting: { format: string }) => !only || setting.format === only;
  const shown = await pictures(800);
  write('| encoder | setting | CPU ms | score | photo KB | graphic KB | photo bytes, equal look |');
  write('|---|---|--:|--:|--:|--:|--:|');
  const baseline = new Map<Picture, Encoded>();
  for (const { format, name, options } of LOSSY.filter((setting, index) => index === 0 || isAsked(setting))) {
    const cells: (Encoded & { picture: Picture; ratio: number })[] = [];
    for (const picture of shown) {
      const results = [];
      for (const quality of QUALITIES[format]) {
        results.push(await encode(picture, format, { ...options, quality }, metric));
      }
      const middle = results[1] as Encoded;
      const target = baseline.get(picture) ?? middle;
      baseline.set(picture, target);
      const points = results.map(({ score, bytes }) => ({ x: score, y: Math.log(bytes) }));
      cells.push({ picture, ...middle, ratio: Math.exp(interpolate(points, target.score)) / target.bytes });
    }
    const photos = cells.filter((cell) => cell.picture.kind === 'photo');
    const equalLook = Math.round(100 * Math.exp(mean(photos.map((cell) => Math.log(cell.ratio)))));
    const score = mean(cells.map((cell) => cell.score)).toFixed(1);
    write(`| ${format} | ${name} | ${costs(cells, score)} | ${equalLook} % |`);
  }
  for (const { format, name, options } of LOSSLESS.filter(isAsked)) {
    const cells: (Encoded & { picture: Picture })[] = [];
    for (const picture of shown) cells.push({ picture, ...(await encode(picture, format, options)) });
    write(`| ${format} | ${name} | ${costs(cells, '')} | |`);
  }
}

function costs(cells: readonly (Encoded & { picture: Picture })[], score: string): string {
  const kilobytes = (kind: Picture['kind']) => {
    const bytes = cells.filter((cell) => cell.picture.kind === kind).map((cell) => cell.bytes);
    return (mean(bytes) / 1024).toFixed(1);
  };
  const cpu = Math.round(mean(cells.map((cell) => cell.cpu)));
  return `${cpu} | ${score} | ${kilobytes('photo')} | ${kilobytes('graphic')}`;
}
