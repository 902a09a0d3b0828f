import { Button } from '../components/button.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';

/** `hold` and `cut` take it along to another folder. */
export type Act = 'rename' | 'move' | 'copy' | 'tag' | 'delete' | 'drop' | 'download' | 'hold' | 'cut';

interface SelectionBarProps {
  count: number;
  /** How many there are that could be chosen. */
  total: number;
  onAll(): void;
  /** Everything has no list that could be asked for. */
  canDownload: boolean;
  onNone(): void;
  onAct(act: Act): void;
}

/** What can be done with what is chosen. It takes the place of the toolbar, so that nothing jumps. */
export function SelectionBar({ count, total, onAll, canDownload, onNone, onAct }: SelectionBarProps) {
  return (
    <div className="files-bar is-choosing" role="toolbar" aria-label={messages.files.chosenActs}>
      <Button look="plain" icon="close" aria-label={messages.files.none} onPress={onNone} />
      <strong className="number">{messages.files.chosen(count)}</strong>
      {count < total && (
        <Button look="plain" onPress={onAll}>
          {messages.files.all(total)}
        </Button>
      )}
      <div className="files-tools">
        <Button look="plain" icon="move" onPress={() => onAct('move')}>
          {messages.files.act.move}
        </Button>
        <Button look="plain" icon="duplicate" onPress={() => onAct('copy')}>
          {messages.files.act.copy}
        </Button>
        <Button look="plain" icon="tag" onPress={() => onAct('tag')}>
          {messages.files.act.tag}
        </Button>
        <Menu
          label={messages.files.moreActs}
          trigger={<Button look="plain" icon="more" aria-label={messages.files.moreActs} />}
        >
          {count === 1 ? (
            <MenuItem icon="pencil" onAction={() => onAct('rename')}>
              {messages.files.act.rename}
            </MenuItem>
          ) : null}
          {canDownload ? (
            <MenuItem icon="download" onAction={() => onAct('download')}>
              {messages.files.act.download}
            </MenuItem>
          ) : null}
          <MenuItem icon="refresh" onAction={() => onAct('drop')}>
            {messages.files.act.drop}
          </MenuItem>
        </Menu>
        <Button look="plain" icon="trash" onPress={() => onAct('delete')}>
          {messages.files.act.delete}
        </Button>
      </div>
    </div>
  );
}
