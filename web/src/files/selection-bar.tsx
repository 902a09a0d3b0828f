import { Button } from '../components/button.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';

/** `hold` and `cut` take it along to another folder. */
export type FileAction = 'rename' | 'move' | 'copy' | 'tag' | 'delete' | 'drop' | 'download' | 'hold' | 'cut';

interface SelectionBarProps {
  count: number;
  /** How many there are that could be chosen. */
  total: number;
  onAll(): void;
  /** Everything has no list that could be asked for. */
  canDownload: boolean;
  onNone(): void;
  onAction(action: FileAction): void;
}

/** What can be done with what is chosen. It takes the place of the toolbar, so that nothing jumps. */
export function SelectionBar({ count, total, onAll, canDownload, onNone, onAction }: SelectionBarProps) {
  return (
    <div className="files-bar is-choosing" role="toolbar" aria-label={messages.files.chosenActions}>
      <Button variant="plain" icon="close" aria-label={messages.files.none} onPress={onNone} />
      <strong className="number">{messages.files.chosen(count)}</strong>
      {count < total && (
        <Button variant="plain" onPress={onAll}>
          {messages.files.all(total)}
        </Button>
      )}
      <div className="files-tools">
        <Button variant="plain" icon="move" onPress={() => onAction('move')}>
          {messages.files.action.move}
        </Button>
        <Button variant="plain" icon="duplicate" onPress={() => onAction('copy')}>
          {messages.files.action.copy}
        </Button>
        <Button variant="plain" icon="tag" onPress={() => onAction('tag')}>
          {messages.files.action.tag}
        </Button>
        <Menu
          label={messages.files.moreActions}
          trigger={<Button variant="plain" icon="more" aria-label={messages.files.moreActions} />}
        >
          {count === 1 ? (
            <MenuItem icon="pencil" onAction={() => onAction('rename')}>
              {messages.files.action.rename}
            </MenuItem>
          ) : null}
          {canDownload ? (
            <MenuItem icon="download" onAction={() => onAction('download')}>
              {messages.files.action.download}
            </MenuItem>
          ) : null}
          <MenuItem icon="refresh" onAction={() => onAction('drop')}>
            {messages.files.action.drop}
          </MenuItem>
        </Menu>
        <Button variant="plain" icon="trash" onPress={() => onAction('delete')}>
          {messages.files.action.delete}
        </Button>
      </div>
    </div>
  );
}
