import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import type { FilesAddress } from '../address.ts';

type Sorting = Pick<FilesAddress, 'order' | 'change'>;

/** Columns of the list, with the order that they sort by. */
const COLUMNS = [
  ['name', 'name'],
  ['kind', undefined],
  ['pixels', undefined],
  ['size', 'size'],
  ['time', 'mtime'],
] as const;

/** Column headers. Those of a sortable column sort by it, in the other order when pressed again. */
export function ListHead({ sorting }: { sorting: Sorting }) {
  const { column } = messages.files;
  const { order, change } = sorting;
  const isDescending = order.order === 'desc';
  return (
    <div className="list-head" role="rowgroup">
      <div className="list-columns" role="row">
        {COLUMNS.map(([key, sort]) => {
          const isSorted = sort === order.sort;
          // Names begin with A, sizes and times with the largest and latest.
          const isNextDescending = isSorted ? !isDescending : sort !== 'name';
          return (
            <div
              key={key}
              className={`row-${key}`}
              role="columnheader"
              aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
            >
              {sort === undefined ? (
                column[key]
              ) : (
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
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
