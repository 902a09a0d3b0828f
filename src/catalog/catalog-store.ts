import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Searches } from './catalog-search.ts';
import type { Descriptions, Tags, Wordings } from './catalog-words.ts';
import type { FileEvent } from './file-events.ts';
import type { TrashRows, VersionRows } from './kept-rows.ts';
import type { AssetRecord, FileEntry, FolderRecord, Intent, IntentKind, KnownFile, Usage } from './records.ts';

/**
 * The rows of the catalog. Every implementation passes `test/contracts/catalog.ts`. Names sort as JavaScript compares texts. A path
 * without a row is no error anywhere: what reads it finds nothing, and what changes it does nothing.
 */
export interface CatalogStore extends CatalogRows {
  readonly listing: Listings;
  readonly usage: Usages;
  readonly words: Wordings;
  readonly tags: Tags;
  readonly search: Searches;
  readonly descriptions: Descriptions;
  /** Runs changes as one: all of them or none are there, whatever happens. What is given to `work` must not be used after it; on a
   * database of several nodes, `work` is run again when it met another. Nothing else but the database may be waited for in it. */
  inOneStep<T>(work: (rows: CatalogRows) => Promise<T>): Promise<T>;
  /** Makes some files found by their words that are not yet: those of a database that was copied from another one.
   * @returns how many there were; fewer than `limit` when all are found now */
  makeSearchable(limit: number): Promise<number>;
  /** Has the kinds of all files follow which further types are accepted, where these are others than the last time. */
  followTypes(signal: AbortSignal): Promise<void>;
}

/** What can be changed in one step. */
export interface CatalogRows {
  readonly files: Files;
  readonly folders: Folders;
  readonly intents: Intents;
  readonly trash: TrashRows;
  readonly versions: VersionRows;
  readonly events: Events;
}

/** What others are told of changes. It is as safe as the rows that are changed in the same step. */
export interface Events {
  add(events: readonly FileEvent[]): Promise<void>;
}

/** The rows of files. */
export interface Files {
  /** Everything about one file. */
  find(path: StoragePath): Promise<AssetRecord | undefined>;
  /** Stores what the store tells of some files, and their folders where they are missing. Another etag voids the description; words
   * stay. The last one of several entries for a path counts.
   * @returns the ids, in the order of the entries */
  put(entries: readonly FileEntry[]): Promise<number[]>;
  /** A file was moved: its row goes along with words and tags, and takes the place of one that is there. What the store now says of
   * it counts. Without a row at `from` it is put. */
  move(from: StoragePath, to: FileEntry): Promise<void>;
  /** A file was copied: a row of its own, with the words and tags of the other one, in the place of a row that is there. The
   * description is copied where the etag is the same. */
  copy(from: StoragePath, to: FileEntry): Promise<void>;
  /** @returns how many there were */
  remove(paths: readonly StoragePath[]): Promise<number>;
  /** Removes those that are as they were when they were read: a row that was changed since, or moved, stays.
   * @returns the ids of those that were removed */
  removeUnchanged(files: readonly KnownFile[]): Promise<number[]>;
  /** Moves rows into another folder, under their names and with all that is known of them: those that are as they were when they were
   * read. @returns the ids of those that were moved */
  relocate(files: readonly KnownFile[], folder: StoragePath): Promise<number[]>;
  /** Those of some names of one folder that have rows, in no order. */
  named(folder: StoragePath, names: readonly string[]): Promise<KnownFile[]>;
  /** The files of a folder by name, after one of them; fewer than `limit` when these are the last. */
  page(folder: StoragePath, after: string | undefined, limit: number): Promise<KnownFile[]>;
  /** The tombstones of these versions, in no order. */
  vanished(etags: readonly string[]): Promise<KnownFile[]>;
  /** The rows of these identities on a disk, in no order: of files that are shown, and tombstones. */
  identified(fileIds: readonly string[]): Promise<KnownFile[]>;
  /** The highest id so far: a row with a higher one is put later. 0 for none. */
  lastId(): Promise<number>;
}

