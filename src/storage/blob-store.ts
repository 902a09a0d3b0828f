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
}

export interface BlobEntry extends BlobStat {
  path: StoragePath;
}

/** Bytes as they are read. A reader that has done with a chunk may give it back, once, to be filled again. */
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
  /** With `keep`: the look that found the path free, if there was one. */
  seenAt?: number;
  signal?: AbortSignal;
}

/** A path where a look found neither a file nor a folder. */
export interface FreeName {
  path: StoragePath;
  /** What the store knew then; given back with a write, it can save the store another look. */
  seenAt: number;
}

export interface OpenOptions {
  range?: ByteRange;
  /** The version that is expected. */
  etag?: string;
  signal?: AbortSignal;
}

/** One level of a folder: the names are whole paths, sorted by UTF-16 code units. */
export interface FolderLevel {
  folders: StoragePath[];
  files: BlobEntry[];
}

/**
 * Where files are kept: on disk, in memory or in a bucket. Every implementation passes `test/contracts/blob-store.ts`.
 * Readers see the old file or the new one, never half of one. Parent folders come into being with a write.
 * A path that leads outside the store (a symbolic link) does not exist.
 */
export interface BlobStore {
  /** Stores a stream of unknown length. An error or an abort leaves nothing behind and the old file in place.
   * @throws BlobExists with `existing: 'keep'`; BlobConflict when the path or a parent of it is of the other kind
   * (a folder where a file is written, a file where a folder is needed). */
  write(path: StoragePath, source: Readable | AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<BlobStat>;
  /** Like `write`, from a local temporary file that the store takes over: afterwards the file is gone. It has to lie
   * on the disk store's own file system (its temp folder). On failure the file is left to the caller. */
  adopt(path: StoragePath, file: string, options?: WriteOptions): Promise<BlobStat>;
  /** Those of some names of one folder where nothing stands, in their order, each as it is asked for. Others may take one
   * meanwhile: `existing: 'keep'` tells. */
  freeNames(names: Iterable<StoragePath>): AsyncIterable<FreeName>;
  /** Undefined for a missing file, and for a folder. */
  stat(path: StoragePath): Promise<BlobStat | undefined>;
  /** Opens the bytes, or a part of them. An abort destroys the stream.
   * @throws BlobNotFound, also with an `etag` when the bytes are not that version any more */
  open(path: StoragePath, options?: OpenOptions): Promise<ByteStream>;
  /** Runs `use` with a local file that holds the blob's bytes for as long as `use` runs. It is only to be read.
   * @throws BlobNotFound */
  withLocalFile<T>(path: StoragePath, use: (file: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** @throws BlobNotFound; BlobExists with `existing: 'keep'`; BlobConflict as `write` */
  copy(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** Moves one file. @throws as `copy` */
  move(from: StoragePath, to: StoragePath, options?: WriteOptions): Promise<BlobStat>;
  /** False when there was no such file. */
  remove(path: StoragePath): Promise<boolean>;
  /** One level below a folder; empty when the folder does not exist. With a limit, a look into a folder of any size: about
   * so many of its entries, at least (or all), whichever come first. */
  list(folder: StoragePath, options?: { limit?: number }): Promise<FolderLevel>;
  /** Every file below a folder, depth first, without holding them all in memory. */
  walk(folder: StoragePath): AsyncIterable<BlobEntry>;
  /** Every folder below the root, sorted. */
  folders(): Promise<StoragePath[]>;
  folderExists(folder: StoragePath): Promise<boolean>;
  /** False when it was there already. @throws BlobConflict when a file stands in the way */
  createFolder(folder: StoragePath): Promise<boolean>;
  /** Moves a folder with all that is in it. @throws BlobNotFound; BlobExists when `to` exists as file or folder */
  moveFolder(from: StoragePath, to: StoragePath): Promise<void>;
  /** Removes a folder with all that is in it; false when there was none. */
  removeFolder(folder: StoragePath): Promise<boolean>;
}

export class BlobNotFound extends Error {
  override name = 'BlobNotFound';
}

/** Says that there is no file. */
export function missing(path: StoragePath, cause?: unknown): BlobNotFound {
  return new BlobNotFound(`Nothing is stored at ${quote(path)}.`, { cause });
}

export class BlobExists extends Error {
  override name = 'BlobExists';
}

export class BlobConflict extends Error {
  override name = 'BlobConflict';
}

/** The store cannot be reached, refuses the service, or has failed however often it was asked. Asking later may help. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}
