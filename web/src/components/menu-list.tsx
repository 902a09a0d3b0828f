import { createContext, type ReactNode, type RefObject, useContext } from 'react';
import { Menu, MenuItem, SubmenuTrigger } from 'react-aria-components/Menu';
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

/** Closes the whole menu. */
const CloseContext = createContext<() => void>(() => undefined);

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
      <CloseContext value={onClose}>
        <Menu className="menu" aria-label={label} autoFocus={focus} onClose={onClose}>
          {children}
        </Menu>
      </CloseContext>
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

/** Item that opens a list of further items. */
export function Submenu({ icon, label, children }: { icon: IconName; label: string; children: ReactNode }) {
  const close = useContext(CloseContext);
  return (
    <SubmenuTrigger>
      <Item icon={icon} end={<Icon name="chevronRight" size={15} />}>
        {label}
      </Item>
      <Popover className="popover is-submenu" aria-label={label}>
        <Menu className="menu" aria-label={label} onClose={close}>
          {children}
        </Menu>
      </Popover>
    </SubmenuTrigger>
  );
}

export function Line() {
  return <Separator className="menu-line" />;
}
