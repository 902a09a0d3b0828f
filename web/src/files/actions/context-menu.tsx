import { useRef } from 'react';
import { useCan } from '../../api/access.ts';
import type { Target } from '../../api/targets/targets.ts';
import type { IconName } from '../../components/icons.ts';
import { Item as MenuItem, Line as MenuLine, MenuList } from '../../components/menu-list.tsx';
import { messages } from '../../messages/en.ts';
import type { FileEntry } from '../entry.ts';
import type { Command } from '../grid/keys/keys.ts';
import { sizeOf } from '../selection.ts';
import { type FileAction, PRIVACY_ICON, type PrivacyAction } from '../selection-bar.tsx';
import { useClip } from './clipboard.ts';
import { CopyItems } from './copy-items.tsx';

export interface MenuPosition {
  x: number;
  y: number;
  /** Undefined outside of items. */
  target: Target | undefined;
  /** The file that the target consists of. */
  entry?: FileEntry | undefined;
}

interface ContextMenuProps {
  position: MenuPosition;
  /** For admins: the possible change of a folder. */
  privacyOf(target: Target): PrivacyAction | undefined;
  onAction(action: FileAction, target: Target): void;
  onCommand(command: Extract<Command, string>): void;
  onClose(): void;
}

/** Context menu at the pointer or at the focused item. */
export function ContextMenu({
  position: { x, y, target, entry },
  privacyOf,
  onAction,
  onCommand,
  onClose,
}: ContextMenuProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={anchor} className="menu-anchor" style={{ left: x, top: y }} aria-hidden="true" />
      <MenuList
        label={messages.files.moreActions}
        button={anchor}
        placement="bottom start"
        focus="first"
        onClose={onClose}
      >
        {target ? (
          <ItemItems
            target={target}
            entry={entry}
            privacy={privacyOf(target)}
            onAction={(action) => onAction(action, target)}
            onCommand={onCommand}
          />
        ) : (
          <FolderItems onCommand={onCommand} />
        )}
      </MenuList>
    </>
  );
}

interface ActionItem {
  action: FileAction;
  icon: IconName;
  label: string;
  end?: string;
}

const RENAME: ActionItem = { action: 'rename', icon: 'pencil', label: messages.files.action.rename, end: 'F2' };
const REPLACE: ActionItem = { action: 'replace', icon: 'upload', label: messages.files.action.replace };
const TAKEN: readonly ActionItem[] = [
  { action: 'cut', icon: 'scissors', label: messages.files.cut, end: 'Ctrl+X' },
  { action: 'hold', icon: 'copy', label: messages.files.hold, end: 'Ctrl+C' },
];
const DOWNLOAD: ActionItem = { action: 'download', icon: 'download', label: messages.files.action.download };
const OTHERS: readonly ActionItem[] = [
  { action: 'move', icon: 'move', label: messages.files.action.move },
  { action: 'copy', icon: 'copy', label: messages.files.action.copy },
  { action: 'tag', icon: 'tag', label: messages.files.action.tag },
  { action: 'drop', icon: 'refresh', label: messages.files.action.drop },
];

const REMOVALS: readonly ActionItem[] = [
  { action: 'delete', icon: 'trash', label: messages.files.action.delete, end: 'Del' },
  {
    action: 'deletePermanently',
    icon: 'trash',
    label: messages.files.action.deletePermanently,
    end: 'Shift+Del',
  },
];

interface ItemItemsProps extends Pick<ContextMenuProps, 'onCommand'> {
  target: Target;
  entry: FileEntry | undefined;
  privacy: PrivacyAction | undefined;
  onAction(action: FileAction): void;
}

function ItemItems({ target, entry, privacy, onAction, onCommand }: ItemItemsProps) {
  const canManage = useCan('manage');
  const isOne = sizeOf(target) === 1;
  // A whole folder cannot be downloaded as a list of items.
  const isListed = !('scope' in target) || 'ranges' in target || target.scope.search !== undefined;
  const item = ({ action, icon, label, end }: ActionItem) => (
    <MenuItem
      key={action}
      icon={icon}
      end={end}
      isDangerous={action === 'deletePermanently'}
      onAction={() => onAction(action)}
    >
      {label}
    </MenuItem>
  );
  return (
    <>
      {isOne && (
        <MenuItem icon="eye" end="Enter" onAction={() => onCommand('open')}>
          {messages.files.open}
        </MenuItem>
      )}
      <CopyItems target={target} entry={entry} />
      {isListed && item(DOWNLOAD)}
      {canManage && (
        <>
          <MenuLine />
          {isOne && item(RENAME)}
          {entry && item(REPLACE)}
          {TAKEN.map(item)}
          <MenuLine />
          {OTHERS.map(item)}
          {privacy && item({ action: privacy, icon: PRIVACY_ICON[privacy], label: messages.files.action[privacy] })}
          <MenuLine />
          {REMOVALS.map(item)}
        </>
      )}
    </>
  );
}

function FolderItems({ onCommand }: Pick<ContextMenuProps, 'onCommand'>) {
  const clip = useClip();
  const canUpload = useCan('upload');
  const canManage = useCan('manage');
  return (
    <>
      {canManage && (
        <MenuItem icon="paste" end="Ctrl+V" isDisabled={clip === undefined} onAction={() => onCommand('paste')}>
          {messages.files.paste}
        </MenuItem>
      )}
      {canUpload && (
        <>
          <MenuItem icon="folderPlus" end="n" onAction={() => onCommand('folder')}>
            {messages.files.newFolder}
          </MenuItem>
          <MenuItem icon="upload" end="u" onAction={() => onCommand('upload')}>
            {messages.uploads.files}
          </MenuItem>
          <MenuLine />
        </>
      )}
      <MenuItem icon="check" end="Ctrl+A" onAction={() => onCommand('all')}>
        {messages.files.selectAll}
      </MenuItem>
      <MenuItem icon="info" end="?" onAction={() => onCommand('help')}>
        {messages.files.shortcuts}
      </MenuItem>
    </>
  );
}
