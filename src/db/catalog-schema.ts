import type { Generated } from 'kysely';

/**
 * The rows of the catalog. A path consists of the folder's path and the name, so that moving a folder changes no file's
 * row. Times of files are Unix milliseconds, because they are sorted and compared in bulk.
 */
export interface CatalogSchema {
  folder: FolderRow;
  asset: AssetRow;
  asset_tag: AssetTagRow;
  folder_usage: FolderUsageRow;
  asset_words: AssetWordsRow;
  word_trigram: WordTrigramRow;
  asset_change: AssetChangeRow;
  trash: TrashRow;
  asset_version: AssetVersionRow;
  redirect: RedirectRow;
}

/** A folder; the root has an empty path. */
export interface FolderRow {
  /** Never reused for another folder. */
  id: Generated<number>;
  path: string;
  /** Null for the root. */
  parentId: number | null;
  /** The name as bytes that sort in the order of JavaScript strings. */
  nameKey: Buffer;
  /** The name for searches: without accents, in lower case. */
  folded: string;
  /**
   * Fingerprint of the folder in the store when its rows were last known to be correct; null when they have to be read
   * again.
   */
  mark: string | null;
  /** Increased by every change of the folder's listing; maintained by triggers. */
  revision: Generated<number>;
  /** The revision whose rows matched the store, and the digest of the folder's entries then. */
  digest: string | null;
}

/** An original. */
export interface AssetRow extends DescriptionColumns, WordColumns {
  /** Never reused for another file. */
  id: Generated<number>;
  folderId: number;
  name: string;
  /** The name as bytes that sort in the order of JavaScript strings. */
  nameKey: Buffer;
  /** The name for searches: without accents, in lower case. On SQLite also in `asset_names`. */
  folded: string;
  kind: string;
  /** In lower case, without the dot. */
  extension: string;
  /** Bytes. */
  size: number;
  modifiedAt: number;
  createdAt: number;
  etag: string;
  /** Identifies the file among all others on a disk, under any path. */
  fileId: string | null;
  /** 0 while its metadata is not indexed for search yet. */
  searchable: Generated<number>;
}

/** Properties of the bytes; all null until they are described. */
export interface DescriptionColumns {
  /** The version that is described, which is the current one; null before the description. */
  describedEtag: Generated<string | null>;
  /** Earliest time of the description. */
  describeDueAt: Generated<number>;
  describeFailures: Generated<number>;
  /** Pixels of the upright image. */
  width: Generated<number | null>;
  height: Generated<number | null>;
  /** Seconds. */
  duration: Generated<number | null>;
  frames: Generated<number | null>;
  hasAlpha: Generated<number | null>;
  codec: Generated<string | null>;
  /** Bits per second. */
  bitrate: Generated<number | null>;
  takenAt: Generated<number | null>;
  camera: Generated<string | null>;
  hasGps: Generated<number | null>;
  /** `#rrggbb`, and the same in CIE L*a*b*. */
  dominantColour: Generated<string | null>;
  labL: Generated<number | null>;
  labA: Generated<number | null>;
  labB: Generated<number | null>;
  /** JSON: colours as `#rrggbb`. */
  palette: Generated<string | null>;
  /** ThumbHash, base64. */
  placeholder: Generated<string | null>;
  /** 64 bits as hex. */
  perceptualHash: Generated<string | null>;
  /** Of the bytes, as hex. */
  sha256: Generated<string | null>;
  /** Reason, for people, why the content cannot be decoded. */
  problem: Generated<string | null>;
}

/** Metadata from people and programs. */
export interface WordColumns {
  title: Generated<string | null>;
  alt: Generated<string | null>;
  description: Generated<string | null>;
  /** JSON: an object. */
  fields: Generated<string | null>;
  /** 0 to 1, of the upright image. */
  focalX: Generated<number | null>;
  focalY: Generated<number | null>;
  /** Increased by every change of the metadata, including tags. */
  revision: Generated<number>;
}

export interface AssetTagRow {
  assetId: number;
  tag: string;
}

/** Usage of a folder without its subfolders, by kind; maintained by triggers. */
export interface FolderUsageRow {
  folderId: number;
  kind: string;
  /** Bytes. */
  size: number;
  fileCount: number;
}

/**
 * The search index of an asset's metadata. On SQLite this is a full-text index whose `rowid` is the asset's id, and
 * whose columns are `strong` (name, title, tags) and `weak` (alt, description); on PostgreSQL a `tsvector` with these
 * as weights A and D.
 */
export interface AssetWordsRow {
  /** On PostgreSQL. */
  assetId: number;
  words: string;
  /** On SQLite. */
  rowid: number;
  strong: string;
  weak: string;
}

/** Trigrams of each term that was ever stored, for near matches. */
export interface WordTrigramRow {
  trigram: string;
  word: string;
}

/** A change of the stored files that is in progress. */
export interface AssetChangeRow {
  id: string;
  /** The process that makes it. */
  node: string;
  kind: string;
  from: string;
  to: string | null;
  createdAt: number;
}

export interface TrashRow {
  id: string;
  /** Its previous path. */
  path: string;
  /** A kind of media, or `folder`. */
  kind: string;
  /** Bytes. */
  size: number;
  fileCount: number;
  deletedAt: number;
  expiresAt: number;
}

/** Earlier bytes of an original. */
export interface AssetVersionRow {
  id: string;
  assetId: number;
  size: number;
  createdAt: number;
  etag: string;
  width: number | null;
  height: number | null;
}

/** A path that had a file or a folder, and where that is now. */
export interface RedirectRow {
  from: string;
  /** A path in the trash while the target is there. */
  to: string;
  isFolder: number;
  createdAt: number;
}
