import { useEffect, useRef, useState } from 'react';
import { Tooltip, TooltipTriggerStateContext } from 'react-aria-components/Tooltip';
import { hasShortcuts } from './shortcuts.ts';
import { type Named, watchNames } from './watch-names.ts';
import './tooltips.css';

/** Names of buttons and links that show only an icon, on hover and on keyboard focus. One for the whole page. */
export function Tooltips() {
  const [named, setNamed] = useState<Named>();
  const watcher = useRef<ReturnType<typeof watchNames>>(undefined);
  const trigger = useRef<Element>(null);
  trigger.current = named?.element ?? null;
  useEffect(() => {
    watcher.current = watchNames(setNamed);
    return watcher.current.stop;
  }, []);
  if (named === undefined) return null;
  const { id, label, keys } = named;
  const state = {
    isOpen: true,
    shouldSkipAnimation: true,
    open: () => watcher.current?.keep(),
    close: (isImmediate?: boolean) => watcher.current?.leave(isImmediate),
  };
  return (
    <TooltipTriggerStateContext value={state}>
      {/* Dialogs make everything outside inert that is not of the top layer. Screen readers know the name already. */}
      <Tooltip
        key={id}
        className="tooltip"
        triggerRef={trigger}
        placement="bottom"
        offset={6}
        isOpen
        data-react-aria-top-layer=""
        render={(props) => <div {...props} aria-hidden="true" />}
      >
        <span>{label}</span>
        {keys !== undefined && (keys.length > 1 || hasShortcuts()) && <kbd>{keys}</kbd>}
      </Tooltip>
    </TooltipTriggerStateContext>
  );
}
