import { type Dispatch, type SetStateAction, useCallback, useRef, useState } from 'react';
import type { Choice } from './grid/grid-item.tsx';
import { chooseRanges, type Selection, toggle } from './selection.ts';
import type { Files } from './use-listing.ts';

export interface Choosing {
  /** The item that has the focus, or would have it. */
  focused: number;
  setFocused(index: number): void;
  choose(index: number, choice: Choice): void;
}

/** What a click or a key chooses: one more, or all since the last one, those that have not arrived yet among them. */
export function useChoosing(files: Files, setSelection: Dispatch<SetStateAction<Selection>>): Choosing {
  const [focused, setFocused] = useState(0);
  const anchor = useRef(0);
  const latest = useRef(files);
  latest.current = files;
  const choose = useCallback(
    (index: number, choice: Choice) => {
      const { get } = latest.current;
      setFocused(index);
      if (choice === 'range') {
        const range = [Math.min(anchor.current, index), Math.max(anchor.current, index)] as const;
        setSelection((old) => chooseRanges(old, [range], get));
        return;
      }
      anchor.current = index;
      const entry = get(index);
      if (entry) setSelection((old) => toggle(old, entry, index));
    },
    [setSelection],
  );
  return { focused: Math.min(focused, Math.max(0, files.count - 1)), setFocused, choose };
}
