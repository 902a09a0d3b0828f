import type { Colour } from '../../transformation/syntax.ts';
import type { Rectangle } from '../layout/geometry.ts';
import type { Focus } from './focus.ts';

/** Results of the analyses of an image, each run once for all its renders. */
export interface AnalysisResultTypes {
  /** Its faces; where it has none, what is of interest. */
  faces: Focus;
  /** Regions of interest, without faces. */
  interest: Focus;
  /** Area within a border of one colour, in pixels of the upright image; null without a border. */
  edges: Rectangle | null;
  /** The commonest colour of its outer edge. */
  ground: Colour;
  /** Positions of its people. */
  cutout: Cutout;
}

/** The people of an upright image. Plain data. */
export interface Cutout {
  /** A grey PNG in base64, white for people; absent where none was found. */
  mask?: string;
  /** The part of the mask that is the image, in fractions of it; all of it by default. */
  area?: Rectangle;
}

export type AnalysisKind = keyof AnalysisResultTypes;

/** An analysis that a render needs before it begins. */
export type AnalysisSpec = { kind: Exclude<AnalysisKind, 'edges'> } | { kind: 'edges'; tolerance: number };

/** Analysis results of an upright image, by kind; plain data. A missing kind was not requested or is unavailable. */
export type AnalysisResults = { readonly [Kind in AnalysisKind]?: AnalysisResultTypes[Kind] };
