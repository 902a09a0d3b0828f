import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useCan, useRootName } from '../api/access.ts';
import { KINDS, type ListingOrder } from '../api/files.ts';
import { nameOf, withAncestors } from '../api/paths.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';
import { UploadButton, type UploadInputs } from './adding/upload-button.tsx';
import { type FilesAddress, searchOfFolder, useFilesAddress } from './address.ts';
import { keysOf } from './commands.ts';
import { ICON_OF } from './entry.ts';
import { countFilters, FILTER_BUTTON } from './filters/filter.ts';
import { PrivateSign } from './grid/private-sign.tsx';

/** Folders of a longer path are in a menu, except for the last two. */
const MOST_CRUMBS = 3;

/** Debounce of the search field. */
const TYPING_MS = 250;

export interface ToolbarProps {
  address: FilesAddress;
  /** True for private folders, and folders in them. */
  isPrivate(path: string): boolean;
  searchField: RefObject<HTMLInputElement | null>;
  inputs: UploadInputs;
  onNewFolder(): void;
  /** True if the filter panel is open. */
  isFiltering: boolean;
  onFilter(): void;
}

/** Breadcrumbs, search, filter, order and view. */
export function Toolbar(props: ToolbarProps) {
  const { address, searchField, inputs, onNewFolder, isFiltering, onFilter } = props;
  const { view, change } = address;
  const canUpload = useCan('upload');
  return (
    <div className="files-bar">
      <Crumbs folder={address.folder} isPrivate={props.isPrivate} />
      <div className="files-tools">
        <Search address={address} field={searchField} />
        <FilterButton address={address} isOpen={isFiltering} onPress={onFilter} />
        <OrderMenu address={address} />
        <Button
          variant="plain"
          icon={view === 'grid' ? 'list' : 'grid'}
          aria-label={view === 'grid' ? messages.files.asList : messages.files.asGrid}
          data-keys={keysOf('view')}
          onPress={() => change({ view: view === 'grid' ? 'list' : undefined }, true)}
        />
        {canUpload && (
          <>
            <Button
              variant="plain"
              icon="folderPlus"
              aria-label={messages.files.newFolder}
              data-keys={keysOf('folder')}
              onPress={onNewFolder}
            />
            <UploadButton target={address.folder} chooseFiles={inputs.chooseFiles} chooseFolder={inputs.chooseFolder} />
          </>
        )}
      </div>
    </div>
  );
}

function Crumbs({ folder, isPrivate }: { folder: string } & Pick<ToolbarProps, 'isPrivate'>) {
  const root = useRootName();
  const steps = withAncestors(folder).map((path) => ({ name: nameOf(path), path }));
  const all = [{ name: root, path: '' }, ...steps];
  const isDeep = all.length > MOST_CRUMBS;
  const shown = isDeep ? all.slice(-2) : all;
  return (
    <nav className="crumbs" aria-label={messages.files.path}>
      <ol>
        {isDeep && (
          <li>
            <Ancestors folders={all.slice(0, -2)} />
          </li>
        )}
        {shown.map(({ name, path }, at) => (
          <li key={path}>
            {(isDeep || at > 0) && <Icon name="chevronRight" size={14} />}
            <Link
              to="/files/$"
              params={{ _splat: path }}
              search={searchOfFolder}
              activeOptions={{ exact: true }}
              title={name}
              data-folder={path}
              draggable={false}
              {...(at === shown.length - 1 && { 'aria-current': 'page' as const })}
            >
              {name}
              {path !== '' && isPrivate(path) && <PrivateSign />}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Folders above the shown ones, in a menu. */
function Ancestors({ folders }: { folders: readonly { name: string; path: string }[] }) {
  const { go } = useFilesAddress();
  return (
    <Menu
      label={messages.files.ancestors}
      placement="bottom start"
      trigger={<Button variant="plain" icon="more" aria-label={messages.files.ancestors} />}
    >
      {folders.map(({ name, path }) => (
        <MenuItem key={path} icon="folder" onAction={() => go(path)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Search({ address, field }: { address: FilesAddress; field: RefObject<HTMLInputElement | null> }) {
  const { folder, q, change } = address;
  const [text, setText] = useState(q);
  const placeholder = folder === '' ? messages.files.search : messages.files.searchIn(nameOf(folder));
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text === q) return;
    const timer = setTimeout(
      () => change({ q: text || undefined, ...(text === '' && { in: undefined }) }, q !== ''),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [text, q, change]);
  return (
    <SearchField className="files-search" aria-label={messages.files.search} value={text} onChange={setText}>
      <Icon name="search" size={16} />
      <Input ref={field} className="input" placeholder={placeholder} />
      {text !== '' && <Button slot="clear" variant="plain" icon="close" aria-label={messages.files.clearSearch} />}
    </SearchField>
  );
}

const SORTS: readonly ListingOrder['sort'][] = ['name', 'mtime', 'size', 'created', 'kind', 'dimensions'];
const CHOSEN = <Icon name="check" size={15} />;

function FilterButton(props: { address: FilesAddress; isOpen: boolean; onPress(): void }) {
  const { address, isOpen, onPress } = props;
  const count = countFilters(address.filter, address.order.kind);
  return (
    <Button
      variant="plain"
      id={FILTER_BUTTON}
      icon="filter"
      aria-expanded={isOpen}
      aria-label={messages.files.filter(count)}
      onPress={onPress}
    >
      {count > 0 && <span className="files-kind number">{count}</span>}
    </Button>
  );
}

function OrderMenu({ address: { order, change } }: { address: FilesAddress }) {
  const trigger = <Button variant="plain" icon="sort" aria-label={messages.files.show} />;
  const isDescending = order.order === 'desc';
  return (
    <Menu label={messages.files.show} trigger={trigger}>
      {SORTS.map((sort) => (
        <MenuItem
          key={sort}
          icon="sort"
          end={sort === order.sort ? CHOSEN : undefined}
          onAction={() => change({ sort: sort === 'name' ? undefined : sort }, true)}
        >
          {messages.files.sort[sort]}
        </MenuItem>
      ))}
      <MenuItem
        end={isDescending ? CHOSEN : undefined}
        icon="chevronsUpDown"
        onAction={() => change({ order: isDescending ? undefined : 'desc' }, true)}
      >
        {messages.files.descending}
      </MenuItem>
      <MenuLine />
      <MenuItem end={order.kind ? undefined : CHOSEN} icon="library" onAction={() => change({ kind: undefined }, true)}>
        {messages.files.allKinds}
      </MenuItem>
      {KINDS.map((kind) => (
        <MenuItem
          key={kind}
          icon={ICON_OF[kind]}
          end={kind === order.kind ? CHOSEN : undefined}
          onAction={() => change({ kind }, true)}
        >
          {messages.files.kinds[kind]}
        </MenuItem>
      ))}
    </Menu>
  );
}
