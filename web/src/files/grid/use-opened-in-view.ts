import { useEffect, useRef } from 'react';
import type { GridProps } from './grid-props.ts';

/** Brings the tile of a file into view when the file is opened, as the viewer opens one after the other. */
export function useOpenedInView(
  { files, focused, opened }: Pick<GridProps, 'files' | 'focused' | 'opened'>,
  columns: number,
  show: (row: number) => void,
): void {
  const latest = useRef<() => void>(undefined);
  latest.current = () => {
    if (opened !== undefined && files.get(focused)?.path === opened) show(Math.floor(focused / columns));
  };
  // Not when items arrive: whoever has scrolled away stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another file is opened
  useEffect(() => latest.current?.(), [opened]);
}
