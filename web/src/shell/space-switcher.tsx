import { useQuery } from '@tanstack/react-query';
import { Button as AriaButton } from 'react-aria-components/Button';
import { useSpace } from '../api/access.ts';
import { LIBRARY, pageOfSpace, type Space, spaceLabel, spacesQuery } from '../api/spaces.ts';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';

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
