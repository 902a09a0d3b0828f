import { originalOf } from '@darkroom/url-translators/cloudinary/original';
import { type Translated, translate } from '@darkroom/url-translators/cloudinary/translate';
import { writeSegment } from '@darkroom/url-translators/cloudinary/write';
import type { UrlRules } from '../../delivery/url.ts';
import { mediaTypeOf } from '../../media.ts';
import { parsePath, type StoragePath } from '../../path.ts';
import type { FilesByStem, FoundFile, Named } from './files-by-stem.ts';
import { type ForeignUrls, type Meaning, readWritten, type Written } from './meaning.ts';

/** Reads delivery URLs of Cloudinary. A name without an extension stands for the file of that stem. */
export function createCloudinaryUrls(files: FilesByStem, rules: UrlRules): ForeignUrls {
  return {
    async read(url, admit) {
      const translated = translate(url);
      if (translated.kind === 'refused') return translated;
      const find = async (name: Named): Promise<Lookup> => {
        await admit?.(parsePath(name.path));
        return { named: name, found: await files.find(name) };
      };
      const { named, found } = await find({
        kind: translated.resource,
        path: translated.path,
        stem: translated.stem,
      });
      const layers = await findLayers(find, translated);
      const path = found?.path ?? parsePath(translated.path);
      const written = writeWith(translated, path, layers, rules);
      if (written.kind === 'refused') return written;
      const { ignored, approximate } = translated;
      return {
        kind: 'meant',
        path,
        isFound: found !== undefined,
        segment: written.segment,
        transformation: written.transformation,
        ignored,
        approximate: [...approximate, ...ambiguities([{ named, found }, ...layers])],
        isStill: () => [{ named, found }, ...layers].every((one) => isStill(files, one)),
      } satisfies Meaning;
    },
    originalOf(url) {
      const original = originalOf(url);
      if (original === undefined) return undefined;
      const slash = original.stem.lastIndexOf('/');
      return { url: original.url, folder: original.stem.slice(0, Math.max(0, slash)) };
    },
  };
}

interface Lookup {
  named: Named;
  found: FoundFile | undefined;
}

function isStill(files: FilesByStem, { named, found }: Lookup): boolean {
  return found !== undefined && files.isStill(named, found.path);
}

/** Finds the image layers, in their order. */
async function findLayers(find: (named: Named) => Promise<Lookup>, { layers }: Translated): Promise<Lookup[]> {
  const stems = layers.flatMap(({ source }) => (source.kind === 'picture' ? [source.stem] : []));
  const lookups: Lookup[] = [];
  for (const stem of stems) lookups.push(await find({ kind: 'image', path: stem, stem }));
  return lookups;
}

/** Writes the transformation for a file and parses it. */
function writeWith(translated: Translated, path: StoragePath, lookups: readonly Lookup[], rules: UrlRules): Written {
  const layers = lookups.map(({ named, found }) => found?.path ?? named.stem);
  const written = writeSegment(translated, { file: path, layers });
  return written.kind === 'refused' ? written : readWritten(written.segment, mediaTypeOf(path), rules, 't_');
}

function ambiguities(lookups: readonly Lookup[]): Meaning['approximate'] {
  return lookups.flatMap(({ found }) => {
    if (found === undefined || found.others.length === 0) return [];
    return [{ part: found.path, reason: `${found.others.join(' and ')} would fit the name as well` }];
  });
}
