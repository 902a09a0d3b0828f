import { HttpProblem } from '../errors.ts';
import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Usage } from '../storage/usage.ts';
import type { AssetConditions, Searches } from './catalog-search.ts';
import type { Descriptions, Tags, Wordings } from './catalog-words.ts';
import type { FileEvent } from './file-events.ts';
import type { AssetRecord, FileEntry, FolderRecord, Intent, IntentKind, KnownFile } from './records.ts';
import type { Redirects } from './redirects.ts';
import type { TrashRows, VersionRows } from './retained-rows.ts';

/**
 * The rows of the catalog. Every implementation passes `test/contracts/catalog.ts`. Names sort as JavaScript compares
 * texts. A path without a row is never an error: reads find nothing, changes do nothing.
 */
export interface CatalogStore extends CatalogRows {
  readonly listing: Listings;
  readonly usage: Usages;
  readonly words: Wordings;
  readonly tags: Tags;
  readonly search: Searches;
  readonly descriptions: Descriptions;
  /**
   * Runs changes as one atomic step. Rows passed to `work` must not be used after it; on a database of several nodes,
   * `work` runs again after a conflict. It may wait for nothing but the database.
   */
  inOneStep<T>(work: (rows: CatalogRows) => Promise<T>): Promise<T>;
  /**
   * Indexes the terms of files that are not searchable yet, the newest first: those of a copied database, and new files
   * that a database indexes later. A search does so too.
   * @returns the number of files indexed; fewer than `limit` when none is left
   */
  makeSearchable(limit: number): Promise<number>;
  /**
   * Has files indexed again that are in a space and are not known to be: to be called after its folder became that of a
   * space. Until then a search in the space takes as long as one in the library. A folder that is no longer that of a
   * space needs nothing.
   */
  indexSpace(folder: StoragePath): Promise<void>;
  /** Updates the kinds of all files if the accepted further types have changed. */
  followTypes(signal: AbortSignal): Promise<void>;
}

/**
 * The part of the catalog that a space has as well. The rest follows the storage, and the library does that for all
 * spaces.
 */
export interface SpaceCatalog extends SpaceRows, Pick<CatalogStore, 'listing' | 'usage' | 'words' | 'tags' | 'search'> {
  /** As `CatalogStore.inOneStep`. */
  inOneStep<T>(work: (rows: SpaceRows) => Promise<T>): Promise<T>;
}

/** The rows of a space that can be changed in one step. */
export interface SpaceRows {
  readonly files: Pick<Files, 'find' | 'put' | 'named'>;
  readonly folders: Pick<Folders, 'below' | 'remove'>;
  readonly intents: Pick<Intents, 'begin' | 'finish' | 'find'>;
  readonly trash: Omit<TrashRows, 'put'>;
  readonly versions: VersionRows;
  readonly redirects: Pick<Redirects, 'find' | 'page' | 'count' | 'put' | 'remove'>;
  readonly events: Events;
}

/** Rows that can be changed in one step. */
export interface CatalogRows {
  readonly files: Files;
  readonly folders: Folders;
  readonly intents: Intents;
  readonly trash: TrashRows;
  readonly versions: VersionRows;
  readonly redirects: Redirects;
  readonly events: Events;
}

/** Events of changes, as durable as the rows that are changed in the same step. */
export interface Events {
  add(events: readonly FileEvent[]): Promise<void>;
}

