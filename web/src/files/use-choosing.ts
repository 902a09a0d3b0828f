import { type Dispatch, type SetStateAction, useCallback, useMemo, useRef, useState } from 'react';
import type { Choice } from './grid/grid-item.tsx';
import type { BandActions } from './grid/use-band.ts';
import { chooseRanges, NOTHING, only, type Selection, toggle } from './selection.ts';
import type { Files } from './use-listing.ts';

export interface Choosing {
  /** Index of the item in the tab order. */
  focused: number;
  setFocused(index: number): void;
  choose(index: number, choice: Choice): void;
  band: BandActions;
}

/** Selection by click or key. A range may contain items that have not arrived. */
export function useChoosing(
  files: Files,
  selection: Selection,
  setSelection: Dispatch<SetStateAction<Selection>>,
): Choosing {
  const [focused, setFocused] = useState(0);
  const anchor = useRef(0);
  const latest = useRef({ files, selection });
  latest.current = { files, selection };
  const choose = useCallback(
    (index: number, choice: Choice) => {
      const { get } = latest.current.files;
      setFocused(index);
      if (choice === 'range') {
        const range = [Math.min(anchor.current, index), Math.max(anchor.current, index)] as const;
        setSelection((old) => chooseRanges(old, [range], latest.current.files));
        return;
      }
      anchor.current = index;
      const entry = get(index);
      if (!entry) return;
      if (choice === 'toggle') setSelection((old) => toggle(old, entry, index));
      else setSelection((old) => only(old, entry, index, latest.current.files.count));
    },
    [setSelection],
  );
  const band = useMemo((): BandActions => {
    let before = NOTHING;
    let base = NOTHING;
    return {
      begin(keeps) {
        before = latest.current.selection;
        base = keeps ? before : NOTHING;
      },
      choose(ranges) {
        const [first] = ranges.at(0) ?? [];
        if (first !== undefined) anchor.current = first;
        setSelection(chooseRanges(base, ranges, latest.current.files));
      },
      cancel: () => setSelection(before),
    };
  }, [setSelection]);
  return { focused: Math.min(focused, Math.max(0, files.count - 1)), setFocused, choose, band };
}
