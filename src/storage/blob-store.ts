import type { Readable } from 'node:stream';
import { quote, type StoragePath } from '../path.ts';

/** What a store knows of one stored file. */
export interface BlobStat {
  /** Bytes. */
  size: number;
  /** Changes whenever the bytes may have changed, and only then; the same after a restart. Not quoted. */
  etag: string;
  createdAt: Date;
  modifiedAt: Date;
  /** What tells the file from all others, whatever its path, and stays with it when it moves or changes; where the store can tell. */
  fileId?: string | undefined;
}

export interface BlobEntry extends BlobStat {
  path: StoragePath;
}

/** A stream of bytes. A reader that is done with a chunk may give it back once, to be filled again. */
export interface ByteStream extends Readable {
  recycle?(chunk: Buffer): void;
}

/** Byte positions, both inclusive, as in an HTTP `Content-Range`. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface WriteOptions {
  /** `replace` (default) puts the new file in the place of an old one; `keep` fails with `BlobExists`. */
  existing?: 'replace' | 'keep';
  /** With `keep`: the `seenAt` of the `FreeName`, if the path came from `freeNames`. */
  seenAt?: number;
  signal?: AbortSignal;
}

/** A path at which neither a file nor a folder was found. */
export interface FreeName {
  path: StoragePath;
  /** Marks the moment of the look. A write that passes it on can save the store a second look. */
  seenAt: number;
}

export interface OpenOptions {
  range?: ByteRange;
  /** The expected version. */
  etag?: string;
  signal?: AbortSignal;
}

/** One level of a folder: the names are whole paths, sorted by UTF-16 code units. */
export interface FolderLevel {
  folders: StoragePath[];
  files: BlobEntry[];
}

/** Some of what is directly in a folder. */
export interface FolderPart {
  folder: StoragePath;
  /** As `folderMark`, from before it was read. Undefined as well when a later change could leave it the same. */
  mark: string | undefined;
  /** As `ScanOptions.digests`, from before the folder was read. Undefined where nobody has asked, or the store cannot tell. */
  digest?: string | undefined;
  /** How many files there are that are not told, because the digest is the known one. */
  unchanged?: number;
  folders: StoragePath[];
  files: BlobEntry[];
}