/** Rows of files. */
export interface Files {
  /** Returns everything about one file. */
  find(path: StoragePath): Promise<AssetRecord | undefined>;
  /**
   * Stores entries of the store, and their folders where missing. Another etag voids the description; metadata stays.
   * Of several entries for a path, the last one counts.
   * @param options.mayIndexLater new files may wait for `makeSearchable`, or for a search
   * @returns the ids, in the order of the entries
   */
  put(entries: readonly FileEntry[], options?: { mayIndexLater?: boolean }): Promise<number[]>;
  /**
   * Moves the row of a moved file with its metadata, and replaces the row at the target. `to` is the
   * entry of the store. Without a row at `from`, it is put.
   */
  move(from: StoragePath, to: FileEntry): Promise<void>;
  /**
   * Copies the row of a copied file with its metadata, and replaces the row at the target. The description is copied if
   * the etag is the same.
   */
  copy(from: StoragePath, to: FileEntry): Promise<void>;
  /** @returns the number of rows removed */
  remove(paths: readonly StoragePath[]): Promise<number>;
  /**
   * Removes rows that are unchanged since they were read; changed or moved rows stay.
   * @returns the ids of the removed rows
   */
  removeUnchanged(files: readonly KnownFile[]): Promise<number[]>;
  /**
   * Moves rows into another folder, with their names and all data, if they are unchanged since they were read.
   * @returns the ids of the moved rows
   */
  relocate(files: readonly KnownFile[], folder: StoragePath): Promise<number[]>;
  /** Returns the rows of some names of one folder, in no order. */
  named(folder: StoragePath, names: readonly string[]): Promise<KnownFile[]>;
  /** Returns the files of a folder by name, after one of them; fewer than `limit` at the end. */
  page(folder: StoragePath, after: string | undefined, limit: number): Promise<KnownFile[]>;
  /** Returns the tombstones with these etags, in no order. */
  vanished(etags: readonly string[]): Promise<KnownFile[]>;
  /** Returns the rows with these identities on a disk, in no order: of visible files, and tombstones. */
  identified(fileIds: readonly string[]): Promise<KnownFile[]>;
  /** Returns the highest id so far; later rows have higher ones. 0 without any. */
  lastId(): Promise<number>;
}

/** Rows of folders. The root always exists. The trash (`hidden.ts`) is in no folder of a user, nor in the root. */
export interface Folders {
  find(folder: StoragePath): Promise<FolderRecord | undefined>;
  /** Adds a folder and its parents, where missing. */
  add(folder: StoragePath): Promise<FolderRecord>;
  /** Moves a folder with all its content: only rows of folders change. Rows at `to` are removed before. */
  move(from: StoragePath, to: StoragePath): Promise<void>;
  /**
   * Removes a folder with everything below it; of the root, only the content. Outside of `inOneStep` it uses many small
   * steps, which do not block other writers.
   */
  remove(folder: StoragePath): Promise<void>;
  setFingerprint(folder: StoragePath, mark: string | null): Promise<void>;
  /** Stores digests of folders whose rows are correct, unless these have changed since. */
  setDigests(digests: readonly FolderDigest[]): Promise<void>;
  /** Returns the folders directly in a folder, by name. @param limit of the number of folders; by default all */
  children(folder: StoragePath, limit?: number): Promise<FolderRecord[]>;
  /** Returns all folders below a folder, by path. */
  below(folder: StoragePath): Promise<FolderRecord[]>;
}

/** Digest of everything in a folder. */
export interface FolderDigest {
  folder: StoragePath;
  /** Revision of the rows that were compared. */
  revision: number;
  digest: string;
}

/** Intents of the changes in progress. */
export interface Intents {
  /** @returns the id of the intent */
  begin(intent: Omit<Intent, 'id' | 'createdAt'>): Promise<string>;
  /**
   * Removes the intent of a change that is complete.
   * @throws IntentClaimed, which undoes the step that it is in
   */
  finish(intent: IntentOfNode): Promise<void>;
  /** Checks that the change is still that of its node, before a step that does not finish it. @throws IntentClaimed */
  confirm(intent: IntentOfNode): Promise<void>;
  /**
   * Makes a node responsible for the unfinished change of another one.
   * @returns false when the change is finished, or another node has claimed it
   */
  claim(intent: IntentOfNode, node: string): Promise<boolean>;
  /** Returns an unfinished intent. */
  find(id: string): Promise<Intent | undefined>;
  /** Returns the intents of all nodes, oldest first. @param kinds by default all kinds */
  list(kinds?: readonly IntentKind[]): Promise<Intent[]>;
}

