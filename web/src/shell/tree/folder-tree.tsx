import { useQueries, useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useRootName } from '../../api/access.ts';
import { root } from '../../api/base.ts';
import { subfoldersQuery } from '../../api/subfolders.ts';
import { Icon } from '../../components/icon.tsx';
import { searchOfFolder, withoutSlash } from '../../files/address.ts';
import { REST_EVENT } from '../../files/dragging/rest-event.ts';
import { treeMessages } from '../../messages/tree.ts';
import { readExpanded, rememberExpanded, reveal, toggled } from './expansion.ts';
import { moveOf, rowsOf, type TreeRow } from './rows.ts';
import './tree.css';

/** Tree of folders, read one level at a time. */
export function FolderTree() {
  const current = useRouterState({ select: ({ matches }) => openFolder(matches.at(-1)) });
  const { expanded, change } = useExpanded(current);
  const rows = useTreeRows(expanded, current);
  const [focused, setFocused] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  useCurrentInView(tree, current, rows.length);
  useRest(tree, (path) => change((old) => (old.has(path) ? old : toggled(old, path))));
  // A library without folders needs no tree.
  if (rows[0]?.isExpanded === undefined) return null;
  const indexOf = (path: string | undefined) => rows.findIndex((row) => row.path === path && !row.isRest);
  const inTabOrder = Math.max(0, indexOf(focused) === -1 ? indexOf(current) : indexOf(focused));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = [...event.currentTarget.children].indexOf(event.target as Element);
    const move = moveOf(event.key, rows, at);
    if (move === undefined) return;
    event.preventDefault();
    if ('toggle' in move) change((old) => toggled(old, move.toggle));
    else (event.currentTarget.children[move.to] as HTMLElement).focus();
  };
  return (
    <div ref={tree} className="folder-tree" role="tree" aria-label={treeMessages.label} onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <Item
          key={`${row.path}${row.isRest ? '/' : ''}`}
          row={row}
          isCurrent={row.path === current && !row.isRest}
          isInLibrary={current !== undefined}
          isInTabOrder={index === inTabOrder}
          onFocus={() => setFocused(row.path)}
          onToggle={() => change((old) => toggled(old, row.path))}
        />
      ))}
    </div>
  );
}

/** Folder that the library shows; undefined on other pages. */
const openFolder = (match: { fullPath: string; params: object } | undefined) =>
  match?.fullPath === '/files/$' && '_splat' in match.params
    ? withoutSlash(String(match.params._splat ?? ''))
    : undefined;

/** Expanded folders; those above the open one are among them. */
function useExpanded(current = '') {
  const [expanded, setExpanded] = useState(() => reveal(readExpanded(root), current));
  useEffect(() => setExpanded((old) => reveal(old, current)), [current]);
  useEffect(() => rememberExpanded(root, expanded), [expanded]);
  return { expanded, change: setExpanded };
}

/**
 * Visible rows. Only levels that are visible are read, so folders that no longer exist are not. Of the open folder the
 * library tells if it has no subfolders.
 */
function useTreeRows(expanded: ReadonlySet<string>, current = ''): TreeRow[] {
  const client = useQueryClient();
  const rootName = useRootName();
  const rows = rowsOf(rootName, expanded, (path) => client.getQueryData(subfoldersQuery(path).queryKey));
  const shown = rows.filter(({ path, isExpanded }) => path === '' || isExpanded || expanded.has(path));
  const paths = [...new Set(shown.map(({ path }) => path))];
  const results = useQueries({
    queries: [
      ...paths.map(subfoldersQuery),
      ...(paths.includes(current) ? [] : [{ ...subfoldersQuery(current), enabled: false }]),
    ],
  });
  return results.some(({ data }) => data !== undefined) ? rows : [];
}

/** Shows the item of the open folder. */
function useCurrentInView(tree: RefObject<HTMLElement | null>, current: string | undefined, count: number): void {
  const shown = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the item may arrive later
  useEffect(() => {
    const item = tree.current?.querySelector('[aria-current]');
    if (!tree.current || !item || shown.current === current) return;
    shown.current = current;
    // `scrollIntoView` would scroll the sidebar too.
    const box = tree.current.getBoundingClientRect();
    const { top, bottom } = item.getBoundingClientRect();
    tree.current.scrollTop += Math.min(0, top - box.top) + Math.max(0, bottom - box.bottom);
  }, [tree, current, count]);
}

/** Expands the folder on which a drag rests, instead of opening it. */
function useRest(tree: RefObject<HTMLElement | null>, expand: (path: string) => void): void {
  const latest = useRef(expand);
  latest.current = expand;
  useEffect(() => {
    const onRest = (event: Event) => {
      if (!(event.target instanceof Node && tree.current?.contains(event.target))) return;
      event.preventDefault();
      latest.current((event as CustomEvent<string>).detail);
    };
    document.addEventListener(REST_EVENT, onRest);
    return () => document.removeEventListener(REST_EVENT, onRest);
  }, [tree]);
}

interface ItemProps {
  row: TreeRow;
  isCurrent: boolean;
  isInLibrary: boolean;
  isInTabOrder: boolean;
  onFocus(): void;
  onToggle(): void;
}

function Item({ row, isCurrent, isInLibrary, isInTabOrder, onFocus, onToggle }: ItemProps) {
  const { path, name, level, position, siblings, isExpanded, isRest } = row;
  return (
    <Link
      className="tree-item"
      to="/files/$"
      params={{ _splat: path }}
      // The order and the view of another page are not those of the library.
      search={isInLibrary ? searchOfFolder : {}}
      activeOptions={{ exact: true }}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isExpanded}
      aria-current={isCurrent ? 'page' : undefined}
      tabIndex={isInTabOrder ? 0 : -1}
      draggable={false}
      {...(!isRest && { 'data-folder': path, title: name })}
      style={{ paddingInlineStart: 6 + (level - 1) * 14 }}
      onFocus={onFocus}
      onClick={(event: MouseEvent) => {
        if (!(event.target instanceof Element && event.target.closest('.tree-toggle'))) return;
        event.preventDefault();
        onToggle();
      }}
    >
      <span className={isExpanded === undefined ? 'tree-leaf' : 'tree-toggle'} aria-hidden="true">
        {isExpanded !== undefined && <Icon name="chevronRight" size={14} />}
      </span>
      {!isRest && <Icon name={path === '' ? 'library' : 'folder'} size={16} />}
      <span className="tree-name">{isRest ? treeMessages.rest : name}</span>
    </Link>
  );
}
