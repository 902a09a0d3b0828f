import { type ReactElement, type ReactNode, type RefObject, useRef, useState } from 'react';
import { ButtonContext } from 'react-aria-components/Button';
import type { IconName } from './icons.ts';
import { lazyPart } from './lazy-part.tsx';

type Placement = 'bottom end' | 'bottom start' | 'top start';
/** Which item has the focus at first; `true` is the list itself, for a pointer. */
type Focus = 'first' | 'last' | true;

export interface MenuListProps {
  label: string;
  /** What it stands beside. */
  button: RefObject<Element | null>;
  placement: Placement;
  focus: Focus;
  onClose(): void;
  children: ReactNode;
}

const MenuList = lazyPart<MenuListProps>(() => import('./menu-list.tsx').then((list) => list.MenuList));

interface MenuProps {
  label: string;
  /** The button. */
  trigger: ReactElement;
  placement?: Placement;
  children: ReactNode;
}

/** A button that opens a list of acts. The list comes later than the button: half of React Aria stands behind it. */
export function Menu({ label, trigger, placement = 'bottom end', children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<Focus>();
  return (
    <>
      <ButtonContext
        value={{
          ref: button,
          'aria-haspopup': 'menu',
          'aria-expanded': focus !== undefined,
          onHoverStart: MenuList.preload,
          onFocus: MenuList.preload,
          onPress: ({ pointerType }) => setFocus(['keyboard', 'virtual'].includes(pointerType) ? 'first' : true),
          onKeyDown: (event) => {
            if (event.key === 'ArrowDown') setFocus('first');
            else if (event.key === 'ArrowUp') setFocus('last');
            else return event.continuePropagation();
            event.preventDefault();
          },
        }}
      >
        {trigger}
      </ButtonContext>
      {focus !== undefined && (
        <MenuList label={label} button={button} placement={placement} focus={focus} onClose={() => setFocus(undefined)}>
          {children}
        </MenuList>
      )}
    </>
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

export const MenuItem = lazyPart<MenuItemProps>(() => import('./menu-list.tsx').then(({ Item }) => Item));
export const MenuLine = lazyPart<object>(() => import('./menu-list.tsx').then(({ Line }) => Line));
