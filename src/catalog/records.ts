import type { FocalPoint } from '../focal-point.ts';
import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Facts } from '../render/facts.ts';
import type { BlobEntry } from '../storage/blob-store.ts';

/** A stored file as the store reports it. */
export type FileEntry = BlobEntry;

/** Catalogued state of a file without its description: enough to detect a change. */
export interface KnownFile {
  id: number;
  path: StoragePath;
  /** Bytes. */
  size: number;
  etag: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  fileId: string | null;
  /** True if it has metadata, which must not be lost. */
  hasWords: boolean;
}

export interface FolderRecord {
  id: number;
  path: StoragePath;
  /** Fingerprint of the folder when its rows were last correct; null if they have to be read again. */
  mark: string | null;
  /** Increases with every change of its listing. */
  revision: number;
  /** Digest of everything in the folder while its rows are correct; null if unknown. */
  digest: string | null;
}

/** The stored facts. */
type RetainedFacts = Pick<
  Facts,
  | 'width'
  | 'height'
  | 'duration'
  | 'frames'
  | 'hasAlpha'
  | 'codec'
  | 'bitrate'
  | 'camera'
  | 'hasGps'
  | 'dominantColour'
  | 'palette'
  | 'perceptualHash'
>;

/** Description derived from the bytes of a file. */
export interface Description extends RetainedFacts {
  /** Milliseconds since 1970. */
  takenAt: number | null;
  /** ThumbHash, base64. */
  placeholder: string | null;
  /** Hash of the bytes, as hex. */
  sha256: string | null;
  /** Reason, for people, why the content cannot be decoded; null if it can. */
  problem: string | null;
}

/** Metadata of a file. */
export interface Words {
  title: string | null;
  alt: string | null;
  description: string | null;
  /** Sorted by UTF-16 code units. */
  tags: string[];
  fields: Record<string, unknown>;
  focal: FocalPoint | null;
}

/** An original with all its data. */
export interface AssetRecord extends Words, Description {
  id: number;
  path: StoragePath;
  name: string;
  folder: StoragePath;
  kind: MediaKind;
  /** Bytes. */
  size: number;
  etag: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  createdAt: number;
  fileId: string | null;
  /** Increases with every change of the metadata; 0 without any. */
  revision: number;
  /** True if the description exists and belongs to this version. */
  isDescribed: boolean;
}

/** The changes of originals that have an intent. */
export const CHANGE_KINDS = ['write', 'copy', 'move', 'remove', 'createFolder', 'moveFolder', 'removeFolder'] as const;
/** The moves into the trash and back. */
export const TRASH_KINDS = ['trash', 'restore'] as const;
/** The copies of bytes that become a version. */
export const VERSION_KINDS = ['version'] as const;

export type IntentKind = (typeof CHANGE_KINDS)[number] | (typeof TRASH_KINDS)[number] | (typeof VERSION_KINDS)[number];

/**
 * Retention, in ms, of a copy that a node which seems to have ended left in the retention store. The node may still be
 * about to use it.
 */
export const COPY_GRACE_MS = 60 * 60 * 1000;

/** A change of the store in progress: recorded before it begins, and finished together with its rows. */
export interface Intent {
  id: string;
  /** Process that makes the change. */
  node: string;
  kind: IntentKind;
  from: StoragePath;
  to: StoragePath | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}
