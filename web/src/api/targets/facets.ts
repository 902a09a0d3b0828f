import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import type { AssetSearch, Kind } from '../files.ts';

/**
 * How many files there are of each kind, or with each tag, among those that are asked for.
 * @param isDeep whether those of the folders below count too
 */
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
      // Without a folder the whole library is meant, and an empty text is its root alone.
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
