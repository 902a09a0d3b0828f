import type { Place } from '@darkroom/url-translators/imgproxy/places';
import { translate } from '@darkroom/url-translators/imgproxy/translate';
import { writeSegment } from '@darkroom/url-translators/imgproxy/write';
import type { Refusal } from '@darkroom/url-translators/refusal';
import { PRESET_PREFIX, presetOf } from '../../delivery/presets.ts';
import { readTransformation, type UrlRules } from '../../delivery/url.ts';
import { HttpProblem } from '../../errors.ts';
import { mediaTypeOf } from '../../media.ts';
import { extensionOf, parsePath } from '../../path.ts';
import type { Originals } from '../../storage/originals.ts';
import type { Meaning } from './meaning.ts';

/** Parsed imgproxy URL. */
export interface ImgproxyMeaning extends Meaning {
  /** Expiry of the URL, in Unix seconds. */
  expires: number | undefined;
}

/**
 * Reads imgproxy URLs, which contain complete names.
 * @param places folders for source URLs
 */
export function createImgproxyUrls(originals: Pick<Originals, 'stat'>, rules: UrlRules, places: readonly Place[]) {
  return {
    /**
     * @param rest part after the signature, percent-encoded as received, without the query
     * @throws HttpProblem 400 for an impossible path
     */
    async read(rest: string): Promise<ImgproxyMeaning | Refusal> {
      const translated = translate(rest, places);
      if (translated.kind === 'refused') return translated;
      const path = parsePath(translated.path);
      const type = mediaTypeOf(path);
      const written = writeSegment(translated, { extension: extensionOf(path), isVideo: type.kind === 'video' });
      if (written.kind === 'refused') return written;
      const { segment } = written;
      if (segment.startsWith(PRESET_PREFIX) && presetOf(segment, rules.presets) === undefined) {
        return { kind: 'refused', part: `preset:${segment.slice(2)}`, reason: 'there is no preset of this name' };
      }
      try {
        const transformation = segment === '' ? undefined : readTransformation(segment, type, rules);
        if (segment !== '' && !transformation)
          return { kind: 'refused', part: segment, reason: 'it is no transformation' };
        const { expires, ignored } = translated;
        return {
          kind: 'meant',
          path,
          segment,
          transformation,
          expires,
          ignored,
          isFound: (await originals.stat(path)) !== undefined,
          approximate: [...translated.approximate, ...written.approximate],
          isStill: () => expires === undefined || expires * 1000 > Date.now(),
        };
      } catch (error) {
        if (!(error instanceof HttpProblem) || error.status >= 500) throw error;
        return { kind: 'refused', part: segment, reason: error.message.replace(/\.$/, '') };
      }
    },
  };
}
