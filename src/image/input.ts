import type { ExtraType } from '../media.ts';
import { type ImageFailure, LimitExceeded } from './failure.ts';
import type { Size } from './layout/geometry.ts';

/** Limits of files to open. */
export interface InputLimits {
  inputMegapixels: number;
  animationFrames: number;
  /** The types of documents that may be opened; none by default. */
  documents?: readonly ExtraType[];
  /** Time limit to open and draw a document, in ms. */
  drawingMs?: number;
}

/** Options for opening a file. */
export interface OpenOptions {
  /** 1 is the first one. */
  page?: number | undefined;
  /**
   * Of what has no pixels before it is drawn: how many times its own size it is drawn at, by that size; once by
   * default.
   */
  scale?(natural: Size): number;
  /** Result of the task when drawing exceeds its time. */
  blame?(reason: string, megapixels?: number): ImageFailure;
}

/** @throws LimitExceeded beyond the last page of a file */
export function checkPage(page: number, count: number): void {
  if (page <= count) return;
  throw new LimitExceeded(`Parameter "pg": expected a page from 1 to ${count}, the last one, received ${page}.`);
}
