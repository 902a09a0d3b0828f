import { type Approximation, type Refusal, Refused } from '../refusal.ts';
import { readAddress } from './address.ts';
import { type Draft, emptyDraft } from './draft.ts';
import { addOption } from './options.ts';
import type { Place } from './places.ts';
import { pathOfSource } from './source.ts';

/** An imgproxy URL in our words. `writeSegment` makes the transformation of it once the file is known. */
export interface Translated {
  kind: 'translated';
  /** Of the file. It is not checked: `parsePath` does that. */
  path: string;
  /** The format behind the address, or that of the option. */
  format: string | undefined;
  /** The Unix second after which the URL is no longer good. */
  expires: number | undefined;
  /** What the options come to. */
  draft: Draft;
  ignored: readonly string[];
  approximate: readonly Approximation[];
}

/**
 * Translates what follows the signature in an imgproxy URL, percent-encoded as it arrived and without the query. It takes linear time.
 * @param places where files on the web belong here; others are refused
 * @returns what it becomes, or which part of it has no counterpart; never throws
 */
export function translate(rest: string, places: readonly Place[] = []): Translated | Refusal {
  try {
    const { options, source, extension } = readAddress(rest);
    const draft = emptyDraft();
    for (const option of options) addOption(draft, option);
    const path = pathOfSource(source, places);
    const format = (extension === '' ? draft.format : extension)?.toLowerCase();
    const { expires, ignored, approximate } = draft;
    return {
      kind: 'translated',
      path,
      format: format === '' ? undefined : format,
      expires,
      draft,
      ignored,
      approximate,
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { part, reason } = error;
    return { kind: 'refused', part: part.length > 100 ? `${part.slice(0, 100)}…` : part, reason };
  }
}
