import { type Dispatch, type SetStateAction, useCallback, useRef, useState } from 'react';
import { type ListingOrder, listRange } from '../api/files.ts';
import { adviceOn } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { type Entry, entriesOf } from './entry.ts';
import type { Choice } from './grid/grid-item.tsx';
import { choose, type Selection, toggle } from './selection.ts';
import type { Files } from './use-listing.ts';

interface ChoosingOptions {
  files: Files;
  folder: string;
  isSearching: boolean;
  order: ListingOrder;
  setSelection: Dispatch<SetStateAction<Selection>>;
}

export interface Choosing {
  /** The item that has the focus, or would have it. */
  focused: number;
  setFocused(index: number): void;
  choose(index: number, choice: Choice): void;
}

/** What a click or a key chooses: one more, or all since the last one, those that have not arrived yet among them. */
export function useChoosing({ files, folder, isSearching, order, setSelection }: ChoosingOptions): Choosing {
  const [focused, setFocused] = useState(0);
  const anchor = useRef(0);
  const latest = useRef(files);
  latest.current = files;
  const add = useCallback((entries: Entry[]) => setSelection((old) => choose(old, entries)), [setSelection]);
  const chooseItem = useCallback(
    (index: number, choice: Choice) => {
      const { get } = latest.current;
      setFocused(index);
      if (choice === 'toggle') {
        anchor.current = index;
        const entry = get(index);
        if (entry) setSelection((old) => toggle(old, entry));
        return;
      }
      const [first, last] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      const known = Array.from({ length: last - first + 1 }, (_, at) => get(first + at));
      const entries = known.filter((entry) => entry !== undefined);
      add(entries);
      if (entries.length === known.length || isSearching) return;
      listRange(folder, order, first, last - first + 1).then(
        (listing) => add(entriesOf(listing)),
        (error) => toast(adviceOn(error)),
      );
    },
    [add, folder, order, isSearching, setSelection],
  );
  return { focused: Math.min(focused, Math.max(0, files.count - 1)), setFocused, choose: chooseItem };
}
