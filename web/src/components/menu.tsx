import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { ButtonContext } from 'react-aria-components/Button';
import { lazyComponent } from './lazy-component.tsx';
import type { Focus, MenuItemProps, MenuListProps, Placement } from './menu-list.tsx';

const MenuList = lazyComponent<MenuListProps>(() => import('./menu-list.tsx').then((list) => list.MenuList));

interface MenuProps {
  label: string;
  trigger: ReactElement;
  placement?: Placement;
  children: ReactNode;
}

/** Button with a list of actions. The list is loaded lazily, because it needs half of React Aria. */
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

export const MenuItem = lazyComponent<MenuItemProps>(() => import('./menu-list.tsx').then(({ Item }) => Item));
export const MenuLine = lazyComponent<object>(() => import('./menu-list.tsx').then(({ Line }) => Line));
