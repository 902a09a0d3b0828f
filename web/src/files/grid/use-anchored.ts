import { useLayoutEffect, useRef } from 'react';
import type { GridProps } from './grid-props.ts';
import type { Layout } from './use-layout.ts';
import type { Rows } from './use-rows.ts';

/**
 * Keeps an item in view when the number of columns or the height changes: the opened or the focused one if it was in
 * view, else the first one in view.
 */
export function useAnchored({ files, opened, focused }: GridProps, layout: Layout, rows: Rows): void {
  const { columns, rowHeight } = layout;
  const before = useRef({ columns, window: rows.window, first: 0, last: 0, opened });
  useLayoutEffect(() => {
    const old = before.current;
    const { range, window } = rows;
    const [first, last] = range;
    before.current = {
      columns,
      window,
      first: first * columns,
      last: (last + 1) * columns - 1,
      opened: opened ?? old.opened,
    };
    // A window that is resized may report its height before its width.
    if ((columns === old.columns && window === old.window) || files.count === 0) return;
    // Closing the panel changes the columns too.
    const path = opened ?? old.opened;
    const openedIndex = path === undefined ? undefined : files.find(old.first, (entry) => entry.path === path);
    const anchor = [openedIndex, focused].find(
      (index) => index !== undefined && index >= old.first && index <= old.last,
    );
    if (anchor !== undefined) rows.show(Math.floor(anchor / columns));
    else if (columns !== old.columns) rows.scrollBy(Math.floor(old.first / columns) * rowHeight - rows.top());
  });
}
