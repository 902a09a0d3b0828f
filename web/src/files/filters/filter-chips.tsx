import { formatBytes, formatCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { filterMessages } from '../../messages/filters.ts';
import type { FilesAddress, FilesSearch } from '../address.ts';
import { NO_FILTER, toggleTag } from './filter.ts';

/** An active criterion, and the search parameters without it. */
type Part = [key: string, label: string | undefined, without: Partial<FilesSearch>];

function partsOf({ filter, order }: FilesAddress): Part[] {
  const { tag = [], orientation, minSize, maxSize, minWidth, minHeight, modifiedAfter, modifiedBefore } = filter;
  const { chip } = filterMessages;
  const written = (value: number | undefined, format: (value: number) => string, say: (text: string) => string) =>
    value === undefined ? undefined : say(format(value));
  return [
    ['kind', order.kind && messages.files.kinds[order.kind], { kind: undefined }],
    ...tag.map((name): Part => [`tag ${name}`, name, { tag: toggleTag(filter, name) }]),
    ['orientation', orientation && filterMessages.orientations[orientation], { orientation: undefined }],
    ['minSize', written(minSize, formatBytes, chip.minSize), { minSize: undefined }],
    ['maxSize', written(maxSize, formatBytes, chip.maxSize), { maxSize: undefined }],
    ['minWidth', written(minWidth, formatCount, chip.minWidth), { minWidth: undefined }],
    ['minHeight', written(minHeight, formatCount, chip.minHeight), { minHeight: undefined }],
    ['modifiedAfter', modifiedAfter && chip.modifiedAfter(modifiedAfter), { modifiedAfter: undefined }],
    ['modifiedBefore', modifiedBefore && chip.modifiedBefore(modifiedBefore), { modifiedBefore: undefined }],
  ];
}

/** Active criteria as removable chips. */
export function FilterChips({ address }: { address: FilesAddress }) {
  const { change } = address;
  const shown = partsOf(address).flatMap(([key, label, without]) =>
    label === undefined ? [] : [{ key, label, without }],
  );
  return (
    <ul className="filter-chips" aria-label={filterMessages.title}>
      {shown.map(({ key, label, without }) => (
        <li key={key}>
          <button
            type="button"
            className="filter-chip"
            aria-label={filterMessages.remove(label)}
            onClick={() => change(without, true)}
          >
            {label}
            <Icon name="close" size={13} />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          className="filter-chip is-plain"
          onClick={() => change({ ...NO_FILTER, kind: undefined }, true)}
        >
          {filterMessages.clear}
        </button>
      </li>
    </ul>
  );
}
