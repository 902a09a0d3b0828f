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
  /** @throws BlobNotFound when it was evicted in the meantime */
  open(range?: ByteRange, signal?: AbortSignal): Promise<ByteStream>;
}

export interface PutOptions {
  /** When the variant counts as stored: as soon as this machine has it (default), or when the other machines can find it too. */
  until?: 'here' | 'shared';
  /** Ends the wait for the shared copy. This machine has the variant in any case. */
  signal?: AbortSignal;
}

/** Files up to this size, in bytes, are read at once and kept in memory; larger ones are streamed. */
export const SMALL_BYTES = 512 * 1024;

/** The cache of variants. */
export interface VariantStore {
  /** From memory only, without a system call. */
  peek(key: string): Variant | undefined;
  /** From the nearest place that has it. `formats` are those that the variant of this key may have. */
  get(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /** The same by a look that begins after the call: it finds what another machine has just stored. */
  getAgain(original: StoragePath, key: string, formats: readonly string[]): Promise<Variant | undefined>;
  /** Takes over a finished temporary file of the same file system. A cached file survives a power cut, whole. */
  put(original: StoragePath, key: string, format: string, file: string, options?: PutOptions): Promise<Variant>;
  /** Removes all variants of an original from this machine. Returns how many there were. */
  forget(original: StoragePath): Promise<number>;
  /** Removes the shared variants of an original, or of everything in a folder. Returns how many there were. */
  forgetShared(path: StoragePath): Promise<number>;
  /** Removes all variants from this machine. Returns how many there were. */
  clear(): Promise<number>;
  /** Does here what another machine has done to the variants of an original, or to all (the root): removes them from this machine,
   * and does not share those that it was about to. Of a folder only these: nobody asks any more for what was in it. */
  withdraw(path: StoragePath): Promise<void>;
  /** The variants of one original: those that all machines share, or where none are shared, those of this one. */
  usageOf(original: StoragePath): Promise<Usage>;
  /** The variants on this node and the shared ones together. */
  stats(): Promise<Usage>;
  /** The same as far as it is known, without reading a file or listing a bucket. */
  usage(): Promise<Usage>;
  /** Recalculates the figures of shared variants. */
  recount(): Promise<void>;
  /** Waits until all variants that are on their way to other machines, or the one of this key, have arrived or cannot arrive. */
  settled(key?: string): Promise<void>;
  /** Waits for work in the background. When the signal aborts, work that can be given up is given up. */
  close(signal?: AbortSignal): Promise<void>;
}
