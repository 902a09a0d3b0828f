import { type Approximation, type Refusal, refusalOf } from '../refusal.ts';
import { readAddress } from './address.ts';
import { type Draft, emptyDraft } from './draft.ts';
import { addOption } from './options.ts';
import { type Place, pathOfSource } from './places.ts';

/** A translated imgproxy URL. `writeSegment` writes its transformation once the file is known. */
export interface Translated {
  kind: 'translated';
  /** Path of the file. Not validated: `parsePath` does that. */
  path: string;
  /** Format after the source URL, or that of the option. */
  format: string | undefined;
  /** Unix second after which the URL has expired. */
  expires: number | undefined;
  /** State of the options. */
  draft: Draft;
  ignored: readonly string[];
  approximate: readonly Approximation[];
}

/**
 * Translates the text after the signature in an imgproxy URL, percent-encoded as received and without the query, in
 * linear time.
 * @param places URLs whose files are in the library; others are refused
 * @returns the translation, or the part without a counterpart; never throws
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
    return refusalOf(error);
  }
}
