import { useLayoutEffect, useRef } from 'react';
import { useCan } from '../api/access.ts';
import type { Item } from '../api/targets/targets.ts';
import { Button } from '../components/button.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { messages } from '../messages/en.ts';
import { copyUrls } from './actions/copy-urls.ts';
import { duplicate } from './actions/duplicate.ts';
import { keysOf } from './commands.ts';
import { TAB_STOP } from './grid/item-at.ts';

/** `hold` and `cut` use the clipboard. */
export type FileAction =
  | 'rename'
  | 'replace'
  | 'move'
  | 'copy'
  | 'tag'
  | 'delete'
  | 'deletePermanently'
  | 'drop'
  | 'download'
  | 'hold'
  | 'cut'
  | PrivacyAction;

/** For one folder. */
export type PrivacyAction = 'makePrivate' | 'makePublic';

interface SelectionBarProps {
  count: number;
  /** Number of selectable items. */
  total: number;
  onAll(): void;
  /** A whole folder cannot be downloaded as a list of items. */
  canDownload: boolean;
  onNone(): void;
  /** For admins, if one folder is selected whose privacy can change. */
  privacy: PrivacyAction | undefined;
  /** The selection, if it is a list of files. */
  files: readonly Item[];
  onAction(action: FileAction): void;
}

/** Actions for the selection. Replaces the toolbar, to avoid layout shift. */
export function SelectionBar(props: SelectionBarProps) {
  const { count, total, onAll, onNone } = props;
  const canManage = useCan('manage');
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (element?.contains(document.activeElement))
        document.querySelector<HTMLElement>(TAB_STOP)?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div ref={bar} className="files-bar is-choosing" role="toolbar" aria-label={messages.files.chosenActions}>
      <Button
        variant="plain"
        icon="close"
        aria-label={messages.files.none}
        data-keys={keysOf('none')}
        onPress={onNone}
      />
      <strong className="number">{messages.files.chosen(count)}</strong>
      {count < total && (
        <Button variant="plain" onPress={onAll}>
          {messages.files.all(total)}
        </Button>
      )}
      {canManage ? <Changes {...props} /> : <Reading {...props} />}
    </div>
  );
}

export const PRIVACY_ICON = { makePrivate: 'lock', makePublic: 'unlock' } as const;

/** Actions of people who may only read. */
function Reading({ canDownload, files, onAction }: SelectionBarProps) {
  return (
    <div className="files-tools">
      {files.length > 0 && (
        <Button variant="plain" icon="link" onPress={() => copyUrls(files.map(({ path }) => path))}>
          {messages.files.copyUrl(files.length)}
        </Button>
      )}
      {canDownload && (
        <Button variant="plain" icon="download" onPress={() => onAction('download')}>
          {messages.files.action.download}
        </Button>
      )}
    </div>
  );
}

function Changes({ count, canDownload, privacy, files, onAction }: SelectionBarProps) {
  return (
    <div className="files-tools">
      <Button variant="plain" icon="move" onPress={() => onAction('move')}>
        {messages.files.action.move}
      </Button>
      <Button variant="plain" icon="copy" onPress={() => onAction('copy')}>
        {messages.files.action.copy}
      </Button>
      <Button variant="plain" icon="tag" onPress={() => onAction('tag')}>
        {messages.files.action.tag}
      </Button>
      <Menu
        label={messages.files.moreActions}
        trigger={<Button variant="plain" icon="more" aria-label={messages.files.moreActions} />}
      >
        {files.length > 0 ? (
          <MenuItem icon="link" onAction={() => copyUrls(files.map(({ path }) => path))}>
            {messages.files.copyUrl(files.length)}
          </MenuItem>
        ) : null}
        {files.length > 0 ? (
          <MenuItem icon="duplicate" onAction={() => void duplicate(files)}>
            {messages.files.action.duplicate}
          </MenuItem>
        ) : null}
        {count === 1 ? (
          <MenuItem icon="pencil" onAction={() => onAction('rename')}>
            {messages.files.action.rename}
          </MenuItem>
        ) : null}
        {count === 1 && files.length === 1 ? (
          <MenuItem icon="upload" onAction={() => onAction('replace')}>
            {messages.files.action.replace}
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
        {privacy ? (
          <MenuItem icon={PRIVACY_ICON[privacy]} onAction={() => onAction(privacy)}>
            {messages.files.action[privacy]}
          </MenuItem>
        ) : null}
        <MenuLine />
        <MenuItem icon="trash" isDangerous onAction={() => onAction('deletePermanently')}>
          {messages.files.action.deletePermanently}
        </MenuItem>
      </Menu>
      <Button variant="plain" icon="trash" onPress={() => onAction('delete')}>
        {messages.files.action.delete}
      </Button>
    </div>
  );
}
