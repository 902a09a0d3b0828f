import type { AnalysisResults } from '../analysis/analysis.ts';
import type { InputLimits } from '../input.ts';
import { type Length, type Rectangle, type Region, roundSize, type Size } from '../layout/geometry.ts';
import { layoutOf } from '../layout/layout-of.ts';
import type { ImageOptions } from '../steps/index.ts';

/** Layouts that never enlarge are made for a drawing of this many times its size, because drawings can be enlarged. */
const FREELY = 1000;
/** Neither libvips nor PDFium draws longer sides. */
const LONGEST_SIDE = 16_383;
/** Pixel limit of drawings that are only shrunk: a page of A4 at five times its size. */
const SHRUNK_MEGAPIXELS = 13;

/**
 * Returns the factor by which a drawing has to be enlarged, so that no pixel of the result comes from less than one of
 * it.
 * @throws LimitExceeded when nothing of it would be left
 */
export function drawnScale(natural: Size, options: ImageOptions, analysis: AnalysisResults): number {
  const factor = options.crop === 'fit' && options.enlarge !== false ? FREELY : 1;
  const wide = timesDrawn({ options, analysis }, factor);
  const { area: visible, content } = layoutOf(scaled(natural, factor), wide.options, wide.analysis);
  return factor * Math.max(content.width / visible.width, content.height / visible.height);
}

/**
 * The size that a drawing is drawn at, no larger than images may be. What is to be larger is enlarged as images are.
 */
export function drawnSize(natural: Size, scale: number, { inputMegapixels }: InputLimits): Size {
  return scaled(natural, Math.min(scale, mostTimes(natural, inputMegapixels)));
}

/**
 * Returns the factor by which a result is drawn larger and then shrunk: a whole number.
 * @param leastScale from which on thin lines are right
 */
export function timesFiner(natural: Size, size: Size, leastScale: number, { inputMegapixels }: InputLimits): number {
  const factor = Math.ceil((leastScale * natural.width) / size.width);
  const most = mostTimes(size, Math.min(SHRUNK_MEGAPIXELS, inputMegapixels));
  return Math.max(1, Math.min(factor, Math.floor(most)));
}

/** The factor by which a size reaches a limit. */
function mostTimes({ width, height }: Size, megapixels: number): number {
  return Math.min(Math.sqrt((megapixels * 1e6) / (width * height)), LONGEST_SIDE / Math.max(width, height));
}

/** Converts options and analysis results from pixels of a drawing to those of a larger one. */
export function timesDrawn<T extends { options: ImageOptions; analysis: AnalysisResults }>(
  subject: T,
  factor: number,
): T {
  const { options, analysis } = subject;
  if (factor === 1) return subject;
  return {
    ...subject,
    options: { ...options, ...(options.region && { region: regionTimes(options.region, factor) }) },
    analysis: { ...analysis, ...(analysis.edges && { edges: edgesTimes(analysis.edges, factor) }) },
  };
}

function regionTimes({ left, top, width, height }: Region, factor: number): Region {
  const times = (length: Length) => ('pixels' in length ? { pixels: length.pixels * factor } : length);
  return { left: times(left), top: times(top), width: times(width), height: times(height) };
}

function edgesTimes({ left, top, width, height }: Rectangle, factor: number): Rectangle {
  const x = Math.round(left * factor);
  const y = Math.round(top * factor);
  return {
    left: x,
    top: y,
    width: Math.max(1, Math.round((left + width) * factor) - x),
    height: Math.max(1, Math.round((top + height) * factor) - y),
  };
}

function scaled({ width, height }: Size, factor: number): Size {
  return roundSize({ width: width * factor, height: height * factor });
}
