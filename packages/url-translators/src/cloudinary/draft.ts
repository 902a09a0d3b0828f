import { type Approximation, refuse } from '../refusal.ts';

/** What Cloudinary calls the kind of a file. */
export type Resource = 'image' | 'video' | 'raw';

/** One parameter of a Cloudinary URL, as `c_fill`. */
export interface Word {
  key: string;
  value: string;
  /** As it was written. */
  text: string;
}

/** The words of a component by their keys; the last of repeated ones counts. */
export type Words = ReadonlyMap<string, Word>;

/** Our parameters as whole parts of a segment (`w_300`), by what they are about. */
export type Parts = Map<string, string>;

/** A picture or a text over the picture. */
export interface LayerDraft {
  /** The name of the picture as a path, as a rule without an extension; or the words. */
  source: { kind: 'picture'; stem: string } | { kind: 'text'; text: string };
  parts: Parts;
}

/** In which order Darkroom does things, whatever a URL says. */
export const STAGE = { start: 0, trim: 1, turn: 2, cut: 3, size: 4, change: 5, layer: 6, edge: 7, fade: 8 } as const;

/** A translation in the making. */
export interface Draft {
  /** What the result is: frames and pictures have parameters that videos lack. */
  makes: 'picture' | 'video';
  parts: Parts;
  layers: LayerDraft[];
  /** What `f_` says, in our words. */
  format: string | undefined;
  preset: string | undefined;
  /** Whether the frames of an animation are asked for by a flag. */
  isAnimated: boolean;
  /** How far in our order it is. */
  stage: number;
  /** Effects whose strength is in pixels, so that a later size changes it. */
  inPixels: string[];
  /** Place of the latest effect in our order. */
  effect: number;
  ignored: string[];
  approximate: Approximation[];
}

export function approximate(draft: Draft, part: string, reason: string): void {
  draft.approximate.push({ part, reason });
}

/** @throws Refused when Darkroom does this before something that the URL has done already */
export function enter(draft: Draft, stage: number, part: string): void {
  if (stage < draft.stage) refuse(part, 'Darkroom does this earlier than a step that stands before it');
  draft.stage = stage;
}
