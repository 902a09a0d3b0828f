import type { AssetSearch, Kind } from '../../api/files.ts';

const ORIENTATIONS = ['landscape', 'portrait', 'square'] as const;
export type Orientation = (typeof ORIENTATIONS)[number];

/** Filter criteria besides the kind, named as in `GET /storage`. */
export interface Filter extends Omit<AssetSearch, 'q' | 'search'> {
  /** Everything below the folder, without a criterion. */
  deep?: true | undefined;
}

const MAX_TAGS = 20;

/** Parses the filter of search parameters; invalid values are dropped. */
export function readFilter(search: Record<string, unknown>): Filter {
  const number = (value: unknown) => (/^\d{1,15}$/.test(String(value)) ? Number(value) : undefined);
  const day = (value: unknown) => (/^\d{4}-\d\d-\d\d$/.test(String(value)) ? String(value) : undefined);
  const flag = (value: unknown) => (String(value) === 'true' ? true : undefined);
  const tags = [search.tag ?? []].flat().map(String);
  const tag = [...new Set(tags.filter((one) => one !== ''))].slice(0, MAX_TAGS);
  return {
    tag: tag.length > 0 ? tag : undefined,
    untagged: flag(search.untagged),
    withoutAlt: flag(search.withoutAlt),
    undecodable: flag(search.undecodable),
    deep: flag(search.deep),
    minSize: number(search.minSize),
    maxSize: number(search.maxSize),
    minWidth: number(search.minWidth),
    minHeight: number(search.minHeight),
    orientation: ORIENTATIONS.find((one) => one === search.orientation),
    modifiedAfter: day(search.modifiedAfter),
    modifiedBefore: day(search.modifiedBefore),
  };
}

export const NO_FILTER: Filter = readFilter({});

export const isFiltering = (filter: Filter): boolean => Object.values(filter).some((value) => value !== undefined);

/** Number of active criteria, including the kind. */
export function countFilters({ tag, ...rest }: Filter, kind: Kind | undefined): number {
  const single = Object.values(rest).filter((value) => value !== undefined).length;
  return single + (tag?.length ?? 0) + (kind === undefined ? 0 : 1);
}

/** Adds or removes a tag. */
export function toggleTag({ tag = [] }: Filter, name: string): string[] | undefined {
  const next = tag.includes(name) ? tag.filter((one) => one !== name) : [...tag, name];
  return next.length > 0 ? next : undefined;
}

/** Id of the button that opens the filter panel, and takes the focus back from it. */
export const FILTER_BUTTON = 'filter-button';
