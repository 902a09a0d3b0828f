import { agrees, mediaTypeOf, sniffFile } from '../media.ts';
import { splitName } from '../path.ts';

/** Name of a file whose URL has none. */
const NAMELESS = 'file';

/**
 * Names a fetched file after the last segment of its URL, with the extension of its bytes: many URLs have no extension,
 * or return another format.
 */
export async function fetchedName(url: URL, file: string): Promise<string> {
  const name = lastName(url);
  const sniffed = await sniffFile(file);
  const named = mediaTypeOf(name);
  const [extension] = sniffed?.extensions ?? [];
  if (!sniffed || extension === undefined || agrees(named, sniffed)) return name;
  return `${named.uploadable ? splitName(name).stem : name}.${extension}`;
}

function lastName({ pathname }: URL): string {
  const name = pathname.split('/').findLast((part) => part !== '') ?? NAMELESS;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