export type IntentOfNode = Pick<Intent, 'id' | 'node'>;

/** Another node has recovered the change, or is about to: this node did not respond for too long. */
export class IntentClaimed extends HttpProblem {
  constructor() {
    const message = 'Another node has recovered this change, because this node did not respond. Check it, and retry.';
    super('unavailable', message, { headers: { 'Retry-After': '5' } });
  }
}

export type ListingSort = 'name' | 'kind' | 'dimensions' | 'size' | 'mtime' | 'created';

/** Scope of a listing. */
export interface ListingScope {
  folder: StoragePath;
  /**
   * Lists all files below the folder; folders only with a search and without other conditions. Files of one name are in
   * the order of their ids, folders of one name in that of their paths.
   */
  recursive?: boolean | undefined;
  /** Words that must all occur in the path below the folder: see `path-words.ts`. */
  search?: string | undefined;
  /** Kind of the listed files; folders of one level are listed regardless. */
  kind?: MediaKind | undefined;
  /** Further conditions on files; folders of one level are listed regardless. */
  conditions?: AssetConditions | undefined;
}

/** True if a listing has folders. */
export function listsFolders({ recursive, search, kind, conditions }: Omit<ListingScope, 'folder'>): boolean {
  if (!recursive) return true;
  return search !== undefined && search !== '' && kind === undefined && conditions === undefined;
}

/** Position after which the next page begins. Its entry may be deleted. */
export interface ListingPosition {
  isFolder: boolean;
  path: StoragePath;
  /** Size of a file, in bytes. */
  size: number;
  modifiedAt: number;
  createdAt: number;
  /** Width times height; 0 without dimensions. */
  pixels: number;
  id: number;
}

/**
 * Folders come first, by name; a descending order reverses the files, and the folders when it is by name. Files without
 * dimensions come last in both orders by dimensions.
 */
export interface ListingRequest extends ListingScope {
  sort: ListingSort;
  order: 'asc' | 'desc';
  /** Limit of folders and files together. */
  limit: number;
  after?: ListingPosition | undefined;
  /** Number of skipped entries; instead of `after`. */
  offset?: number | undefined;
}

export interface ListingPart {
  folders: FolderRecord[];
  files: AssetRecord[];
}

/** A file as its thumbnail needs it. */
export type FilePreview = Pick<
  AssetRecord,
  'path' | 'kind' | 'size' | 'modifiedAt' | 'width' | 'height' | 'placeholder' | 'problem'
>;

export interface FolderGlance {
  /** Number of folders and files, at most `ceiling`. */
  itemCount: number;
  /** True if there are more. */
  isMore: boolean;
  /** First images and videos by name, among the first `ceiling` files. */
  previews: FilePreview[];
}

/** Listings of folders. */
export interface Listings {
  page(request: ListingRequest): Promise<ListingPart>;
  /** Counts folders and files together. */
  total(scope: ListingScope): Promise<number>;
  /**
   * Returns a text that changes whenever a listing of the folder can change; undefined for a missing folder, and with
   * searched terms while files wait to be indexed.
   */
  version(folder: StoragePath, recursive?: boolean, terms?: string): Promise<string | undefined>;
  glance(folder: StoragePath, ceiling: number, previews: number): Promise<FolderGlance>;
}

export interface UsageBelow {
  /** Usage below each direct subfolder, by path. */
  folders: (Usage & { path: StoragePath })[];
  /** Usage of everything below the folder, by kind. */
  kinds: Partial<Record<MediaKind, Usage>>;
}

/** Storage usage, always derived from the rows. */
export interface Usages {
  /** Returns the usage of everything below a folder. */
  total(folder: StoragePath): Promise<Usage>;
  below(folder: StoragePath): Promise<UsageBelow>;
}
