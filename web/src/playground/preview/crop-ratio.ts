import { useRef, useState } from 'react';
import type { Asset, Parameter } from '../../api/types.ts';
import { valueIn, withValue } from '../segment.ts';
import { fitRatio, formatRegion, parseRatio, parseRegion, type Size, turned, USUAL_RATIOS } from './geometry.ts';

/** Ratio that the crop rectangle keeps. `result` is that of `w` and `h`, or of `ar`. */
export type Ratio = 'result' | 'free' | 'original' | (typeof USUAL_RATIOS)[number];
export const RATIOS: readonly Ratio[] = ['result', 'free', 'original', ...USUAL_RATIOS];

/** Width through height that a transformation gives its result; undefined if it follows the image. */
export function ratioOfResult(segment: string, parameters: readonly Parameter[]): number | undefined {
  const value = (key: string) => valueIn(segment, key, parameters) ?? '';
  return parseRatio(`${value('w')}:${value('h')}`) ?? parseRatio(value('ar'));
}

/** Width through height, in fractions of an image. @param result as `ratioOfResult` returns it */
export function lockOf(ratio: Ratio, { width, height }: Size, result: number | undefined): number | undefined {
  if (ratio === 'free') return undefined;
  if (ratio === 'original') return 1;
  const wanted = ratio === 'result' ? result : parseRatio(ratio);
  return wanted && (wanted * height) / width;
}

export interface CropRatio {
  ratio: Ratio;
  choose(ratio: Ratio): void;
  /** Fits the region of a changed transformation to its result, where the crop is locked to that. */
  follow(next: string): string;
}

/** Ratio of the crop rectangle: that of the result as soon as it has one, unless another is chosen. */
export function useCropRatio(source: Asset, segment: string, parameters: readonly Parameter[]): CropRatio {
  const regionIn = (text: string) => valueIn(text, 'rg', parameters) ?? '';
  const [chosen, choose] = useState<Ratio>(() => (isOfOtherRatio(source, segment, parameters) ? 'free' : 'result'));
  /** The last region that was fitted. While a number is typed, each of its digits starts from the same one. */
  const fitted = useRef({ from: '', to: '' });
  const result = ratioOfResult(segment, parameters);
  return {
    ratio: chosen === 'result' && result === undefined ? 'free' : chosen,
    choose,
    follow(next) {
      const wanted = ratioOfResult(next, parameters);
      const size = croppedSizeOf(source, next, parameters);
      const region = regionIn(next);
      if (chosen !== 'result' || !size || wanted === undefined || wanted === result) return next;
      const from = region === fitted.current.to ? fitted.current.from : region;
      const box = parseRegion(from, size);
      const lock = lockOf('result', size, wanted);
      if (!box || !lock) return next;
      fitted.current = { from, to: formatRegion(fitRatio(box, lock)) };
      return withValue(next, 'rg', fitted.current.to, parameters);
    },
  };
}

/** True for a region that somebody has given another ratio than that of the result: it stays as it is. */
function isOfOtherRatio(source: Asset, segment: string, parameters: readonly Parameter[]): boolean {
  const size = croppedSizeOf(source, segment, parameters);
  const box = size && parseRegion(valueIn(segment, 'rg', parameters) ?? '', size);
  const lock = size && lockOf('result', size, ratioOfResult(segment, parameters));
  return box !== undefined && lock !== undefined && Math.abs(box.width / box.height / lock - 1) > 0.02;
}

/** Pixels in which `rg` counts; undefined until the file is described. */
function croppedSizeOf(source: Asset, segment: string, parameters: readonly Parameter[]): Size | undefined {
  const { width, height } = source;
  return width && height ? turned({ width, height }, valueIn(segment, 'a', parameters) ?? '') : undefined;
}
