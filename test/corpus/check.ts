import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ConvertRequest, ConvertResult } from '../../src/image/convert.ts';
import type { RenderRequest, RenderResult } from '../../src/image/pipeline.ts';
import type { ImageFormat } from '../../src/image/step.ts';
import { type Difference, difference } from './compare.ts';
import { type CorpusFile, pathOf } from './index.ts';
import { decoded, referenceOf } from './references.ts';
import { type Pixels, resample } from './resample.ts';
import { showsTheSame } from './taken-over.ts';

/** The renderer: in this process or in the service's worker pool. */
export interface Darkroom {
  render(request: RenderRequest): Promise<RenderResult>;
  convertHeic(request: ConvertRequest): Promise<ConvertResult>;
}

/** Result of one rendition. */
export interface Finding {
  file: string;
  /** `png, full size`. */
  rendition: string;
  /** Size of the result, such as `240x160`. */
  size?: string;
  /** Undefined without pixels to compare. */
  difference?: Difference;
  /** Description of the deviation; undefined if it matches its reference. */
  problem?: string;
}

/** Maximum mean CIEDE2000; doubled for tone-mapped files. */
export const LIMIT = 1;
const ALPHA_LIMIT = 2;
/** Loss of the encoders themselves is not tested. */
const QUALITY = 100;
export const FORMATS = ['png', 'jpeg', 'webp', 'avif'] as const satisfies readonly ImageFormat[];
const WIDTHS = [undefined, 200] as const;
const NOTHING: Difference = { mean: 0, largest: 0, alpha: 0 };
const SIZES = { inputMegapixels: 100, outputSide: 8192, outputMegapixels: 50, animationFrames: 2000 };
const LIMITS: RenderRequest['limits'] = { ...SIZES, documents: ['tiff'] };

/**
 * Renders a file at its full size and 200 pixels wide, in each format, and compares the results with its reference. A
 * HEIC is also rendered as after an upload.
 * @param folder for the results
 */
export async function checkFile(entry: CorpusFile, darkroom: Darkroom, folder: string): Promise<Finding[]> {
  const { file } = entry;
  const original = pathOf(entry);
  if (entry.refused) return [await checkRefusal(entry, darkroom, folder)];
  const full = await referenceOf(entry.reference);
  const small = resample(full, 200, Math.round((full.height * 200) / full.width));
  const inputs = [{ original, name: '' }];
  if (/\.hei[cf]$/.test(file)) {
    const kept = join(folder, `${file}.jpg`);
    const { outcome } = await darkroom.convertHeic({ input: original, output: kept, limits: LIMITS });
    if (outcome !== 'converted') return [{ file, rendition: 'upload', problem: outcome }];
    inputs.push({ original: kept, name: ', uploaded' });
  }
  const analysis: Finding[] = [];
  for (const { original, name } of inputs) {
    for (const format of FORMATS) {
      for (const width of WIDTHS) {
        const rendition = `${format}, ${width ?? 'full size'}${name}`;
        const output = join(folder, `${file}-${width ?? 'full'}${name && '-uploaded'}.${format}`);
        const options = { quality: QUALITY, ...(width && { width }) };
        const request: RenderRequest = { inputs: { original }, output, options, format, limits: LIMITS };
        const result = await darkroom.render(request);
        // An upload flattens a HEIC onto white.
        const isFlat = format === 'jpeg' || name !== '';
        const wanted = width ? small : full;
        analysis.push({
          file,
          rendition,
          ...(await judge(entry, result, output, isFlat ? flattened(wanted) : wanted)),
        });
      }
    }
  }
  return analysis;
}

async function checkRefusal(entry: CorpusFile, darkroom: Darkroom, folder: string): Promise<Finding> {
  const output = join(folder, `${entry.file}.refused`);
  const inputs = { original: pathOf(entry) };
  const result = await darkroom.render({ inputs, output, options: {}, format: 'png', limits: LIMITS });
  const isRefused = result.outcome !== 'rendered';
  return { file: entry.file, rendition: 'refusal', ...(!isRefused && { problem: 'it is rendered' }) };
}

async function judge(
  entry: CorpusFile,
  result: RenderResult,
  output: string,
  wanted: Pixels,
): Promise<Omit<Finding, 'file' | 'rendition'>> {
  if (result.outcome !== 'rendered') return { problem: `${result.outcome}: ${result.reason}` };
  const bytes = await readFile(output);
  if (bytes.length !== result.size) return { problem: `${bytes.length} bytes instead of ${result.size}` };
  const picture = await decoded(output);
  const { hasAlpha } = await sharp(output).metadata();
  const size = `${picture.width}x${picture.height}`;
  const right = `${wanted.width}x${wanted.height}`;
  if (size !== right) return { size, problem: `${size} instead of ${right}` };
  const isTransparent = wanted.data.some((value, index) => index % 4 === 3 && value < 255);
  if (isTransparent !== hasAlpha && isTransparent) return { problem: 'its alpha is gone' };
  const isSame = showsTheSame(bytes, await readFile(pathOf(entry)));
  const found = isSame ? NOTHING : difference(picture, wanted);
  const limit = entry.toneMapped ? 2 * LIMIT : LIMIT;
  const problems = [
    ...(found.mean > limit ? [`mean CIEDE2000 ${found.mean.toFixed(2)}`] : []),
    ...(found.alpha > ALPHA_LIMIT ? [`alpha ${found.alpha.toFixed(1)} off`] : []),
  ];
  return { size, difference: found, ...(problems.length > 0 && { problem: problems.join(', ') }) };
}

/** Flattens onto white, as formats without alpha do. */
function flattened({ width, height, data }: Pixels): Pixels {
  const flat = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    for (let channel = 0; channel < 3; channel++) {
      flat[at + channel] = ((data[at + channel] ?? 0) * alpha) / 255 + 255 - alpha;
    }
    flat[at + 3] = 255;
  }
  return { width, height, data: flat };
}
