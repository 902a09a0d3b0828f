import type { MediaKind } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { AssetRecord } from './records.ts';

export type SearchSort = 'relevance' | 'name' | 'size' | 'mtime' | 'created' | 'taken';

/** From, to: both inclusive. */
export interface Range {
  min?: number | undefined;
  max?: number | undefined;
}

/** What assets have to be. What is not named does not matter; what is not described meets no condition about it. */
export interface AssetFilter {
  /** All of these words, in names, titles, alts, descriptions or tags; the last one as the beginning of one. */
  text?: string | undefined;
  folder?: StoragePath | undefined;
  /** With `folder`: also the files of all folders below it. */
  recursive?: boolean | undefined;
  kind?: MediaKind | undefined;
  /** All of these. */
  tags?: readonly string[] | undefined;
  /** None of these. */
  withoutTags?: readonly string[] | undefined;
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
  /** `#rrggbb`: the dominant colour is near this. */
  colour?: string | undefined;
  /** Custom fields, by name: the value as a text. */
  fields?: Readonly<Record<string, string>> | undefined;
}

/** Where a page ended. It need not be there any more. */
export interface SearchPosition {
  id: number;
  /** What it was sorted by; a name as a text. */
  value: number | string | null;
  /** Which part of the order: relevance and times have several. */
  part: number;
  /** Whether the words were only nearly found. */
  isNear: boolean;
}

export interface SearchRequest extends AssetFilter {
  /** By relevance, the latest come first among those that have all words in their names, titles and tags, and then among others. */
  sort: SearchSort;
  /** Not for relevance. Those that were taken nobody knows when come last in both. */
  order: 'asc' | 'desc';
  limit: number;
  after?: SearchPosition | undefined;
}

export interface SearchPage {
  assets: AssetRecord[];
  /** Where the next page begins; undefined on the last one. */
  next: SearchPosition | undefined;
  /** Whether nothing has these words, and these have nearly the same ones. */
  isNear: boolean;
}

export interface Facets {
  kind: Record<string, number>;
  /** The most frequent ones. */
  tag: Record<string, number>;
  /** By MIME type. */
  type: Record<string, number>;
}

export interface DuplicateGroup {
  /** The first hundred of them. */
  assets: AssetRecord[];
  /** Bytes that all but one take. */
  wastedBytes: number;
}

export interface DuplicatePage {
  groups: DuplicateGroup[];
  /** Where the next page begins; undefined on the last one. A page may have few groups, or none, and not be the last. */
  next: string | undefined;
}

/** Assets of the whole library. */
export interface Searches {
  page(request: SearchRequest): Promise<SearchPage>;
  /** How many there are, counted up to a ceiling. */
  total(filter: AssetFilter, isNear: boolean, ceiling: number): Promise<number>;
  /** How many there are of each kind, tag and type, among the first hundred thousand. */
  facets(filter: AssetFilter, isNear: boolean): Promise<Facets>;
  /** Files of equal bytes. */
  duplicates(limit: number, after?: string): Promise<DuplicatePage>;
  /** Pictures that look the same: at most three bits of their perceptual hashes differ from those of the first. */
  similar(limit: number, after?: string): Promise<DuplicatePage>;
}
