import type { FileHandle } from 'node:fs/promises';
import type { StoragePath } from '../../path.ts';
import type { ByteRange, ByteStream } from '../blob-store.ts';
import type { Usage } from '../usage.ts';

/** A shared variant whose bytes are on their way. */
export interface OpenVariant {
  format: string;
  /** Bytes. */
  length: number;
  stream: ByteStream;
}

/** The variants that several machines share, in a bucket for example. They are never evicted. */
export interface SharedVariants {
  /** Makes one request, whether the variant is there or not. */
  open(original: StoragePath, key: string): Promise<OpenVariant | undefined>;
  /** The bytes of an existing variant, or a part of them, at the pace of their reader.
   * @throws BlobNotFound when the variant has gone meanwhile */
  read(original: StoragePath, key: string, range?: ByteRange, signal?: AbortSignal): Promise<ByteStream>;
  /** Stores a copy of an open local file, unless the variant is there already. */
  put(original: StoragePath, key: string, format: string, file: FileHandle, signal?: AbortSignal): Promise<void>;
  /** Removes the variants of an original, or of everything in a folder, also those that are being stored. Returns how many
   * there were. */
  forget(path: StoragePath): Promise<number>;
  /** Those of one original, found by listing them. */
  usageOf(original: StoragePath): Promise<Usage>;
  /** The counted figures, recalculated when they are unknown. */
  stats(): Promise<Usage>;
  /** The counted figures, zero while they are unknown. Makes no request to the bucket. */
  usage(): Promise<Usage>;
  /** Counts by listing all variants. */
  recount(): Promise<void>;
  /** Flushes the counted figures. No change follows. */
  close(): Promise<void>;
}
