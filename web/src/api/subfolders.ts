import { queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';

/** Folders of a level that are listed; of more, the rest is in the folder itself. */
const MAX_LISTED = 200;

export interface Subfolders {
  folders: readonly { name: string; path: string }[];
  hasMore: boolean;
}

export const NO_SUBFOLDERS: Subfolders = { folders: [], hasMore: false };

/** First subfolders of a folder by name. Listings have folders before files. */
export const subfoldersQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'subfolders', path],
    queryFn: async ({ signal }): Promise<Subfolders> => {
      const { folders } = await call('listFolder', `storage${queryOf({ path, limit: MAX_LISTED })}`, { signal });
      return { folders, hasMore: folders.length === MAX_LISTED };
    },
  });
