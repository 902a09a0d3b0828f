import { useRef } from 'react';
import { Tooltip as AriaTooltip, TooltipTriggerStateContext } from 'react-aria-components/Tooltip';
import { hasShortcuts } from './shortcuts.ts';
import type { Named } from './watch-names.ts';
import './tooltip.css';

export interface TooltipProps {
  named: Named;
  onHover(): void;
  onLeave(isImmediate?: boolean): void;
}

/** Name and shortcut below a control; above where the name would cover what the control is about. */
export function Tooltip({ named: { element, label, keys }, onHover, onLeave }: TooltipProps) {
  const trigger = useRef<Element>(element);
  return (
    <TooltipTriggerStateContext
      value={{ isOpen: true, shouldSkipAnimation: true, open: () => onHover(), close: onLeave }}
    >
      {/* Dialogs make everything outside inert that is not of the top layer. Screen readers know the name already. */}
      <AriaTooltip
        className="tooltip"
        triggerRef={trigger}
        placement={element.closest('[data-tips-above]') ? 'top' : 'bottom'}
        offset={6}
        isOpen
        data-react-aria-top-layer=""
        render={(props) => <div {...props} aria-hidden="true" />}
      >
        <span>{label}</span>
        {keys !== undefined && (keys.length > 1 || hasShortcuts()) && <kbd>{keys}</kbd>}
      </AriaTooltip>
    </TooltipTriggerStateContext>
  );
}
