import type { Place } from '@darkroom/url-translators/imgproxy/places';
import { translate } from '@darkroom/url-translators/imgproxy/translate';
import { writeSegment } from '@darkroom/url-translators/imgproxy/write';
import type { Refusal } from '@darkroom/url-translators/refusal';
import type { UrlRules } from '../../delivery/url.ts';
import { mediaTypeOf } from '../../media.ts';
import { extensionOf, parsePath } from '../../path.ts';
import type { Originals } from '../../storage/originals.ts';
import { type Meaning, readWritten } from './meaning.ts';

/** Parsed imgproxy URL. */
export interface ImgproxyMeaning extends Meaning {
  /** Expiry of the URL, in Unix seconds. */
  expires: number | undefined;
}

/**
 * Reads imgproxy URLs, which contain complete names.
 * @param places folders of source URLs
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
      const read = readWritten(written.segment, type, rules, 'preset:');
      if (read.kind === 'refused') return read;
      const { expires, ignored } = translated;
      return {
        kind: 'meant',
        path,
        segment: read.segment,
        transformation: read.transformation,
        expires,
        ignored,
        isFound: (await originals.stat(path)) !== undefined,
        approximate: [...translated.approximate, ...written.approximate],
        isStill: () => expires === undefined || expires * 1000 > Date.now(),
      };
    },
  };
}
