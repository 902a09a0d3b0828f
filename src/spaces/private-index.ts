import { parentOf, ROOT, type StoragePath } from '../path.ts';
import { foldPath, type Space, type SpaceRules } from './space.ts';

/** Private folders for many questions: each takes as long as its path is deep, however many folders there are. */
export interface PrivateIndex {
  /** True for a path in a private folder. @param folded relative to the owner of the rules, as `foldPath` writes it */
  contains(folded: StoragePath): boolean;
  /** True for a private folder, and for a folder above one. @param folded as for `contains` */
  isAtOrAbove(folded: StoragePath): boolean;
}

const NOTHING: PrivateIndex = { contains: () => false, isAtOrAbove: () => false };

/** By the lists of the registry, which are replaced when they change. */
const indexes = new WeakMap<readonly StoragePath[], PrivateIndex>();

/** Returns the index of the private folders of a space, or of the library. It is made once for each list. */
export function privateIndexOf({ privateFolders }: SpaceRules): PrivateIndex {
  if (privateFolders === undefined || privateFolders.length === 0) return NOTHING;
  const known = indexes.get(privateFolders);
  if (known) return known;
  const index = createIndex(privateFolders);
  indexes.set(privateFolders, index);
  return index;
}

/** Returns a path relative to the folder of a space that it lies in. @param folded path of the library, folded */
export function innerFolded({ folder }: Pick<Space, 'folder'>, folded: StoragePath): StoragePath {
  // Folded, too: another case may have another length.
  return folder === ROOT ? folded : (folded.slice(foldPath(folder).length + 1) as StoragePath);
}

function createIndex(folders: readonly StoragePath[]): PrivateIndex {
  const named = new Set(folders.map(foldPath));
  const above = new Set<StoragePath>();
  for (const folder of named) {
    // What is above a known folder is known as well.
    for (let path = folder; !above.has(path); path = parentOf(path)) {
      above.add(path);
      if (path === ROOT) break;
    }
  }
  return {
    contains(folded) {
      for (let path = folded; path !== ROOT; path = parentOf(path)) if (named.has(path)) return true;
      return false;
    },
    isAtOrAbove: (folded) => above.has(folded),
  };
}
