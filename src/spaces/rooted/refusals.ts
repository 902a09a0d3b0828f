import { ROOT } from '../../path.ts';
import { BlobRefusal } from '../../storage/blob-store.ts';
import type { Root } from './root.ts';

/** Runs work on a base, whose refusals then name inner paths. */
export async function translatingRefusals<T>(root: Root, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toInnerRefusal(error, root);
  }
}

/** Translates a refusal of a base; any other error stays. A path outside of the space becomes its root. */
export function toInnerRefusal(error: unknown, { contains, toInner }: Root): unknown {
  if (!(error instanceof BlobRefusal)) return error;
  return error.translated((path) => (contains(path) ? toInner(path) : ROOT));
}
