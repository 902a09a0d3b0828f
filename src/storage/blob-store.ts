import type { Readable } from 'node:stream';
import { HttpProblem } from '../errors.ts';
import { quote, type StoragePath } from '../path.ts';

/** State of a stored file. */
export interface BlobStat {
  /** Bytes. */
  size: number;
  /** Changes if and only if the bytes may have changed; survives a restart. Not quoted. */
  etag: string;
  createdAt: Date;
  modifiedAt: Date;
  /**
   * Identifies the file independently of its path and content; survives moves and changes. Undefined where the store
   * has none.
   */
  fileId?: string | undefined;
}

export interface BlobEntry extends BlobStat {
  path: StoragePath;
}

/** A stream of bytes. A reader may return each processed chunk once, to be filled again. */
export interface ByteStream extends Readable {
  recycle?(chunk: Buffer): void;
}

/** Byte positions, both inclusive, as in an HTTP `Content-Range`. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface WriteOptions {
  /** `replace` (default) replaces an existing file; `keep` fails with `BlobExists`. */
  existing?: 'replace' | 'keep';
  /** With `keep`: the `seenAt` of the `FreeName`, if the path came from `freeNames`. */
  seenAt?: number;
  signal?: AbortSignal;
  /**
   * Called at most once, while bytes are made durable and before anything of the store changes. The change waits for it
   * and fails with its error.
   */
  begin?: () => Promise<void>;
}

/** A path at which neither a file nor a folder was found. */
export interface FreeName {
  path: StoragePath;
  /** Time of the check. A write that passes it on can save the store a second check. */
  seenAt: number;
}

export interface OpenOptions {
  range?: ByteRange;
  /** The expected version. */
  etag?: string;
  signal?: AbortSignal;
}

/** One level of a folder: whole paths, sorted by UTF-16 code units. */
export interface FolderLevel {
  folders: StoragePath[];
  files: BlobEntry[];
}

/** Some of the entries directly in a folder. */
export interface FolderPart {
  folder: StoragePath;
  /**
   * As `folderFingerprint`, from before the folder was read. Also undefined when a later change could leave it the
   * same.
   */
  fingerprint: string | undefined;
  /**
   * As `ScanOptions.digests`, from before the folder was read. Undefined if not requested, or if the store has none.
   */
  digest?: string | undefined;
  /** Number of files that are omitted because the digest is the known one. */
  unchanged?: number;
  folders: StoragePath[];
  files: BlobEntry[];
}

