import type { KeyboardEvent } from 'react';

/** What a key asks the grid for. */
export type Command =
  | { move: number; extends: boolean }
  | 'toggle'
  | 'all'
  | 'none'
  | 'open'
  | 'up'
  | 'rename'
  | 'delete'
  | 'search'
  | 'upload'
  | 'folder'
  | 'view'
  | 'help';

interface Place {
  index: number;
  count: number;
  columns: number;
  /** Rows that fit on the screen. */
  rows: number;
}

const LETTERS: Readonly<Record<string, Command>> = {
  '/': 'search',
  u: 'upload',
  n: 'folder',
  v: 'view',
  '?': 'help',
};

/** The command of a key; undefined for one that means nothing here. */
export function commandOf(
  event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  place: Place,
): Command | undefined {
  const { key, shiftKey, altKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  if (altKey) return key === 'ArrowUp' ? 'up' : undefined;
  if (isControl && key.toLowerCase() === 'a') return 'all';
  const target = targetOf(key, place);
  if (target !== undefined) return { move: Math.min(place.count - 1, Math.max(0, target)), extends: shiftKey };
  if (isControl) return undefined;
  switch (key) {
    case ' ':
      return 'toggle';
    case 'Enter':
      return 'open';
    case 'Escape':
      return 'none';
    case 'F2':
      return 'rename';
    case 'Delete':
      return 'delete';
    case 'Backspace':
      return 'up';
    default:
      return LETTERS[key];
  }
}

function targetOf(key: string, { index, count, columns, rows }: Place): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return index + 1;
    case 'ArrowLeft':
      return index - 1;
    case 'ArrowDown':
      // The last row may be shorter.
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
