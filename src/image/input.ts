import type { ExtraType } from '../media.ts';
import type { ImageFailure } from './failure.ts';
import type { Size } from './layout/geometry.ts';

/** What may be opened, and how large it may be. */
export interface InputLimits {
  inputMegapixels: number;
  animationFrames: number;
  /** The types of documents that may be opened; none by default. */
  documents?: readonly ExtraType[];
  /** How long opening and drawing a document may take, in milliseconds. */
  drawingMs?: number;
}

/** What is wanted of a file. */
export interface Wanted {
  /** 1 is the first one. */
  page?: number | undefined;
  /** Of what has no pixels before it is drawn: how many times its own size it is drawn at, by that size; once by default. */
  scale?(natural: Size): number;
  /** What the task comes to when drawing has no end. */
  blame?(reason: string, megapixels?: number): ImageFailure;
}
