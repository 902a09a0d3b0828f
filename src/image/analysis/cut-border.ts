import type { FocalPoint } from '../../focal-point.ts';
import { findMs } from '../cost/find.ts';
import type { OpenImage } from '../decode.ts';
import { holdImage, imageOf } from '../drawing/chains.ts';
import { type Rectangle, shareOf } from '../layout/geometry.ts';
import type { MemoryCheck } from '../memory.ts';
import type { ImageOptions } from '../steps/index.ts';
import type { AnalysisResults } from './analysis.ts';
import { type Focus, focusWithin } from './focus.ts';

const BYTES_PER_PIXEL = 4;

interface Subject {
  original: OpenImage;
  options: ImageOptions;
  analysis: AnalysisResults;
}

/**
 * Cuts off the border of an image that is turned by other than quarters: afterwards what is left of it is no rectangle.
 * For quarter turns the layout leaves the border out.
 * @returns the rest as an image in memory, with options and analysis results in its pixels
 * @throws the error of sharp when the image cannot be decoded, NeedsMemory
 */
export async function cutBorder(subject: Subject, checkMemory: MemoryCheck): Promise<Subject> {
  const { original, options, analysis } = subject;
  const { edges, ...others } = analysis;
  if (!edges || (options.angle?.degrees ?? 0) % 90 === 0) return subject;
  const megabytes = original.megabytes + (edges.width * edges.height * BYTES_PER_PIXEL) / 1e6;
  checkMemory(megabytes, original.cpuMs + findMs('edges', original.upright));
  const image = original.image.clone().autoOrient().extract(edges).toColourspace('srgb');
  const held = await holdImage(image, edges);
  const area = shareOf(edges, original.upright);
  const { gravity } = options;
  return {
    original: {
      ...original,
      image: imageOf(held),
      upright: { width: edges.width, height: edges.height },
      pixels: 'other',
      becomesSrgb: 'at once',
      megabytes,
    },
    options: typeof gravity === 'object' ? { ...options, gravity: pointWithin(gravity, area) } : options,
    analysis: { ...others, ...mapped(others, area) },
  };
}

function mapped({ faces, interest, cutout }: AnalysisResults, area: Rectangle): AnalysisResults {
  const within = (focus: Focus) => focusWithin(focus, area);
  return {
    ...(faces && { faces: within(faces) }),
    ...(interest && { interest: within(interest) }),
    ...(cutout && { cutout: { ...cutout, area } }),
  };
}

function pointWithin({ x, y }: FocalPoint, area: Rectangle): FocalPoint {
  const share = (value: number) => Math.min(1, Math.max(0, value));
  return { x: share((x - area.left) / area.width), y: share((y - area.top) / area.height) };
}
