import { useQuery } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, useEffect, useRef } from 'react';
import { KINDS } from '../../api/files.ts';
import { facetsQuery } from '../../api/targets/facets.ts';
import { LIBRARY_VIEWS, type LibraryView } from '../../api/views.ts';
import { Button } from '../../components/button.tsx';
import { formatCount } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';
import { filterMessages } from '../../messages/filters.ts';
import { viewMessages } from '../../messages/views.ts';
import type { FilesAddress, FilesSearch } from '../address.ts';
import { countFilters, FILTER_BUTTON, type Filter, NO_FILTER, type Orientation, toggleTag } from './filter.ts';

const ORIENTATIONS: readonly Orientation[] = ['landscape', 'portrait', 'square'];
const MB = 1024 * 1024;
/** Debounce of typed values. */
const TYPING_MS = 400;

/** Filter panel with the number of matching files. */
export function FilterPanel({ address, onClose }: { address: FilesAddress; onClose(): void }) {
  const { filter, order, change } = address;
  const isFiltered = countFilters(filter, order.kind) > 0;
  const set = (next: Partial<Filter>) => change(next, true);
  const close = () => {
    onClose();
    document.getElementById(FILTER_BUTTON)?.focus();
  };
  return (
    <section
      className="filter"
      aria-label={filterMessages.title}
      onKeyDown={({ key, defaultPrevented }) => key === 'Escape' && !defaultPrevented && close()}
    >
      <Group label={viewMessages.title}>
        {LIBRARY_VIEWS.map((view) => (
          <Chip key={view.id} isOn={isShown(view, address)} onChange={() => change(searchOfView(view, address), true)}>
            {viewMessages.view[view.id]}
          </Chip>
        ))}
      </Group>
      <Counted address={address} />
      <Group label={filterMessages.orientation}>
        {ORIENTATIONS.map((one) => (
          <Chip
            key={one}
            isOn={filter.orientation === one}
            onChange={() => set({ orientation: filter.orientation === one ? undefined : one })}
          >
            {filterMessages.orientations[one]}
          </Chip>
        ))}
      </Group>
      <Bounds key={isFiltered ? '' : 'none'} filter={filter} set={set} />
      <div className="filter-actions">
        {isFiltered && (
          <Button variant="plain" onPress={() => change({ ...NO_FILTER, kind: undefined }, true)}>
            {filterMessages.clear}
          </Button>
        )}
        <Button variant="plain" icon="close" aria-label={filterMessages.close} onPress={close} />
      </div>
    </section>
  );
}

const isShown = ({ search }: LibraryView, { filter, order }: FilesAddress): boolean => {
  const shown: object = { ...filter, ...order };
  return Object.entries(search).every(([name, value]) => shown[name as keyof typeof shown] === value);
};

/** Search parameters of a view, or those without it if it is shown. */
function searchOfView(view: LibraryView, address: FilesAddress): Partial<FilesSearch> {
  const none = { ...NO_FILTER, kind: undefined, sort: undefined, order: undefined };
  return isShown(view, address) ? none : { ...none, ...view.search };
}

/** Kinds and tags with their counts. */
function Counted({ address }: { address: FilesAddress }) {
  const { filter, folder, order, search, change } = address;
  const kinds = useQuery(facetsQuery('kind', { ...search }, folder, undefined));
  const tags = useQuery(facetsQuery('tag', { ...search }, folder, order.kind));
  const chosen = filter.tag ?? [];
  // Active tags stay removable even without matching files.
  const found = Object.entries(tags.data ?? {}).filter(([name]) => !chosen.includes(name));
  const shown: [string, number | undefined][] = [
    ...chosen.map((name): [string, number | undefined] => [name, tags.data?.[name]]),
    ...found.toSorted(([, one], [, other]) => other - one).slice(0, 12),
  ];
  return (
    <>
      <Group label={filterMessages.kind}>
        {KINDS.map((kind) => (
          <Chip
            key={kind}
            isOn={order.kind === kind}
            count={kinds.data && (kinds.data[kind] ?? 0)}
            onChange={() => change({ kind: order.kind === kind ? undefined : kind }, true)}
          >
            {messages.files.kinds[kind]}
          </Chip>
        ))}
      </Group>
      <Group label={filterMessages.tags}>
        {shown.map(([name, count]) => (
          <Chip
            key={name}
            isOn={chosen.includes(name)}
            count={count}
            onChange={() => change({ tag: toggleTag(filter, name) }, true)}
          >
            {name}
          </Chip>
        ))}
        {tags.data && shown.length === 0 && <span className="quiet">{filterMessages.noTags}</span>}
      </Group>
    </>
  );
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="filter-group">
      <legend>{label}</legend>
      <div>{children}</div>
    </fieldset>
  );
}

interface ChipProps {
  isOn: boolean;
  count?: number | undefined;
  onChange(): void;
  children: string;
}

function Chip({ isOn, count, onChange, children }: ChipProps) {
  return (
    <button
      type="button"
      className="filter-chip"
      aria-pressed={isOn}
      disabled={count === 0 && !isOn}
      onClick={onChange}
    >
      {children}
      {count !== undefined && <span className="filter-chip-count number">{formatCount(count)}</span>}
    </button>
  );
}

/** Bounds of size, dimensions and date. */
function Bounds({ filter, set }: { filter: Filter; set(next: Partial<Filter>): void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = (next: (text: string) => Partial<Filter>) => (event: ChangeEvent<HTMLInputElement>) => {
    const { value, validity } = event.target;
    clearTimeout(timer.current);
    if (validity.valid) timer.current = setTimeout(() => set(next(value)), TYPING_MS);
  };
  const number = (text: string, factor = 1) => (text === '' ? undefined : Math.round(Number(text) * factor));
  const megabytes = (size: number | undefined) => size && Math.round((size / MB) * 100) / 100;
  const field = (
    label: string,
    value: string | number | undefined,
    next: (text: string) => Partial<Filter>,
    type: string,
  ) => (
    <input
      className="input"
      aria-label={label}
      placeholder={label}
      type={type}
      {...(type === 'number' && { min: 0, step: 'any' })}
      defaultValue={value}
      onChange={soon(next)}
    />
  );
  // Browsers show a pattern in an empty field for a date, and no placeholder.
  const day = (label: string, value: string | undefined, next: (text: string) => Partial<Filter>) => (
    <span className="filter-day">
      <span aria-hidden="true">{label}</span>
      {field(label, value, next, 'date')}
    </span>
  );
  return (
    <>
      <Group label={filterMessages.size}>
        {field(filterMessages.minSize, megabytes(filter.minSize), (text) => ({ minSize: number(text, MB) }), 'number')}
        {field(filterMessages.maxSize, megabytes(filter.maxSize), (text) => ({ maxSize: number(text, MB) }), 'number')}
      </Group>
      <Group label={filterMessages.pixels}>
        {field(filterMessages.minWidth, filter.minWidth, (text) => ({ minWidth: number(text) }), 'number')}
        {field(filterMessages.minHeight, filter.minHeight, (text) => ({ minHeight: number(text) }), 'number')}
      </Group>
      <Group label={filterMessages.changed}>
        {day(filterMessages.after, filter.modifiedAfter, (text) => ({ modifiedAfter: text || undefined }))}
        {day(filterMessages.before, filter.modifiedBefore, (text) => ({ modifiedBefore: text || undefined }))}
      </Group>
    </>
  );
}
