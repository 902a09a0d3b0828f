import type { ReactNode, RefObject } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

export type Placement = 'bottom end' | 'bottom start' | 'top start';
/** Item with the initial focus; `true` focuses the list, for pointers. */
export type Focus = 'first' | 'last' | true;

export interface MenuListProps {
  label: string;
  /** Anchor of the list. */
  button: RefObject<Element | null>;
  placement: Placement;
  focus: Focus;
  onClose(): void;
  children: ReactNode;
}

/** Popup list of a `Menu`. */
export function MenuList({ label, button, placement, focus, onClose, children }: MenuListProps) {
  return (
    <Popover
      className="popover"
      aria-label={label}
      triggerRef={button}
      placement={placement}
      isOpen
      onOpenChange={(open) => open || onClose()}
    >
      <Menu className="menu" aria-label={label} autoFocus={focus} onClose={onClose}>
        {children}
      </Menu>
    </Popover>
  );
}

export interface MenuItemProps {
  icon?: IconName;
  /** Trailing content: a shortcut, or a check mark. */
  end?: ReactNode;
  isDangerous?: boolean;
  isDisabled?: boolean;
  href?: string;
  target?: string;
  onAction?: () => void;
  children: string;
}

export function Item({ icon, end, isDangerous, children, ...rest }: MenuItemProps) {
  return (
    <MenuItem className={`menu-item${isDangerous ? ' is-danger' : ''}`} textValue={children} {...rest}>
      {icon && <Icon name={icon} size={17} />}
      {children}
      {end !== undefined && <span className="menu-item-end">{end}</span>}
    </MenuItem>
  );
}

export function Line() {
  return <Separator className="menu-line" />;
}
