import { useState } from 'react';
import { type BatchAction, createFolder } from '../../api/batch.ts';
import { folderOf, join } from '../../api/paths.ts';
import { batchRuleOf, type Scope, type Target } from '../../api/targets/targets.ts';
import { Confirm, MANY } from '../../components/dialog.tsx';
import { NameDialog } from '../../components/name-dialog.tsx';
import { actionsMessages } from '../../messages/actions.ts';
import { messages } from '../../messages/en.ts';
import { sizeOf } from '../selection.ts';
import { ReplaceDialog } from '../versions/replacing.tsx';
import { problemOfName } from './check-name.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { KeepUrls } from './keep-urls.tsx';
import { refusedMove } from './moving.ts';
import { keepsOldUrls } from './old-urls.ts';
import { RenameDialog, type Renamed } from './rename-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { work } from './work.ts';

/** Dialog that precedes an action. */
export type ActionDialog =
  | { kind: 'move' | 'copy' | 'tag' | 'deletePermanently' | 'drop'; target: Target }
  | { kind: 'rename' | 'replace'; path: string; isFolder?: boolean }
  | { kind: 'folder' };

/** A dialog, or a deletion to the trash, which has none. */
export type DialogRequest = ActionDialog | { kind: 'delete'; target: Target };

interface ActionDialogsProps {
  dialog: ActionDialog;
  folder: string;
  onClose(): void;
  /** Called after the action. */
  onDone(renamed?: Renamed): void;
}

/** Dialogs of all actions, and the actions themselves. */
export function ActionDialogs({ dialog, folder, onClose, onDone }: ActionDialogsProps) {
  const run = (action: BatchAction, target: Target) => {
    onClose();
    onDone();
    void work(action, target);
  };
  switch (dialog.kind) {
    case 'folder':
      return <NewFolder folder={folder} onClose={onClose} />;
    case 'rename':
      return <RenameDialog {...dialog} onClose={onClose} onDone={onDone} />;
    case 'replace':
      return <ReplaceDialog path={dialog.path} onClose={onClose} />;
    case 'tag':
      return <TagDialog target={dialog.target} onClose={onClose} onDone={() => onDone()} />;
    case 'deletePermanently':
      return <DeletePermanently target={dialog.target} onClose={onClose} onAction={run} />;
    case 'drop':
      return (
        <Confirm
          title={messages.files.dropTitle}
          text={messages.files.dropText(sizeOf(dialog.target))}
          action={messages.files.action.drop}
          isDangerous={false}
          onConfirm={async () => run({ action: 'invalidate' }, dialog.target)}
          onClose={onClose}
        />
      );
    default:
      return <Put kind={dialog.kind} target={dialog.target} folder={folder} onClose={onClose} onAction={run} />;
  }
}

interface DialogProps {
  target: Target;
  onClose(): void;
  onAction(action: BatchAction, target: Target): void;
}

function NewFolder({ folder, onClose }: { folder: string; onClose(): void }) {
  const make = (name: string) => createFolder(join(folder, name));
  const { newFolder, name, create } = messages.files;
  return (
    <NameDialog
      title={newFolder}
      label={name}
      action={create}
      problemOf={problemOfName}
      onName={make}
      onClose={onClose}
    />
  );
}

function Put({ kind, target, folder, onClose, onAction }: DialogProps & { kind: 'move' | 'copy'; folder: string }) {
  const [start] = useState(() => ('scope' in target ? folder : folderOf(target.items[0]?.path ?? '')));
  const isMany = sizeOf(target) > 1 || ('items' in target && target.items.some((item) => item.kind === 'folder'));
  if (kind === 'copy')
    return (
      <FolderDialog
        title={messages.files.copyTitle(sizeOf(target))}
        action={messages.files.copyHere}
        start={start}
        onFolder={(destination) => onAction({ action: 'copy', destination }, target)}
        onClose={onClose}
      />
    );
  return (
    <FolderDialog
      title={messages.files.moveTitle(sizeOf(target))}
      action={messages.files.moveHere}
      start={start}
      refuse={(destination) => refusedMove(target, destination)}
      onFolder={(destination) =>
        onAction({ action: 'move', destination, ...(keepsOldUrls() && { redirect: true }) }, target)
      }
      onClose={onClose}
    >
      <KeepUrls isMany={isMany} />
    </FolderDialog>
  );
}

/** True for listings without conditions on files, and searches of paths: they contain folders. */
const mayHaveFolders = (scope: Scope) => scope.order.kind === undefined && batchRuleOf(scope) !== undefined;

function DeletePermanently({ target, onClose, onAction }: DialogProps) {
  const count = sizeOf(target);
  const hasFolders =
    'scope' in target ? mayHaveFolders(target.scope) : target.items.some(({ kind }) => kind === 'folder');
  const isMuch = count >= MANY || hasFolders;
  return (
    <Confirm
      title={actionsMessages.deleteTitle(count)}
      text={actionsMessages.deleteText}
      action={actionsMessages.deleteAction}
      {...(isMuch && { typed: { value: String(count), label: actionsMessages.typeCount(count) } })}
      onConfirm={async () => onAction({ action: 'delete', trash: false }, target)}
      onClose={onClose}
    />
  );
}
