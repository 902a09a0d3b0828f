import { useEffect, useRef, useState } from 'react';
import { lazyComponent } from './lazy-component.tsx';
import type { TooltipProps } from './tooltip.tsx';
import { type Named, watchNames } from './watch-names.ts';

/** Without its code icons still have names for screen readers. */
const Tooltip = lazyComponent<TooltipProps>(
  () => import('./tooltip.tsx').then((tooltip) => tooltip.Tooltip),
  null,
  () => null,
);

/** Names of badges, and of buttons and links that show only an icon, on hover and on keyboard focus. One for the whole page. */
export function Tooltips() {
  const [named, setNamed] = useState<Named>();
  const watcher = useRef<ReturnType<typeof watchNames>>(undefined);
  useEffect(() => {
    watcher.current = watchNames(setNamed);
    return watcher.current.stop;
  }, []);
  if (named === undefined) return null;
  return (
    <Tooltip
      key={named.id}
      named={named}
      onHover={() => watcher.current?.keep()}
      onLeave={(isImmediate) => watcher.current?.leave(isImmediate)}
    />
  );
}
