import type { ReactElement, ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover, type PopoverProps } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface MenuProps {
  label: string;
  trigger: ReactElement;
  placement?: PopoverProps['placement'];
  children: ReactNode;
}

/** A button that opens a list of acts. */
export function Menu({ label, trigger, placement = 'bottom end', children }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" placement={placement}>
        <AriaMenu className="menu" aria-label={label}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface MenuItemProps {
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

export function MenuItem({ icon, end, isDangerous, children, ...rest }: MenuItemProps) {
  return (
    <AriaMenuItem className={`menu-item${isDangerous ? ' is-danger' : ''}`} textValue={children} {...rest}>
      {icon && <Icon name={icon} size={17} />}
      {children}
      {end !== undefined && <span className="menu-item-end">{end}</span>}
    </AriaMenuItem>
  );
}

export function MenuLine() {
  return <Separator className="menu-line" />;
}
