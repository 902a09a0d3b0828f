import type { StoragePath } from '../../path.ts';
import type { ByteRange, ByteStream } from '../blob-store.ts';
import type { Usage } from '../usage.ts';

/** A cached variant. Small ones hold their bytes, so that sending them makes no system call. */
export interface Variant {
  key: string;
  /** The extension: `webp`, `jpeg`, `mp4`. */
  format: string;
  /** Bytes. */
  size: number;
  bytes: Buffer | undefined;
  /** Its file on this node; undefined where it has none. */
  file?: VariantFile;
  /** @throws BlobNotFound when it was evicted meanwhile */
  open(range?: ByteRange, signal?: AbortSignal): Promise<ByteStream>;
}

/** The file of a variant on this node. It does not hold the bytes. */
export interface VariantFile {
  /** Relative to the cache, as that of the original's folder. */
  name: string;
  folder: string;
  key: string;
  format: string;
  /** Bytes. */
  size: number;
  /** Time of the last recorded use. */
  touchedAt: number;
}

export interface PutOptions {
  /** Point at which the variant counts as stored: on this node (default), or when the other nodes can find it too. */
  until?: 'here' | 'shared';
  /** Ends the wait for the shared copy. This node has the variant in any case. */
  signal?: AbortSignal;
  /** Contents of the file, of at most `SMALL_BYTES`. Without them the file is read. */
  bytes?: Buffer | undefined;
}

/** Maximum size of a file that is read whole and stored in memory, in bytes; larger ones are streamed. */
export const SMALL_BYTES = 512 * 1024;

/** The cache of variants. */
export interface VariantStore {
  /** Looks in memory only, without a system call. */
  peek(key: string): Variant | undefined;
  /** Gets it from the nearest tier. `formats` are those that the variant of this key may have. */
  get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /**
   * Reads a small variant from its file, as another request for it, without a promise.
   * @param take called later; gets undefined for a file that was evicted or replaced
   */
  read(file: VariantFile, take: (bytes: Buffer | undefined) => void): void;
  /** Gets it by a lookup that begins after the call: finds a variant that another node has just stored. */
  getAgain(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /**
   * Takes over a finished temporary file of the same file system. After a power failure a cached file is whole or
   * missing.
   */
  put(original: StoragePath, key: string, format: string, file: string, options?: PutOptions): Promise<Variant>;
  /** Removes all variants of an original from this node. Returns their number. */
  evict(original: StoragePath): Promise<number>;
  /** Removes the shared variants of an original, or of everything below a folder. Returns their number. */
  evictShared(path: StoragePath): Promise<number>;
  /** Removes all variants from this node. Returns their number. */
  clear(): Promise<number>;
  /**
   * Applies an invalidation by another node to the variants of an original, or to all (the root): evicts them here, and
   * drops their queued copies. Of a folder only the copies: its variants are no longer requested.
   */
  evictLocal(path: StoragePath): Promise<void>;
  /** Counts the variants of one original: the shared ones, or, where none are shared, those of this node. */
  usageOf(original: StoragePath): Promise<Usage>;
  /**
   * Counts the variants of everything in a folder, as `usageOf`.
   * @param originals its files, for variants that are found by their original alone
   */
  usageWithin(folder: StoragePath, originals: AsyncIterable<StoragePath>): Promise<Usage>;
  /** Counts the variants on this node and the shared ones together. */
  stats(): Promise<Usage>;
  /** Returns the known figures, without reading a file or listing a bucket. */
  usage(): Promise<Usage>;
  /** Recalculates the figures of shared variants. */
  recount(): Promise<void>;
  /** Waits until the pending copies, all or that of this key, have arrived or failed. */
  settled(key?: string): Promise<void>;
  /** Waits for background work. When the signal aborts, abandons the rest where possible. */
  close(signal?: AbortSignal): Promise<void>;
}
