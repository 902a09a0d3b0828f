import type { FocalPoint } from '../focal-point.ts';
import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { AssetRecord, Description, Words } from './records.ts';

/** What is changed of an asset's words. What is not named stays; `fields` and `tags` are replaced as a whole. */
export type WordsPatch = { [Name in keyof Words]?: Words[Name] | undefined };

/** What people and programs say of files. Limits are checked before. */
export interface Wordings {
  /**
   * Changes words.
   * @param revision the one that was read; when it is another meanwhile, nothing changes
   * @returns the asset as it is then; undefined when there is none
   */
  patch(path: StoragePath, patch: WordsPatch, revision?: number): Promise<AssetRecord | 'conflict' | undefined>;
  /** Undefined when the file has none, or is not known. */
  focalPoint(path: StoragePath): Promise<FocalPoint | undefined>;
}

export interface TagCount {
  tag: string;
  count: number;
}

/** The tags of all files. Changes of many files are made in small steps. */
export interface Tags {
  /** Sorted by UTF-16 code units. */
  list(): Promise<TagCount[]>;
  /** Gives a tag another name, which may be that of another tag. @returns how many files had it */
  rename(tag: string, name: string): Promise<number>;
  /** @returns how many files had it */
  remove(tag: string): Promise<number>;
  /** @returns those of the paths that have files */
  change(
    paths: readonly StoragePath[],
    changed: { add?: readonly string[]; remove?: readonly string[] },
  ): Promise<StoragePath[]>;
}

/** A file that is to be described. */
export interface Undescribed {
  id: number;
  path: StoragePath;
  etag: string;
  /** Bytes. */
  size: number;
  kind: MediaKind;
  /** How often it was tried in vain since its bytes changed. */
  failures: number;
}

/** What is still to be described, and what was. */
export interface Descriptions {
  /** Takes files that are due, for some time: no other node gets them meanwhile. */
  claim(limit: number, holdMs: number): Promise<Undescribed[]>;
  /** @returns false when the file is another version meanwhile, and nothing was stored */
  store(id: number, etag: string, description: Description): Promise<boolean>;
  /** Notes that it could not be described, and that it is due again after some time. */
  fail(id: number, etag: string, retryInMs: number): Promise<void>;
  /** How many are not described, and when the next one is due: milliseconds since 1970. */
  waiting(): Promise<{ count: number; nextDueAt: number | null }>;
  /** All are to be described again. */
  redescribe(): Promise<void>;
}