/** The rows of folders. The root is always one. What lies in the trash (`hidden.ts`) is in no folder of a user, the root neither. */
export interface Folders {
  find(folder: StoragePath): Promise<FolderRecord | undefined>;
  /** Adds a folder and those above it, where they are missing. */
  add(folder: StoragePath): Promise<FolderRecord>;
  /** A folder was moved with all that is in it: only rows of folders change. Rows at `to` are removed before. */
  move(from: StoragePath, to: StoragePath): Promise<void>;
  /** Removes a folder with everything below it; of the root, only what is in it. Outside of `inOneStep` it does so in many small steps,
   * which others do not wait for. */
  remove(folder: StoragePath): Promise<void>;
  setMark(folder: StoragePath, mark: string | null): Promise<void>;
  /** Remembers what the store says of folders whose rows are right, unless these have changed since. */
  setDigests(digests: readonly FolderDigest[]): Promise<void>;
  /** Those directly in a folder, by name. */
  children(folder: StoragePath): Promise<FolderRecord[]>;
  /** All below a folder, by path. */
  below(folder: StoragePath): Promise<FolderRecord[]>;
}

/** What the store says of everything in a folder. */
export interface FolderDigest {
  folder: StoragePath;
  /** That of the rows that were compared. */
  revision: number;
  digest: string;
}

/** Intents of the changes in progress. */
export interface Intents {
  /** @returns its id */
  begin(intent: Omit<Intent, 'id' | 'createdAt'>): Promise<string>;
  finish(id: string): Promise<void>;
  /** Those of all nodes, the oldest first. @param kinds without it, those of all kinds */
  list(kinds?: readonly IntentKind[]): Promise<Intent[]>;
}

export type ListingSort = 'name' | 'size' | 'mtime';

/** What a listing shows. */
export interface ListingScope {
  folder: StoragePath;
  /** All files below the folder, and no folders. Those of one name are in the order of their ids. */
  recursive?: boolean | undefined;
  /** A part of the name, in any case. */
  search?: string | undefined;
  /** Files of this kind only; folders are shown all the same. */
  kind?: MediaKind | undefined;
}

/** Where a page ended. It need not be there any more. */
export interface ListingPosition {
  isFolder: boolean;
  path: StoragePath;
  /** Of a file. */
  size: number;
  modifiedAt: number;
  id: number;
}

/** Folders come first, by name; a descending order reverses the files, and the folders when it is by name. */
export interface ListingRequest extends ListingScope {
  sort: ListingSort;
  order: 'asc' | 'desc';
  /** Folders and files together. */
  limit: number;
  after?: ListingPosition | undefined;
  /** How many of the first ones are left out; instead of `after`. */
  offset?: number | undefined;
}

export interface ListingPart {
  folders: FolderRecord[];
  files: AssetRecord[];
}

export interface FolderGlance {
  /** Folders and files, at most `ceiling` of them. */
  itemCount: number;
  /** Whether there are more. */
  isMore: boolean;
  /** The first pictures and videos by name among as many files. */
  previews: { path: StoragePath; kind: MediaKind }[];
}

/** What folders show. */
export interface Listings {
  page(request: ListingRequest): Promise<ListingPart>;
  /** Folders and files together. */
  total(scope: ListingScope): Promise<number>;
  /** A text that differs whenever a listing of the folder can differ; undefined when there is no such folder. */
  version(folder: StoragePath, recursive?: boolean): Promise<string | undefined>;
  glance(folder: StoragePath, ceiling: number, previews: number): Promise<FolderGlance>;
}

export interface UsageBelow {
  /** Everything below each folder that is directly in it, by path. */
  folders: (Usage & { path: StoragePath })[];
  /** Of everything below the folder. */
  kinds: Partial<Record<MediaKind, Usage>>;
}

/** How much is stored. The figures follow from the rows at any time. */
export interface Usages {
  /** Of everything below a folder. */
  total(folder: StoragePath): Promise<Usage>;
  below(folder: StoragePath): Promise<UsageBelow>;
}
