import type { FocalPoint } from '../focal-point.ts';
import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Facts } from '../render/facts.ts';
import type { BlobEntry } from '../storage/blob-store.ts';

/** A stored file as the store tells of it. */
export type FileEntry = BlobEntry;

/** What the catalog knows of a file without its description: enough to see whether it is still the same. */
export interface KnownFile {
  id: number;
  path: StoragePath;
  /** Bytes. */
  size: number;
  etag: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  fileId: string | null;
  /** Whether somebody has given it words, which must not be lost. */
  hasWords: boolean;
}

export interface FolderRecord {
  id: number;
  path: StoragePath;
  /** What the store said of the folder when its rows were last known to be right; null when they have to be read again. */
  mark: string | null;
  /** Rises with every change of what a listing of it shows. */
  revision: number;
  /** What the store says of everything in the folder while its rows are right; null when nobody knows. */
  digest: string | null;
}

/** The facts that are kept. */
type KeptFacts = Pick<
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

/** What the bytes of a file say. */
export interface Description extends KeptFacts {
  /** Milliseconds since 1970. */
  takenAt: number | null;
  /** ThumbHash, base64. */
  placeholder: string | null;
  /** Of the bytes, as hex. */
  sha256: string | null;
}

/** What people and programs say of a file. */
export interface Words {
  title: string | null;
  alt: string | null;
  description: string | null;
  /** Sorted by UTF-16 code units. */
  tags: string[];
  fields: Record<string, unknown>;
  focal: FocalPoint | null;
}

/** An original with all that is known of it. */
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
  /** Rises with every change of the words; 0 when nobody has given it any. */
  revision: number;
  /** Whether the description is there and is that of this version. */
  isDescribed: boolean;
}

export interface Usage {
  /** Bytes. */
  size: number;
  fileCount: number;
}

/** The changes of originals that have an intent. */
export const CHANGE_KINDS = ['write', 'copy', 'move', 'remove', 'createFolder', 'moveFolder', 'removeFolder'] as const;
/** The moves into the trash and back. */
export const TRASH_KINDS = ['trash', 'restore'] as const;

export type IntentKind = (typeof CHANGE_KINDS)[number] | (typeof TRASH_KINDS)[number];

/** A change of the store in progress: recorded before it begins, and finished together with its rows. */
export interface Intent {
  id: string;
  /** The process that makes it. */
  node: string;
  kind: IntentKind;
  from: StoragePath;
  to: StoragePath | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}
