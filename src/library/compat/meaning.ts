import type { Refusal } from '@darkroom/url-translators/refusal';
import { PRESET_PREFIX, presetOf } from '../../delivery/presets.ts';
import { type DeliveryRequest, readTransformation, type Transformation, type UrlRules } from '../../delivery/url.ts';
import { HttpProblem } from '../../errors.ts';
import type { MediaType } from '../../media.ts';
import type { StoragePath } from '../../path.ts';

/** Parsed URL of another service. */
export interface Meaning {
  kind: 'meant';
  /** Path of the file, which may not exist. */
  path: StoragePath;
  isFound: boolean;
  /** Transformation, decoded; empty for the original. */
  segment: string;
  transformation: DeliveryRequest['transformation'];
  /** Ignored parts. */
  ignored: readonly string[];
  /** Parts with a similar result. */
  approximate: readonly { part: string; reason: string }[];
  /** Returns true if the URL still stands for these files. */
  isStill(): boolean;
}

/** Original at another service. */
export interface Original {
  /** Source URL. */
  url: string;
  /** Destination folder; empty for the root. */
  folder: string;
}

/** Reads URLs of another service, without side effects. */
export interface ForeignUrls {
  /**
   * @param url whole, or from its path on
   * @param admit admits the request to each path before files of that name are looked up
   * @throws HttpProblem 400 for an impossible path, and the refusals of `admit`
   */
  read(url: string, admit?: (path: StoragePath) => Promise<void>): Promise<Meaning | Refusal>;
  /** Returns the original behind a URL, for an import; undefined for URLs of other services. */
  originalOf(url: string): Original | undefined;
}

/** A transformation that a translator has written; without one it is the original. */
export type Written = { kind: 'written'; segment: string; transformation: Transformation | undefined } | Refusal;

/**
 * Parses a segment that a translator has written.
 * @param presets prefix of the names of presets in the foreign URL
 */
export function readWritten(segment: string, type: MediaType, rules: UrlRules, presets: string): Written {
  if (segment === '') return { kind: 'written', segment, transformation: undefined };
  if (segment.startsWith(PRESET_PREFIX) && presetOf(segment, rules.presets) === undefined) {
    const part = presets + segment.slice(PRESET_PREFIX.length);
    return { kind: 'refused', part, reason: 'there is no preset of this name' };
  }
  try {
    const transformation = readTransformation(segment, type, rules);
    if (transformation) return { kind: 'written', segment, transformation };
    return { kind: 'refused', part: segment, reason: 'it is no transformation' };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return { kind: 'refused', part: segment, reason: error.message.replace(/\.$/, '') };
  }
}
