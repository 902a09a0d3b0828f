import type { FileHandle } from 'node:fs/promises';
import type { StoragePath } from '../../path.ts';
import type { ByteRange, ByteStream } from '../blob-store.ts';
import type { DatedUsage, Usage } from '../usage.ts';

/** Where the counters of the shared variants survive a restart. */
export interface VariantLedger {
  /** Undefined before the first count. */
  read(): Promise<DatedUsage | undefined>;
  /** Adds to the counters; a removal is negative. Does nothing before the first count. */
  add(added: Usage): Promise<void>;
  /** What other machines have done so far; undefined while they change something. */
  mark(): Promise<string | undefined>;
  /** @param mark of before the count: when it has changed, the count may be wrong, and this is false */
  replace(counted: Usage, mark?: string): Promise<boolean>;
  /** Notes that changes are under way. When a process ends without `finish`, the next one finds no counters. */
  begin(): Promise<void>;
  finish(): Promise<void>;
}

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
  stats(): Promise<Usage & { updatedAt?: Date }>;
  /** The counters as they are; zero before the first count. Makes no request. */
  usage(): Promise<Usage>;
  /** Counts by listing all variants. Changes during the listing are counted too. */
  recount(): Promise<void>;
  /** Writes the counters. No change follows. */
  close(): Promise<void>;
}
