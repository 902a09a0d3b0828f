import type { Generated } from 'kysely';

/**
 * The rows of the catalog. A path is the folder's and the name, so that moving a folder changes no file's row. Times of files are
 * milliseconds since 1970, because they are sorted and compared in bulk.
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
}

/** A folder; the root is the one whose path is empty. */
export interface FolderRow {
  /** Never given to another folder. */
  id: Generated<number>;
  path: string;
  /** Null for the root. */
  parentId: number | null;
  /** The name as bytes that sort as JavaScript compares texts. */
  nameKey: Buffer;
  /** The name for a search: NFC, lower case. */
  folded: string;
  /** What the store said of the folder when its rows were last known to be right; null when they have to be read again. */
  mark: string | null;
  /** Rises with every change of what a listing of it shows; kept by triggers. */
  revision: Generated<number>;
  /** The revision whose rows were those of the store, and what the store said of everything in the folder then. */
  digest: string | null;
}

/** An original. */
export interface AssetRow extends DescriptionColumns, WordColumns {
  /** Never given to another file. */
  id: Generated<number>;
  folderId: number;
  name: string;
  /** The name as bytes that sort as JavaScript compares texts. */
  nameKey: Buffer;
  /** The name for a search: NFC, lower case. */
  folded: string;
  kind: string;
  /** In lower case, without the dot. */
  extension: string;
  /** Bytes. */
  size: number;
  modifiedAt: number;
  createdAt: number;
  etag: string;
  /** What tells the file from all others on a disk, whatever its path. */
  fileId: string | null;
  /** Whether its words can be searched for: 0 when they are still to be written. */
  searchable: Generated<number>;
}

/** What the bytes say; all null while they are not described. */
export interface DescriptionColumns {
  /** The version that is described, which is the present one; null while none is. */
  describedEtag: Generated<string | null>;
  /** Not to be described before. */
  describeDueAt: Generated<number>;
  describeFailures: Generated<number>;
  /** Pixels of the upright picture. */
  width: Generated<number | null>;
  height: Generated<number | null>;
  /** Seconds. */
  duration: Generated<number | null>;
  frames: Generated<number | null>;
  hasAlpha: Generated<number | null>;
  codec: Generated<string | null>;
  /** Bits a second. */
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
}

/** What people and programs say of it. */
export interface WordColumns {
  title: Generated<string | null>;
  alt: Generated<string | null>;
  description: Generated<string | null>;
  /** JSON: an object. */
  fields: Generated<string | null>;
  /** 0 to 1, of the upright picture. */
  focalX: Generated<number | null>;
  focalY: Generated<number | null>;
  /** Rises with every change of the words, tags among them. */
  revision: Generated<number>;
}

export interface AssetTagRow {
  assetId: number;
  tag: string;
}

/** How much lies in a folder itself, by kind; kept by triggers. */
export interface FolderUsageRow {
  folderId: number;
  kind: string;
  /** Bytes. */
  size: number;
  fileCount: number;
}

/**
 * The words of an asset, by which it is found. On SQLite this is an index for full text whose `rowid` is the asset's id, and whose
 * columns are `strong` (name, title, tags) and `weak` (alt, description); on PostgreSQL a `tsvector` with these as weights A and D.
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

/** The trigrams of each word that was ever written, to find those that are nearly the same. */
export interface WordTrigramRow {
  trigram: string;
  word: string;
}

/** A change of the stored files that is under way. */
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
  /** Where it was. */
  path: string;
  /** A kind of media, or `folder`. */
  kind: string;
  /** Bytes. */
  size: number;
  fileCount: number;
  deletedAt: number;
  expiresAt: number;
}

/** Bytes that an original had before. */
export interface AssetVersionRow {
  id: string;
  assetId: number;
  size: number;
  createdAt: number;
  etag: string;
  width: number | null;
  height: number | null;
}
