import { queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import { type ListingOrder, listRange } from '../files.ts';

/** Results per kind. */
const MOST = 6;

/** Subfolders whose names contain a text. */
export const foldersNamed = (path: string, text: string) =>
  queryOptions({
    queryKey: ['files', 'folders named', path, text],
    queryFn: async ({ signal }) => {
      // Folders are listed before files.
      const query = queryOf({ path, search: text, limit: MOST });
      return (await call('listFolder', `storage${query}`, { signal })).folders;
    },
    retry: false,
  });

/** Folders of a search for a destination. */
const MOST_DESTINATIONS = 30;

/** Folders anywhere whose names contain a text; at least those of the root and of a folder. */
export const foldersAnywhere = (text: string, folder: string) =>
  queryOptions({
    queryKey: ['files', 'folders anywhere', text, folder],
    queryFn: async ({ signal }) => {
      const search = async (query: object) => {
        const found = await call(
          'listFolder',
          `storage${queryOf({ search: text, limit: MOST_DESTINATIONS, ...query })}`,
          { signal },
        );
        return found.folders;
      };
      const scopes = [{ recursive: true }, { path: folder }, { path: '' }];
      const found = await Promise.all(scopes.slice(0, folder === '' ? 2 : 3).map(search));
      const byPath = new Map(found.flat().map((one) => [one.path, one]));
      return [...byPath.values()].slice(0, MOST_DESTINATIONS);
    },
    retry: false,
  });

/** Files of the whole library that match a text, by relevance. */
export const filesNamed = (q: string) =>
  queryOptions({
    queryKey: ['files', 'files named', q],
    queryFn: async ({ signal }) =>
      (await call('listAssets', `assets${queryOf({ q, limit: MOST })}`, { signal })).assets,
  });

/**
 * Index of the first file whose name begins with a text, by binary search: names are sorted by code units, after the
 * folders. Capitals sort before small letters, so both spellings are tried.
 * @returns undefined if there is none
 */
export async function indexOfName(
  path: string,
  order: ListingOrder,
  total: number,
  text: string,
): Promise<number | undefined> {
  for (const start of new Set([text, text.slice(0, 1).toUpperCase() + text.slice(1), text.toUpperCase()])) {
    let low = 0;
    let high = total;
    while (low < high) {
      const middle = (low + high) >> 1;
      const name = await nameAt(path, order, middle);
      if (name === undefined || name < start) low = middle + 1;
      else high = middle;
    }
    if ((await nameAt(path, order, low))?.startsWith(start)) return low;
  }
  return undefined;
}

/** Name of a file; undefined for a folder. */
async function nameAt(path: string, order: ListingOrder, index: number): Promise<string | undefined> {
  return (await listRange(path, order, index, 1)).files[0]?.name;
}