export interface ScanOptions {
  /** With all folders below; the default. */
  isDeep?: boolean;
  /** Texts that differ when anything has changed that a scan tells of the files directly in a folder. A store that can find out cheaply
   * does not tell again of the files of a folder whose digest is known. Folders of which it is not known yet have an empty one. */
  digests?: ReadonlyMap<StoragePath, string> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Where files are kept: on disk, in memory or in a bucket. Every implementation passes `test/contracts/blob-store.ts`.
 * Readers see the old file or the new one, never half of one. Parent folders come into being with a write.
 * A path that leads outside the store (a symbolic link) does not exist.
 */
export type BlobStore = BlobReads & BlobWrites;

/** Recovery of moves, for a store in which a move that was killed can leave a file under two names. */
export interface MoveRecovery {
  /** Removes the old name of a file that has its new one as well. It changes nothing in any other state. */
  completeMove?(from: StoragePath, to: StoragePath): Promise<void>;
}

/** The half of a store that changes nothing. */
export interface BlobReads {
  /** Yields, in their order, those of some names of one folder that are free. Each is looked up when it is asked for. Another
   * writer may take one meanwhile; `existing: 'keep'` finds out. */
  freeNames(names: Iterable<StoragePath>): AsyncIterable<FreeName>;
  /** Undefined for a missing file, and for a folder. */
  stat(path: StoragePath): Promise<BlobStat | undefined>;
  /** Opens the bytes, or a part of them. An abort destroys the stream.
   * @throws BlobNotFound, also when an `etag` is given and the bytes are another version */
  open(path: StoragePath, options?: OpenOptions): Promise<ByteStream>;
  /** Runs `use` with a local file that holds the blob's bytes for as long as `use` runs. The file must only be read.
   * @param etag a version that will do while the store cannot be asked for the present one
   * @throws BlobNotFound */
  withLocalFile<T>(
    path: StoragePath,
    use: (file: string) => Promise<T>,
    signal?: AbortSignal,
    etag?: string,
  ): Promise<T>;
  /** One level below a folder; empty when the folder does not exist. With a limit, at least that many of its entries (or all of
   * them), whichever come first, so that a look into a large folder is cheap. */
  list(folder: StoragePath, options?: { limit?: number }): Promise<FolderLevel>;
  /** Every file below a folder, depth first, without holding them all in memory. */
  walk(folder: StoragePath): AsyncIterable<BlobEntry>;
  /** Every folder below the root, sorted. */
  folders(): Promise<StoragePath[]>;
  folderExists(folder: StoragePath): Promise<boolean>;
  /** What is in a folder, and in all folders below it, in parts and in no order, without holding it all in memory. A folder comes in at
   * least one part, one that does not exist in none. Other than a walk, this fails when something cannot be read. */
  scan(folder: StoragePath, options?: ScanOptions): AsyncIterable<FolderPart>;
  /** A text that differs when a name in the folder itself has come, gone or changed since. Null when there is no such folder, or only a
   * link to one; undefined when the store cannot tell. */
  folderMark(folder: StoragePath): Promise<string | null | undefined>;
  /** Gives a folder another mark, so that even a change in the same moment differs from it. @returns as `folderMark` */
  markFolder(folder: StoragePath): Promise<string | null | undefined>;
}

/** The half of a store that changes it. Whatever a change has to entail is put around these, and around all of them. */
export interface BlobWrites {
  /** Stores a stream of unknown length. An error or an abort leaves nothing behind and the old file in place.
   * @throws BlobExists with `existing: 'keep'`; BlobConflict when the path or a parent of it is of the other kind
   * (a folder where a file is written, a file where a folder is needed). */
  write(path: StoragePath, source: Readable | AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<BlobStat>;
  /** Like `write`, from a local temporary file that the store takes over: afterwards the file is gone. It has to lie
   * on the disk store's own file system (its temp folder). On failure the file is left to the caller. */
  adopt(path: StoragePath, file: string, options?: WriteOptions): Promise<BlobStat>;
  /** @throws BlobNotFound; BlobExists with `existing: 'keep'`; BlobConflict as `write` */
  copy(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** Moves one file. @throws as `copy` */
  move(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** False when there was no such file. */
  remove(path: StoragePath): Promise<boolean>;
  /** False when it was there already. @throws BlobConflict when a file stands in the way */
  createFolder(folder: StoragePath): Promise<boolean>;
  /** Moves a folder with all that is in it. @throws BlobNotFound; BlobExists when `to` exists as file or folder */
  moveFolder(from: StoragePath, to: StoragePath): Promise<void>;
  /** Removes a folder with all that is in it; false when there was none. */
  removeFolder(folder: StoragePath): Promise<boolean>;
}

/** The reading half, to be put together with writes that entail more than those of the store itself. */
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
    folderMark: store.folderMark.bind(store),
    markFolder: store.markFolder.bind(store),
  };
}

export class BlobNotFound extends Error {
  override name = 'BlobNotFound';
}

/** The error for a path without a file. */
export function missing(path: StoragePath, cause?: unknown): BlobNotFound {
  return new BlobNotFound(`Nothing is stored at ${quote(path)}.`, { cause });
}

export class BlobExists extends Error {
  override name = 'BlobExists';
}

export class BlobConflict extends Error {
  override name = 'BlobConflict';
}

/** The store cannot be reached, refuses the service, or has failed after all retries. It may work later. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
  /** Whether the store has answered, and does not permit this: other than silence, this does not pass by itself. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal = false, ...options }: ErrorOptions & { isRefusal?: boolean } = {}) {
    super(message, options);
    this.isRefusal = isRefusal;
  }
}

/** Whether an error says that a store does not answer, or only that it is in trouble itself. */
export function isOutage(error: unknown): error is StorageUnavailable {
  return error instanceof StorageUnavailable && !error.isRefusal;
}
