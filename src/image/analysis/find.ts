import { writeFile } from 'node:fs/promises';
import { createFaceDetector, detectFaces, type FaceDetector } from '@darkroom/faces/detect-faces';
import { smallCopy } from '@darkroom/faces/small-copy';
import type { Sharp } from 'sharp';
import type { Colour } from '../../transformation/syntax.ts';
import { findMs } from '../cost/find.ts';
import { findCutout } from '../cutout/find-cutout.ts';
import { createPeopleFinder, type PeopleFinder } from '../cutout/find-people.ts';
import { decoding, type OpenImage, openImage } from '../decode.ts';
import { type ImageFailure, resultOf } from '../failure.ts';
import type { InputLimits } from '../input.ts';
import { type MemoryCheck, UNLIMITED } from '../memory.ts';
import type { AnalysisResultTypes, AnalysisSpec } from './analysis.ts';
import { type Colours, findColours } from './colours.ts';
import { findEdges } from './edges.ts';
import type { Focus } from './focus.ts';
import { mapInterest } from './map-interest.ts';
import { takeSample } from './sample.ts';

export interface FindRequest {
  input: string;
  /** A file that does not exist yet; gets the result as JSON. */
  output: string;
  analysis: AnalysisSpec;
  /** Of an animation or a document; the first one by default. */
  page?: number | undefined;
  limits: InputLimits;
}

export type FindResult = { outcome: 'found' } | ImageFailure;

/** Detectors of the process. Each is loaded when it is first used. */
export interface Finders {
  faces: FaceDetector;
  people: PeopleFinder;
}

export function createFinders(): Finders {
  return { faces: createFaceDetector(), people: createPeopleFinder() };
}

/**
 * Finds something in an image once, for all its renders.
 * @throws NeedsMemory when there is not enough for it, FinderUnavailable
 */
export function analyse(
  { input, output, analysis, page, limits }: FindRequest,
  finders: Finders,
  checkMemory: MemoryCheck = UNLIMITED,
): Promise<FindResult> {
  return resultOf(async () => {
    const original = await openImage(input, limits, checkMemory, { page });
    checkMemory(original.megabytes, original.cpuMs + findMs(analysis.kind, original.upright));
    await writeFile(output, JSON.stringify(await look(original, analysis, { ...finders, checkMemory })));
    return { outcome: 'found' };
  });
}

function look(
  original: OpenImage,
  analysis: AnalysisSpec,
  { faces, people, checkMemory }: Finders & { checkMemory: MemoryCheck },
): Promise<AnalysisResultTypes[AnalysisSpec['kind']]> {
  const { image } = original;
  return decoding(async () => {
    switch (analysis.kind) {
      case 'faces':
        return focusOnFaces(image, faces);
      case 'interest':
        return { interest: await mapInterest(image) };
      case 'edges':
        return findEdges(original, analysis.tolerance, checkMemory);
      case 'ground':
        return backgroundOf(findColours(await takeSample(image)));
      case 'cutout':
        return findCutout(image, people);
    }
  });
}

async function focusOnFaces(image: Sharp, detector: FaceDetector): Promise<Focus> {
  const small = await smallCopy(image);
  const faces = await detectFaces(small, detector);
  if (faces.length > 0) return { faces };
  const { available } = await detector.status();
  return { interest: await mapInterest(small), ...(available ? {} : { areFacesUnknown: true }) };
}

const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 };

/**
 * Returns the background that continues an image beyond its edges: the commonest colour of its edge, or nothing where
 * most of that is transparent.
 */
function backgroundOf({ border }: Pick<Colours, 'border'>): Colour {
  if (border === undefined) return TRANSPARENT;
  const [red = 0, green = 0, blue = 0] = Buffer.from(border.slice(1), 'hex');
  return { red, green, blue, alpha: 255 };
}
