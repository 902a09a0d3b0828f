import { type ReadBytes, readFrom } from '../boxes.ts';
import { readDirectory, textOfTag } from '../tiff/directory.ts';
import { type Rights, textOf } from './rights.ts';

/** Tags of the first directory that state rights. */
const TAGS = { Artist: 'artist', Copyright: 'copyright' } as const;

/** Adds the rights in the tags of a TIFF to its image. No decoder passes any tag on. */
export async function withTiffRights<T extends { rights: Partial<Rights> | undefined }>(
  image: T,
  file: string,
): Promise<T> {
  const tagged = await readFrom(file, readTiffRights);
  return Object.keys(tagged).length > 0 ? { ...image, rights: { ...image.rights, ...tagged } } : image;
}

/** Reads copyright and artist of a TIFF. Source: TIFF 6.0, section 8. */
export async function readTiffRights(read: ReadBytes): Promise<Partial<Rights>> {
  const rights: Partial<Rights> = {};
  const directory = await readDirectory(read, 1);
  if (!directory) return rights;
  for (const name of ['Artist', 'Copyright'] as const) {
    const text = textOf((await textOfTag(read, directory, TAGS[name])) ?? '');
    if (text.trim() !== '') rights[name] = text;
  }
  return rights;
}
