import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRootName } from '../../api/access.ts';
import { type AssetSearch, listingQuery } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import { Button } from '../../components/button.tsx';
import { formatCount } from '../../components/format.ts';
import { Empty } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { filterMessages } from '../../messages/filters.ts';
import type { FilesAddress, FilesSearch } from '../address.ts';
import { countFilters, NO_FILTER } from './filter.ts';

/** Says that a search has no results, and offers the searches that have some. */
export function NoResults({ address }: { address: FilesAddress }) {
  const { folder, q, isInText, filter, order, change } = address;
  const root = useRootName();
  const navigate = useNavigate();
  const everywhere = useTotal(address, '', isInText);
  const other = useTotal(address, '', !isInText);
  const search = (isText: boolean): FilesSearch => ({ q, in: isText ? 'text' : undefined });
  const go = (isText: boolean) =>
    void navigate({
      to: '/files/$',
      params: { _splat: '' },
      search: ({ view }: FilesSearch) => ({ view, ...search(isText) }),
    });
  const isFiltered = countFilters(filter, order.kind) > 0;
  const isElsewhere = folder !== '' || isFiltered;
  const where = nameOf(folder) || root;
  const instead = isInText ? filterMessages.inPathsInstead : filterMessages.inTextInstead;
  return (
    <Empty
      icon="search"
      title={messages.files.empty.search(q)}
      action={
        <div className="filter-search-more">
          {isElsewhere && everywhere > 0 && (
            <Button variant="main" onPress={() => go(isInText)}>
              {filterMessages.everywhere(formatCount(everywhere))}
            </Button>
          )}
          {other > 0 && <Button onPress={() => go(!isInText)}>{instead(formatCount(other))}</Button>}
          <Button onPress={() => change({ ...NO_FILTER, q: undefined, in: undefined, kind: undefined })}>
            {messages.files.clearSearch}
          </Button>
        </div>
      }
    >
      {isInText ? filterMessages.noText(where) : filterMessages.noPath(where)}
      {isFiltered && ` ${filterMessages.andFilter}`}
    </Empty>
  );
}

/** Number of results without a filter. */
function useTotal({ q }: FilesAddress, folder: string, isText: boolean): number {
  const search: AssetSearch = isText ? { q } : { search: q };
  const { data } = useQuery(listingQuery({ folder, order: { sort: 'name', order: 'asc' }, search }, 0));
  return data?.total ?? 0;
}
