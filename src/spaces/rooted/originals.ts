import { ROOT } from '../../path.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { Originals } from '../../storage/originals.ts';
import type { Root } from './root.ts';

/**
 * View of the originals for a space. The cache below is that of the library: a change that is seen in one is seen in
 * the other.
 * @param store the view of the same store
 */
export function rootedOriginals(base: Originals, { toOuter }: Root, store: BlobStore): Originals {
  return {
    store,
    get recalled() {
      return base.recalled;
    },
    peek: (path) => base.peek(toOuter(path)),
    stat: async (path) => base.stat(toOuter(path)),
    check: async (path) => base.check(toOuter(path)),
    current: async (path) => base.current(toOuter(path)),
    isCurrent: async (path, etag) => base.isCurrent(toOuter(path), etag),
    invalidate: (path = ROOT, isFolder = path === ROOT) => base.invalidate(toOuter(path), isFolder),
  };
}
