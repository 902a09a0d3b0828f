import type { ReactNode, RefObject } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

export type Placement = 'bottom end' | 'bottom start' | 'top start';
/** Which item has the focus at first; `true` is the list itself, for a pointer. */
export type Focus = 'first' | 'last' | true;

export interface MenuListProps {
  label: string;
  /** What it stands beside. */
  button: RefObject<Element | null>;
  placement: Placement;
  focus: Focus;
  onClose(): void;
  children: ReactNode;
}

/** The list that a `Menu` opens, beside its button. */
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
  /** What stands at its end: a shortcut, or that it is the choice of now. */
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
