import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import type { AssetSearch, Kind } from '../files.ts';

/** Number of matching files by kind or by tag. @param isDeep includes subfolders */
export const facetsQuery = (
  facet: 'kind' | 'tag',
  search: AssetSearch,
  folder: string,
  kind: Kind | undefined,
  isDeep: boolean,
) =>
  queryOptions({
    queryKey: ['files', 'facets', facet, search, folder, kind ?? null, isDeep],
    queryFn: async ({ signal }): Promise<Record<string, number>> => {
      // Without `folder` the API searches the whole library; an empty value means its root only.
      const scope = folder === '' && !isDeep ? '&folder=' : '';
      const query = queryOf({
        ...search,
        kind,
        folder,
        recursive: folder === '' ? undefined : isDeep,
        facets: facet,
        limit: 1,
      });
      const { facets } = await call('listAssets', `assets${query}${scope}`, { signal });
      return facets?.[facet] ?? {};
    },
    placeholderData: keepPreviousData,
  });
