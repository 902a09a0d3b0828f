import { Link } from '@tanstack/react-router';
import type { Tag } from '../api/tags.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { tagsMessages } from '../messages/tags.ts';
import type { TagAction } from './tag-dialogs.tsx';

interface TagRowProps {
  tag: Tag;
  canManage: boolean;
  isChosen: boolean;
  onToggle(): void;
  onAction(kind: TagAction['kind']): void;
}

/** A tag with a link to its files. */
export function TagRow({ tag: { tag, count }, canManage, isChosen, onToggle, onAction }: TagRowProps) {
  return (
    <li className="tag-row">
      {canManage && (
        <label className="tag-check">
          <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={tagsMessages.choose(tag)} />
        </label>
      )}
      <Link className="tag-link" to="/files/$" params={{ _splat: '' }} search={{ tag: [tag] }}>
        <Icon name="tag" size={16} />
        <span className="tag-name">{tag}</span>
        <span className="quiet number">{tagsMessages.files(count)}</span>
      </Link>
      {canManage && (
        <Menu
          label={tagsMessages.actions(tag)}
          trigger={<Button variant="plain" icon="more" aria-label={tagsMessages.actions(tag)} />}
        >
          <MenuItem icon="pencil" onAction={() => onAction('rename')}>
            {tagsMessages.rename}
          </MenuItem>
          <MenuItem icon="move" onAction={() => onAction('merge')}>
            {tagsMessages.mergeInto}
          </MenuItem>
          <MenuItem icon="trash" isDangerous onAction={() => onAction('delete')}>
            {tagsMessages.delete}
          </MenuItem>
        </Menu>
      )}
    </li>
  );
}
