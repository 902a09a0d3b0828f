import type { StoragePath } from '../path.ts';
import type { BlobEntry, BlobStat, ByteRange, ByteStream } from './blob-store.ts';

/** What the attic knows of one of its items. */
export type Kept = ({ isFolder: false } & BlobStat) | { isFolder: true };

/**
 * Where bytes are kept that are no longer served: replaced versions, and what lies in the trash. It is another area of the storage of
 * the originals. No reader of these sees it, and it has names of its own: each item is a file or a whole folder, and has an id.
 * Every implementation passes `test/contracts/attic.ts`.
 */
export type Attic = AtticMoves & AtticItems;

/** What changes the originals. Each of them can be killed at any moment: every file is then in one of the two places, or in both. */
export interface AtticMoves {
  /**
   * Takes a file, or a folder with all that is in it, out of the originals. Where it fails, it leaves the originals as they were. What
   * others put there meanwhile stays.
   * @throws BlobNotFound; BlobConflict for the root
   */
  keep(path: StoragePath, id: string): Promise<void>;
  /** Puts an item back, under a path where nothing is. @throws BlobNotFound, BlobExists, BlobConflict */
  giveBack(id: string, path: StoragePath): Promise<void>;
}

/** The items themselves. */
export interface AtticItems {
  /**
   * Keeps the present bytes of a file, which stays where it is until another one takes its place.
   * @returns what is known of the file as it was kept
   * @throws BlobNotFound
   */
  keepCopy(path: StoragePath, id: string): Promise<BlobStat>;
  /** The bytes of a file. @throws BlobNotFound */
  open(id: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<ByteStream>;
  stat(id: string): Promise<Kept | undefined>;
  /** The files of an item, each by its path in that folder; of a file, the empty one. */
  files(id: string): AsyncIterable<BlobEntry>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  /** All ids, in no order. */
  walk(): AsyncIterable<string>;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a name is an id: what others put into the attic has other names, and is left alone. */
export const isKeptId = (name: string) => ID.test(name);

/** The half that changes no originals, to be put together with moves that entail more than those of the attic itself. */
export function itemsOf(attic: AtticItems): AtticItems {
  return {
    keepCopy: attic.keepCopy.bind(attic),
    open: attic.open.bind(attic),
    stat: attic.stat.bind(attic),
    files: attic.files.bind(attic),
    remove: attic.remove.bind(attic),
    walk: attic.walk.bind(attic),
  };
}
