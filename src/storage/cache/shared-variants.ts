import type { FileHandle } from 'node:fs/promises';
import type { StoragePath } from '../../path.ts';
import type { ByteRange, ByteStream } from '../blob-store.ts';
import type { Usage } from '../usage.ts';

/** A shared variant whose bytes are being received. */
export interface OpenVariant {
  format: string;
  /** Bytes. */
  length: number;
  stream: ByteStream;
}

/** Variants that several nodes share, for example in a bucket. They are never evicted. */
export interface SharedVariants {
  /** Makes one request, for an existing variant as for a missing one. */
  open(original: StoragePath, key: string): Promise<OpenVariant | undefined>;
  /**
   * Reads the bytes of an existing variant, or a part of them, at the rate of their reader.
   * @throws BlobNotFound when the variant was deleted meanwhile
   */
  read(original: StoragePath, key: string, range?: ByteRange, signal?: AbortSignal): Promise<ByteStream>;
  /** Stores a copy of an open local file, unless the variant exists. */
  put(original: StoragePath, key: string, format: string, file: FileHandle, signal?: AbortSignal): Promise<void>;
  /**
   * Removes the variants of an original, or of everything below a folder, including those being stored. Returns their
   * number.
   */
  evict(path: StoragePath): Promise<number>;
  /** Counts those of an original, or of everything below a folder, by listing them. */
  usageOf(path: StoragePath): Promise<Usage>;
  /** Returns the counted figures, recalculated when they are unknown. */
  stats(): Promise<Usage>;
  /** Returns the counted figures, zero while they are unknown. Makes no request to the bucket. */
  usage(): Promise<Usage>;
  /** Counts by listing all variants. */
  recount(): Promise<void>;
  /** Flushes the counted figures. No change follows. */
  close(): Promise<void>;
}
