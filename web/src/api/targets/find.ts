import { queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import { type ListingOrder, listRange } from '../files.ts';

/** Of each. */
const MOST = 6;

/** Folders of a folder whose names have a text in them. */
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

/** Files of the whole library that have the words, the best ones first. */
export const filesNamed = (q: string) =>
  queryOptions({
    queryKey: ['files', 'files named', q],
    queryFn: async ({ signal }) =>
      (await call('listAssets', `assets${queryOf({ q, limit: MOST })}`, { signal })).assets,
  });

/**
 * The place of the first file of a folder whose name begins with a text, by halving: names are in the order of their code units, after
 * the folders. Capitals come before small letters there, so both are looked for.
 * @returns undefined where there is none
 */
export async function indexOfName(
  path: string,
  order: ListingOrder,
  total: number,
  text: string,
): Promise<number | undefined> {
  for (const start of new Set([text, text.slice(0, 1).toUpperCase() + text.slice(1), text.toUpperCase()])) {
    let [low, high] = [0, total];
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

/** The name of a file; undefined for a folder. */
async function nameAt(path: string, order: ListingOrder, index: number): Promise<string | undefined> {
  return (await listRange(path, order, index, 1)).files[0]?.name;
}
