import type { Subfolders } from '../../api/subfolders.ts';

/** Visible item of the tree. */
export interface TreeRow {
  /** Folder; the listed one for the last item of a level that is too long. */
  path: string;
  name: string;
  /** From 1. */
  level: number;
  /** Among its siblings, from 1. */
  position: number;
  siblings: number;
  /** Undefined for a folder without subfolders. */
  isExpanded: boolean | undefined;
  /** True for the item that stands for the folders that are not listed. */
  isRest: boolean;
}

/**
 * Visible items, from top to bottom.
 * @param subfoldersOf undefined for folders that have not been read
 */
export function rowsOf(
  root: string,
  expanded: ReadonlySet<string>,
  subfoldersOf: (path: string) => Subfolders | undefined,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (path: string, name: string, level: number, position: number, siblings: number) => {
    const inside = subfoldersOf(path);
    const isExpanded = inside?.folders.length === 0 ? undefined : expanded.has(path);
    rows.push({ path, name, level, position, siblings, isExpanded, isRest: false });
    if (!isExpanded || !inside) return;
    const { folders, hasMore } = inside;
    const count = folders.length + (hasMore ? 1 : 0);
    for (const [at, folder] of folders.entries()) add(folder.path, folder.name, level + 1, at + 1, count);
    if (hasMore) {
      const rest = { path, name: '', level: level + 1, position: count, siblings: count };
      rows.push({ ...rest, isExpanded: undefined, isRest: true });
    }
  };
  add('', root, 1, 1, 1);
  return rows;
}

export type Move = { to: number } | { toggle: string };

/** Movement or change of a key; undefined for other keys. @param at index of the focused item */
export function moveOf(key: string, rows: readonly TreeRow[], at: number): Move | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const last = rows.length - 1;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(last, at + 1) };
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: last };
    case 'ArrowRight':
      if (row.isExpanded === false) return { toggle: row.path };
      return row.isExpanded ? { to: Math.min(last, at + 1) } : undefined;
    case 'ArrowLeft':
      return row.isExpanded ? { toggle: row.path } : { to: parentOf(rows, at) };
    default:
      return key.length === 1 ? named(key, rows, at) : undefined;
  }
}

function parentOf(rows: readonly TreeRow[], at: number): number {
  const level = rows[at]?.level ?? 1;
  const found = rows.findLastIndex((row, index) => index < at && row.level < level);
  return Math.max(0, found);
}

/** Next item whose name begins with a letter. */
function named(letter: string, rows: readonly TreeRow[], at: number): Move | undefined {
  const begins = ({ name }: TreeRow) => name.toLowerCase().startsWith(letter.toLowerCase());
  const after = rows.findIndex((row, index) => index > at && begins(row));
  const found = after === -1 ? rows.findIndex(begins) : after;
  return found === -1 ? undefined : { to: found };
}
