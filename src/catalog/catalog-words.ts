import type { FocalPoint } from '../focal-point.ts';
import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { AssetRecord, Description, Words } from './records.ts';

/** Changes of an asset's metadata. Omitted fields keep their value; `fields` and `tags` are replaced whole. */
export type WordsPatch = { [Name in keyof Words]?: Words[Name] | undefined };

/** Metadata of files. Callers check the limits. */
export interface Wordings {
  /**
   * Changes metadata.
   * @param revision the expected revision; if it differs, nothing changes
   * @returns the updated asset; undefined when there is none
   */
  patch(path: StoragePath, patch: WordsPatch, revision?: number): Promise<AssetRecord | 'conflict' | undefined>;
  /** Returns the focal point; undefined when the file has none, or is not in the catalog. */
  focalPoint(path: StoragePath): Promise<FocalPoint | undefined>;
}

export interface TagCount {
  tag: string;
  count: number;
}

/**
 * Tags of all files, or of those in a folder and in all folders below it. Changes of many files are made in small
 * steps.
 */
export interface Tags {
  /** Returns all tags, sorted by UTF-16 code units. */
  list(folder?: StoragePath): Promise<TagCount[]>;
  /** Renames a tag; merges it if the new name exists. @returns the number of files changed */
  rename(tag: string, name: string, folder?: StoragePath): Promise<number>;
  /** @returns the number of files that had the tag */
  remove(tag: string, folder?: StoragePath): Promise<number>;
  /** @returns the paths that have files */
  change(
    paths: readonly StoragePath[],
    changed: { add?: readonly string[]; remove?: readonly string[] },
  ): Promise<StoragePath[]>;
}

/** A file without a description. */
export interface Undescribed {
  id: number;
  path: StoragePath;
  etag: string;
  /** Bytes. */
  size: number;
  kind: MediaKind;
  /** Failed attempts since its bytes changed. */
  failures: number;
}

/** Descriptions, and the queue of files without one. */
export interface Descriptions {
  /** Claims due files for `holdMs`; other nodes do not get them in this time. */
  claim(limit: number, holdMs: number): Promise<Undescribed[]>;
  /** @returns false when the file has changed meanwhile, and nothing was stored */
  store(id: number, etag: string, description: Description): Promise<boolean>;
  /** Records a failed attempt; the file is due again after `retryInMs`. */
  fail(id: number, etag: string, retryInMs: number): Promise<void>;
  /** Counts files without a description, with the next due time in milliseconds since 1970. */
  waiting(): Promise<{ count: number; nextDueAt: number | null }>;
  /** Marks all files as due. */
  redescribe(): Promise<void>;
}