export interface ScanOptions {
  /** Includes all folders below; the default. */
  isDeep?: boolean;
  /**
   * Known digests, which differ when anything has changed that a scan reports of the files directly in a folder. A
   * store that can compare them cheaply omits the files of a folder with the same digest. Folders without a known
   * digest have an empty one.
   */
  digests?: ReadonlyMap<StoragePath, string> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * File storage: on disk or in a bucket. Every implementation passes `test/contracts/blob-store.ts`. Readers
 * see the old file or the new one, never half of one. A write creates missing parent folders. A path that leads outside
 * the store (a symbolic link) does not exist.
 */
export type BlobStore = BlobReads & BlobWrites;

/** Recovery of moves, for a store in which a killed move can leave a file under two names. */
export interface MoveRecovery {
  /** Removes the old name of a file that also has its new one. Any other state stays unchanged. */
  completeMove?(from: StoragePath, to: StoragePath): Promise<void>;
}

/** The reading half of a store. */
export interface BlobReads {
  /**
   * Yields, in order, the free names among those of one folder. Each is checked when it is requested. Another writer
   * may take one meanwhile; `existing: 'keep'` detects that.
   */
  freeNames(names: Iterable<StoragePath>): AsyncIterable<FreeName>;
  /** Returns undefined for a missing file, and for a folder. */
  stat(path: StoragePath): Promise<BlobStat | undefined>;
  /**
   * Opens the bytes, or a part of them. An abort destroys the stream.
   * @throws BlobNotFound, also when the bytes are of another version than `etag`
   */
  open(path: StoragePath, options?: OpenOptions): Promise<ByteStream>;
  /**
   * Runs `use` with a read-only local file that holds the blob's bytes until `use` completes.
   * @param etag a version that is acceptable while the store is unavailable
   * @throws BlobNotFound
   */
  withLocalFile<T>(
    path: StoragePath,
    use: (file: string) => Promise<T>,
    signal?: AbortSignal,
    etag?: string,
  ): Promise<T>;
  /**
   * Lists one level below a folder; empty for a missing folder. With a limit, returns at least that many entries (or
   * all), in any order, so that a check of a large folder is cheap.
   */
  list(folder: StoragePath, options?: { limit?: number }): Promise<FolderLevel>;
  /** Yields every file below a folder, depth first, without holding them all in memory. */
  walk(folder: StoragePath): AsyncIterable<BlobEntry>;
  /** Returns every folder below another one, by default the root, sorted. */
  folders(below?: StoragePath): Promise<StoragePath[]>;
  folderExists(folder: StoragePath): Promise<boolean>;
  /**
   * Yields the contents of a folder and of all folders below, in parts, unordered, without holding them all in memory.
   * A folder has at least one part, a missing one none. Unlike a walk, it fails when something cannot be read.
   */
  scan(folder: StoragePath, options?: ScanOptions): AsyncIterable<FolderPart>;
  /**
   * Returns a fingerprint that differs after a name directly in the folder was added, removed or changed. Null for a
   * missing folder or a link to one; undefined when the store has none.
   */
  folderFingerprint(folder: StoragePath): Promise<string | null | undefined>;
  /**
   * Gives a folder another fingerprint, so that even a change in the same moment differs from it.
   * @returns as `folderFingerprint`
   */
  renewFingerprint(folder: StoragePath): Promise<string | null | undefined>;
}

/** The writing half of a store. Side effects of changes wrap these, all of them. */
export interface BlobWrites {
  /**
   * Stores a stream of unknown length. An error or an abort leaves nothing behind and the old file unchanged.
   * @throws BlobExists with `existing: 'keep'`; BlobConflict when the path or a parent of it is of the other kind (a
   * folder where a file is written, a file where a folder is needed)
   */
  write(path: StoragePath, source: Readable | AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<BlobStat>;
  /**
   * Stores a local temporary file as `write` does, and takes it over: it is deleted afterwards. It must lie on the disk
   * store's own file system (its temp folder). After a failure the file belongs to the caller.
   */
  adopt(path: StoragePath, file: string, options?: WriteOptions): Promise<BlobStat>;
  /** @throws BlobNotFound; BlobExists with `existing: 'keep'`; BlobConflict as `write` */
  copy(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** Moves one file. @throws as `copy` */
  move(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** Returns false for a missing file. */
  remove(path: StoragePath): Promise<boolean>;
  /** Returns false when it existed. @throws BlobConflict when there is a file of that name */
  createFolder(folder: StoragePath): Promise<boolean>;
  /**
   * Moves a folder with its contents.
   * @throws BlobNotFound; BlobExists when `to` exists as file or folder; BlobConflict when it lies inside `from`
   */
  moveFolder(from: StoragePath, to: StoragePath): Promise<void>;
  /** Removes a folder with its contents; returns false for a missing one. @throws BlobConflict for the root */
  removeFolder(folder: StoragePath): Promise<boolean>;
}

/** Returns the reading half, to be combined with writes that have side effects. */
export function readsOf(store: BlobReads): BlobReads {
  return {
    freeNames: store.freeNames.bind(store),
    stat: store.stat.bind(store),
    open: store.open.bind(store),
    withLocalFile: store.withLocalFile.bind(store),
    list: store.list.bind(store),
    walk: store.walk.bind(store),
    folders: store.folders.bind(store),
    folderExists: store.folderExists.bind(store),
    scan: store.scan.bind(store),
    folderFingerprint: store.folderFingerprint.bind(store),
    renewFingerprint: store.renewFingerprint.bind(store),
  };
}

interface RefusalOptions extends ErrorOptions {
  /** The paths that the message names. */
  paths?: readonly StoragePath[];
}

/** A refusal of a store. Its message is made of the paths that it names, so that a view of the store translates them. */
export abstract class BlobRefusal extends Error {
  readonly #message: string | ((...quotedPaths: string[]) => string);
  readonly #paths: readonly StoragePath[];

  constructor(message: string | ((...quotedPaths: string[]) => string), options: RefusalOptions = {}) {
    const { paths = [], ...others } = options;
    super(typeof message === 'string' ? message : message(...paths.map((path) => quote(path))), others);
    this.#message = message;
    this.#paths = paths;
  }

  /** Returns the same refusal about other paths. It has no cause, which could name the present ones. */
  translated(translate: (path: StoragePath) => StoragePath): BlobRefusal {
    const Refusal = this.constructor as new (...parameters: ConstructorParameters<typeof BlobRefusal>) => BlobRefusal;
    return new Refusal(this.#message, { paths: this.#paths.map(translate) });
  }
}

export class BlobNotFound extends BlobRefusal {
  override name = 'BlobNotFound';
}

/** Creates the error for a path without a file. */
export function missing(path: StoragePath, cause?: unknown): BlobNotFound {
  return new BlobNotFound((quoted) => `Nothing is stored at ${quoted}.`, { paths: [path], cause });
}

export class BlobExists extends BlobRefusal {
  override name = 'BlobExists';
}

/** True if a file or a folder has this path. */
export async function isTaken(store: Pick<BlobReads, 'stat' | 'folderExists'>, path: StoragePath): Promise<boolean> {
  return (await store.stat(path)) !== undefined || store.folderExists(path);
}

/** Creates the error for a path that a file or a folder has already. */
export function taken(path: StoragePath, cause?: unknown): BlobExists {
  return new BlobExists((quoted) => `${quoted} exists already.`, { paths: [path], cause });
}

export class BlobConflict extends BlobRefusal {
  override name = 'BlobConflict';
}

/** Creates the error for a file where a folder is needed, or a folder where a file is written. */
export function occupied(by: 'file' | 'folder', path: StoragePath, cause?: unknown): BlobConflict {
  return new BlobConflict((quoted) => `A ${by} stands at ${quoted}.`, { paths: [path], cause });
}

/** Creates the error for a folder that would be moved into itself. */
export function liesInside(path: StoragePath, folder: StoragePath, cause?: unknown): BlobConflict {
  return new BlobConflict((inner, outer) => `${inner} lies inside ${outer}.`, { paths: [path, folder], cause });
}

export function rootStays(): BlobConflict {
  return new BlobConflict('The root of the storage cannot be removed.');
}

/** The store is unreachable, refuses the service, or failed after all retries. It may work later. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
  /** True if the store responded and denied access: unlike silence, this does not pass by itself. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal = false, ...options }: ErrorOptions & { isRefusal?: boolean } = {}) {
    super(message, options);
    this.isRefusal = isRefusal;
  }
}

/** True for an error that says that a store does not respond, or reports a failure of its own. */
export function isOutage(error: unknown): error is StorageUnavailable {
  return error instanceof StorageUnavailable && !error.isRefusal;
}

/** True if the store refused the change. It may have created missing parents. */
export function hasDoneNothing(error: unknown): boolean {
  if (error instanceof BlobRefusal) return true;
  return error instanceof HttpProblem && error.status < 500;
}
