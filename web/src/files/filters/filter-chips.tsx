import { formatBytes, formatCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { filterMessages } from '../../messages/filters.ts';
import type { FilesAddress, FilesSearch } from '../address.ts';
import { countFilters, NO_FILTER, toggleTag } from './filter.ts';

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
    ['deep', filter.deep && chip.deep, { deep: undefined }],
    ['untagged', filter.untagged && chip.untagged, { untagged: undefined }],
    ['withoutAlt', filter.withoutAlt && chip.withoutAlt, { withoutAlt: undefined }],
    ['undecodable', filter.undecodable && chip.undecodable, { undecodable: undefined }],
    ['minSize', written(minSize, formatBytes, chip.minSize), { minSize: undefined }],
    ['maxSize', written(maxSize, formatBytes, chip.maxSize), { maxSize: undefined }],
    ['minWidth', written(minWidth, formatCount, chip.minWidth), { minWidth: undefined }],
    ['minHeight', written(minHeight, formatCount, chip.minHeight), { minHeight: undefined }],
    ['modifiedAfter', modifiedAfter && chip.modifiedAfter(modifiedAfter), { modifiedAfter: undefined }],
    ['modifiedBefore', modifiedBefore && chip.modifiedBefore(modifiedBefore), { modifiedBefore: undefined }],
  ];
}

/** Subject of the search, and active criteria as removable chips. */
export function FilterChips({ address }: { address: FilesAddress }) {
  return (
    <>
      {address.q !== '' && <SearchIn address={address} />}
      {countFilters(address.filter, address.order.kind) > 0 && <Criteria address={address} />}
    </>
  );
}

function SearchIn({ address: { isInText, change } }: { address: FilesAddress }) {
  const choice = (isText: boolean, label: string) => (
    <button
      type="button"
      className="filter-chip"
      aria-pressed={isInText === isText}
      onClick={() => change({ in: isText ? 'text' : undefined }, true)}
    >
      {label}
    </button>
  );
  return (
    <fieldset className="filter-group filter-search">
      <legend className="unseen">{filterMessages.searchIn}</legend>
      <div>
        {choice(false, filterMessages.inPaths)}
        {choice(true, filterMessages.inText)}
      </div>
    </fieldset>
  );
}

function Criteria({ address }: { address: FilesAddress }) {
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
