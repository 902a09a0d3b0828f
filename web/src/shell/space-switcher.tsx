import { useQuery } from '@tanstack/react-query';
import { Button as AriaButton } from 'react-aria-components/Button';
import { useSpace } from '../api/access.ts';
import { dashboardOf } from '../api/base.ts';
import { LIBRARY, type Space, spacesQuery } from '../api/spaces.ts';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';

/** The library, or the name of a space. */
export function spaceLabel({ id, name }: Pick<Space, 'id' | 'name'>): string {
  return id === LIBRARY ? messages.shell.library : name;
}

/** Page of a space, or of the library. The address bar shows the space, so every space is a document of its own. */
export function pageOfSpace({ id }: Pick<Space, 'id'>): string {
  return dashboardOf(id === LIBRARY ? undefined : id);
}

/** The library and the spaces that the signed-in person may enter; none where there is nothing to switch to. */
export function useSwitchable(): readonly Space[] {
  const here = useSpace()?.id ?? LIBRARY;
  const { data = [] } = useQuery(spacesQuery);
  return data.some(({ id }) => id !== here) ? data : [];
}

/** Menu of the library and the spaces; hidden where there is nothing to switch to. */
export function SpaceSwitcher() {
  const here = useSpace() ?? { id: LIBRARY, name: '' };
  const spaces = useSwitchable();
  if (spaces.length === 0) return null;
  const trigger = (
    <AriaButton className="side-space">
      <Icon name={here.id === LIBRARY ? 'library' : 'space'} size={17} />
      <span className="unseen">{`${messages.shell.space}: `}</span>
      <span className="side-space-name">{spaceLabel(here)}</span>
      <Icon name="chevronsUpDown" size={16} />
    </AriaButton>
  );
  return (
    <Menu label={messages.shell.space} trigger={trigger} placement="bottom start">
      {spaces.map((space) => (
        <MenuItem
          key={space.id}
          icon={space.id === LIBRARY ? 'library' : 'space'}
          end={space.id === here.id ? <Icon name="check" size={15} /> : undefined}
          onAction={() => location.assign(pageOfSpace(space))}
        >
          {spaceLabel(space)}
        </MenuItem>
      ))}
    </Menu>
  );
}
