import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queryOf } from '../base.ts';
import { call } from '../call.ts';
import type { AssetSearch, Kind } from '../files.ts';

/** Number of matching files in a folder and all folders below, by kind or by tag. */
export const facetsQuery = (facet: 'kind' | 'tag', search: AssetSearch, folder: string, kind: Kind | undefined) =>
  queryOptions({
    queryKey: ['files', 'facets', facet, search, folder, kind ?? null],
    queryFn: async ({ signal }): Promise<Record<string, number>> => {
      const recursive = folder === '' ? undefined : true;
      const query = queryOf({ ...search, kind, folder, recursive, facets: facet, limit: 1 });
      const { facets } = await call('listAssets', `assets${query}`, { signal });
      return facets?.[facet] ?? {};
    },
    placeholderData: keepPreviousData,
  });
