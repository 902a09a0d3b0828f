import { agrees, mediaTypeOf, sniffMediaType } from '../media.ts';
import { splitName } from '../path.ts';
import { readHead } from './upload.ts';

/** What a file is called whose URL says nothing. */
const NAMELESS = 'file';

/**
 * The name of a file that was fetched: the last one in its URL, with the extension that its bytes have. Many addresses
 * have none, or answer with another format than they are called.
 */
export async function fetchedName(url: URL, file: string): Promise<string> {
  const name = lastName(url);
  const sniffed = await sniffMediaType(await readHead(file));
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
