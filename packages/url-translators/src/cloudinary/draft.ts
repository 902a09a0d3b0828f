import { type Approximation, refuse } from '../refusal.ts';

/** Cloudinary's kinds of files. */
export type Resource = 'image' | 'video' | 'raw';

/** One parameter of a Cloudinary URL, such as `c_fill`. */
export interface Word {
  key: string;
  value: string;
  /** As written. */
  text: string;
}

/** Parameters of a component by key; the last of repeated ones applies. */
export type Words = ReadonlyMap<string, Word>;

/** Our parameters as parts of a segment (`w_300`), by purpose. */
export type Parts = Map<string, string>;

/** An image or text layer. */
export interface LayerDraft {
  /** Path of the image, usually without an extension; or the text. */
  source: { kind: 'picture'; stem: string } | { kind: 'text'; text: string };
  parts: Parts;
}

/** Order in which Darkroom applies operations, in any URL. */
export const STAGE = { start: 0, trim: 1, turn: 2, cut: 3, size: 4, change: 5, layer: 6, edge: 7, fade: 8 } as const;

/** State of a translation. */
export interface Draft {
  /** Kind of result: frames and images have parameters that videos lack. */
  makes: 'picture' | 'video';
  parts: Parts;
  layers: LayerDraft[];
  /** Our name of the format in `f_`. */
  format: string | undefined;
  preset: string | undefined;
  /** True if a flag requests the frames of an animation. */
  isAnimated: boolean;
  /** Latest stage in our order. */
  stage: number;
  /** Effects in pixels, which a later resize changes. */
  inPixels: string[];
  /** Position of the latest effect in our order. */
  effect: number;
  ignored: string[];
  approximate: Approximation[];
}

export function approximate(draft: Draft, part: string, reason: string): void {
  draft.approximate.push({ part, reason });
}

/** @throws Refused if Darkroom applies this before an operation that the URL has applied already */
export function enter(draft: Draft, stage: number, part: string): void {
  if (stage < draft.stage) refuse(part, 'Darkroom does this earlier than a step that stands before it');
  draft.stage = stage;
}
