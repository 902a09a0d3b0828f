import { queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call } from './call.ts';
import { folderOf, nameOf } from './paths.ts';

/** The nearest folder that exists: the requested one, or one above it. */
export const nearestFolderQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'nearest folder', path],
    queryFn: async ({ signal }) => {
      for (let folder = path; folder !== ''; folder = folderOf(folder))
        if (await folderExists(folder, signal)) return folder;
      return '';
    },
  });

/** Those of some folders that exist, in their order. */
export const existingFoldersQuery = (paths: readonly string[]) =>
  queryOptions({
    queryKey: ['files', 'existing folders', paths],
    queryFn: async ({ signal }) => {
      const exist = await Promise.all(paths.map((path) => path === '' || folderExists(path, signal)));
      return paths.filter((_, at) => exist[at]);
    },
    retry: false,
  });

/** The listing of a missing folder is empty, as that of an empty one. */
async function folderExists(path: string, signal: AbortSignal): Promise<boolean> {
  const list = (query: object) => call('listFolder', `storage${queryOf({ limit: 1, ...query })}`, { signal });
  const { total, version } = await list({ path });
  if (total > 0 || version !== null) return true;
  // While the catalog is being built there are no versions.
  const { folders } = await list({ path: folderOf(path), search: nameOf(path), limit: 100 });
  return folders.some((folder) => folder.path === path);
}
