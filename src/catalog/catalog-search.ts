import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { AssetRecord } from './records.ts';

export type SearchSort = 'relevance' | 'name' | 'size' | 'mtime' | 'created' | 'taken';

/** Inclusive range. */
export interface Range {
  min?: number | undefined;
  max?: number | undefined;
}

/** Conditions on assets. Omitted ones are ignored; an asset without a description meets no condition on it. */
export interface AssetConditions {
  /** Terms as in `text`, without near matches. */
  terms?: string | undefined;
  /** Required tags: all of them. */
  tags?: readonly string[] | undefined;
  /** Excluded tags. */
  withoutTags?: readonly string[] | undefined;
  /** True for assets without any tag. */
  isUntagged?: boolean | undefined;
  /** True for assets without an alternative text. */
  hasNoAlt?: boolean | undefined;
  /** True for images, videos and audio that were described and could not be decoded. */
  isUndecodable?: boolean | undefined;
  /** Bytes. */
  size?: Range | undefined;
  /** Pixels. */
  width?: Range | undefined;
  height?: Range | undefined;
  orientation?: 'landscape' | 'portrait' | 'square' | undefined;
  /** Seconds. */
  duration?: Range | undefined;
  /** Milliseconds since 1970. */
  modifiedAt?: Range | undefined;
  takenAt?: Range | undefined;
  /** `#rrggbb`; matches assets with a similar dominant colour. */
  colour?: string | undefined;
  /** Custom fields, by name; values as text. */
  fields?: Readonly<Record<string, string>> | undefined;
}

export interface AssetFilter extends AssetConditions {
  /** Terms that must all match, in names, titles, alts, descriptions or tags; the last one matches as a prefix. */
  text?: string | undefined;
  /** Words that must all occur in the path below `folder`: see `path-words.ts`. */
  search?: string | undefined;
  folder?: StoragePath | undefined;
  /** Includes the files of all folders below `folder`. */
  recursive?: boolean | undefined;
  kind?: MediaKind | undefined;
}

/** Position after which the next page begins. Its asset may be deleted. */
export interface SearchPosition {
  id: number;
  /** Value of the sort key; a name as text. */
  value: number | string | null;
  /** Part of the order: relevance and times have several. */
  part: number;
  /** True for near matches of the terms. */
  isNear: boolean;
}

export interface SearchRequest extends AssetFilter {
  /**
   * Sort key. By relevance, assets with all terms in name, title and tags come first, then the others, each latest
   * first.
   */
  sort: SearchSort;
  /** Direction; ignored for relevance. Assets with an unknown capture time come last in both. */
  order: 'asc' | 'desc';
  limit: number;
  after?: SearchPosition | undefined;
}

export interface SearchPage {
  assets: AssetRecord[];
  /** Start of the next page; undefined on the last one. */
  next: SearchPosition | undefined;
  /** True if no asset has these terms, and near matches are returned. */
  isNear: boolean;
}

export interface Facets {
  kind: Record<string, number>;
  /** Counts of the most frequent tags. */
  tag: Record<string, number>;
  /** Counts by MIME type. */
  type: Record<string, number>;
}

export interface DuplicateGroup {
  /** First hundred assets of the group. */
  assets: AssetRecord[];
  /** Bytes of all copies but one. */
  wastedBytes: number;
}

export interface DuplicatePage {
  groups: DuplicateGroup[];
  /** Start of the next page; undefined on the last one. A page with few groups, or none, need not be the last. */
  next: string | undefined;
}

/** Searches in the library, or in a folder. */
export interface Searches {
  page(request: SearchRequest): Promise<SearchPage>;
  /** Counts the matches, up to a ceiling. */
  total(filter: AssetFilter, isNear: boolean, ceiling: number): Promise<number>;
  /** Counts the matches by kind, tag and type, among the first hundred thousand. */
  facets(filter: AssetFilter, isNear: boolean): Promise<Facets>;
  /** Finds files with equal bytes, in the library or in a folder and all folders below it. */
  duplicates(limit: number, after?: string, folder?: StoragePath): Promise<DuplicatePage>;
  /**
   * Finds similar images, in the library or in a folder and all folders below it: their perceptual hashes differ by at
   * most three bits from that of the first.
   */
  similar(limit: number, after?: string, folder?: StoragePath): Promise<DuplicatePage>;
}
