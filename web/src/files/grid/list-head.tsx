import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { FilesAddress } from '../address.ts';

type Sorting = Pick<FilesAddress, 'order' | 'change'>;

/** Columns of the list, with the order that they sort by. */
const COLUMNS = [
  ['name', 'name'],
  ['kind', 'kind'],
  ['pixels', 'dimensions'],
  ['size', 'size'],
  ['time', 'mtime'],
] as const;

/** Column headers. They sort by their column, in the other order when pressed again. */
export function ListHead({ sorting }: { sorting: Sorting }) {
  const { column } = messages.files;
  const { order, change } = sorting;
  const isDescending = order.order === 'desc';
  return (
    <div className="list-head" role="rowgroup">
      <div className="list-columns" role="row">
        {COLUMNS.map(([key, sort]) => {
          const isSorted = sort === order.sort;
          // Names and kinds begin with A, the others with the largest and latest.
          const isNextDescending = isSorted ? !isDescending : sort !== 'name' && sort !== 'kind';
          return (
            <div
              key={key}
              className={`row-${key}`}
              role="columnheader"
              aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
            >
              <button
                type="button"
                className="list-sort"
                onClick={() =>
                  change(
                    { sort: sort === 'name' ? undefined : sort, order: isNextDescending ? 'desc' : undefined },
                    true,
                  )
                }
              >
                {column[key]}
                {isSorted && <Icon name="chevronDown" size={12} />}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
