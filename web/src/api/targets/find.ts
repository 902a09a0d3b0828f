import { queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';

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
