import type { KeyboardEvent } from 'react';

/** Command of a key. */
export type Command =
  | { move: number; extends: boolean }
  /** Next letter of a typed name. */
  | { typed: string }
  | 'toggle'
  | 'all'
  | 'none'
  | 'open'
  | 'full'
  | 'up'
  | 'rename'
  | 'delete'
  | 'deletePermanently'
  | 'search'
  | 'upload'
  | 'folder'
  | 'view'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'undo'
  | 'menu'
  | 'help';

interface GridPosition {
  index: number;
  count: number;
  columns: number;
  /** Rows per screen. */
  rows: number;
}

const LETTERS: Readonly<Record<string, Command>> = {
  '/': 'search',
  u: 'upload',
  n: 'folder',
  v: 'view',
  '?': 'help',
};

const WITH_CONTROL: Readonly<Record<string, Command>> = { a: 'all', c: 'copy', x: 'cut', v: 'paste', z: 'undo' };

const NAMED: Readonly<Record<string, Command>> = {
  ' ': 'toggle',
  Enter: 'open',
  Escape: 'none',
  F2: 'rename',
  Delete: 'delete',
  Backspace: 'up',
  ContextMenu: 'menu',
};

export interface Typing {
  /** True if single letters are shortcuts. */
  hasLetters: boolean;
  /** True while a name is typed: letters and spaces belong to it. */
  isTyping: boolean;
}

/** Command of a key event; undefined for other keys. */
export function commandOf(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  position: GridPosition,
  { hasLetters, isTyping }: Typing = { hasLetters: true, isTyping: false },
): Command | undefined {
  const { key, shiftKey, altKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  if (altKey) return key === 'ArrowUp' ? 'up' : undefined;
  if (isControl && !shiftKey && WITH_CONTROL[key.toLowerCase()]) return WITH_CONTROL[key.toLowerCase()];
  const target = targetOf(key, position);
  if (target !== undefined) return { move: Math.min(position.count - 1, Math.max(0, target)), extends: shiftKey };
  if (isControl) return undefined;
  if (shiftKey && key === 'F10') return 'menu';
  if (shiftKey && key === 'Delete') return 'deletePermanently';
  if (isTyping && isCharacter(key)) return { typed: key };
  const command = NAMED[key] ?? (hasLetters ? LETTERS[key] : undefined);
  return command ?? (isCharacter(key) ? { typed: key } : undefined);
}

const isCharacter = (key: string) => [...key].length === 1;

function targetOf(key: string, { index, count, columns, rows }: GridPosition): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return index + 1;
    case 'ArrowLeft':
      return index - 1;
    case 'ArrowDown':
      // The last row may be incomplete.
      return index + columns < count
        ? index + columns
        : Math.floor(index / columns) < Math.floor((count - 1) / columns)
          ? count - 1
          : index;
    case 'ArrowUp':
      return index - columns >= 0 ? index - columns : index;
    case 'PageDown':
      return Math.min(count - 1, index + columns * rows);
    case 'PageUp':
      return Math.max(index % columns, index - columns * rows);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
