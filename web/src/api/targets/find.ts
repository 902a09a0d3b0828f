import { queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import { listRange, type Scope } from '../files.ts';

/** Results per kind. */
export const MOST_FOUND = 6;

/** Folders of the whole library with all words of a text in their paths. */
export const foldersFound = (search: string, limit = MOST_FOUND) =>
  queryOptions({
    queryKey: ['files', 'folders found', search, limit],
    queryFn: async ({ signal }) => {
      // Folders are listed before files.
      const query = queryOf({ recursive: true, search, limit });
      return (await call('listFolder', `storage${query}`, { signal })).folders;
    },
    retry: false,
  });

/** Files of the whole library with all words of a text in their paths, latest first; without any, with similar terms. */
export const filesFound = (search: string) =>
  queryOptions({
    queryKey: ['files', 'files found', search],
    queryFn: async ({ signal }) => {
      const found = (query: object) =>
        call('listAssets', `assets${queryOf({ ...query, limit: MOST_FOUND })}`, { signal });
      const { assets } = await found({ search, sort: 'mtime', order: 'desc' });
      return assets.length > 0 ? assets : (await found({ q: search })).assets;
    },
    retry: false,
  });

/**
 * Index of the first file whose name begins with a text, by binary search: names are sorted by code units, after the
 * folders. Capitals sort before small letters, so both spellings are tried.
 * @returns undefined if there is none
 */
export async function indexOfName(scope: Scope, total: number, text: string): Promise<number | undefined> {
  for (const start of new Set([text, text.slice(0, 1).toUpperCase() + text.slice(1), text.toUpperCase()])) {
    let low = 0;
    let high = total;
    while (low < high) {
      const middle = (low + high) >> 1;
      const name = await nameAt(scope, middle);
      if (name === undefined || name < start) low = middle + 1;
      else high = middle;
    }
    if ((await nameAt(scope, low))?.startsWith(start)) return low;
  }
  return undefined;
}

/** Name of a file; undefined for a folder. */
async function nameAt(scope: Scope, index: number): Promise<string | undefined> {
  return (await listRange(scope, index, 1)).files[0]?.name;
}
