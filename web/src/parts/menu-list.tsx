import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Icon } from './icon.tsx';
import type { MenuItemProps, MenuListProps } from './menu.tsx';

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
