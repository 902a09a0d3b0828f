import { useState } from 'react';
import { type BatchAction, filesChanged } from '../../api/batch.ts';
import { createFolder, rename } from '../../api/files.ts';
import type { Scope, Target } from '../../api/targets/targets.ts';
import { Confirm } from '../../components/dialog.tsx';
import { NameDialog } from '../../components/name-dialog.tsx';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { folderOf, join, nameOf } from '../entry.ts';
import { sizeOf } from '../selection.ts';
import { refuseLost } from './check-name.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { sayDone } from './undo.ts';
import { work } from './work.ts';

/** Dialog that precedes an action. */
export type ActionDialog =
  | { kind: 'move' | 'copy' | 'tag' | 'delete' | 'drop'; target: Target }
  | { kind: 'rename'; path: string }
  | { kind: 'folder' };

interface ActionDialogsProps {
  dialog: ActionDialog;
  folder: string;
  onClose(): void;
  /** Called after the action. @param path new path of a renamed file */
  onDone(path?: string): void;
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
      return <Rename path={dialog.path} onClose={onClose} onDone={onDone} />;
    case 'tag':
      return <TagDialog target={dialog.target} onClose={onClose} onDone={() => onDone()} />;
    case 'delete':
      return <Delete target={dialog.target} onClose={onClose} onAction={run} />;
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
  const make = async (name: string) => {
    refuseLost(name);
    await createFolder(join(folder, name));
    filesChanged();
  };
  const { newFolder, name, create } = messages.files;
  return <NameDialog title={newFolder} label={name} action={create} onName={make} onClose={onClose} />;
}

function Rename({ path, onClose, onDone }: { path: string; onClose(): void; onDone(path: string): void }) {
  const change = async (name: string) => {
    refuseLost(name);
    const old = nameOf(path);
    const { path: renamed } = await rename(path, name);
    const takeBack = () => void rename(renamed, old).then(filesChanged, (error) => toast(errorMessage(error)));
    sayDone(messages.files.renamed(nameOf(renamed)), takeBack);
    filesChanged();
    onDone(renamed);
  };
  const { rename: title } = messages.files.action;
  return (
    <NameDialog
      title={messages.files.renameTitle}
      label={messages.files.name}
      action={title}
      name={nameOf(path)}
      onName={change}
      onClose={onClose}
    />
  );
}

function Put({ kind, target, folder, onClose, onAction }: DialogProps & { kind: 'move' | 'copy'; folder: string }) {
  const [start] = useState(() => ('scope' in target ? folder : folderOf(target.items[0]?.path ?? '')));
  return (
    <FolderDialog
      title={kind === 'move' ? messages.files.moveTitle(sizeOf(target)) : messages.files.copyTitle(sizeOf(target))}
      action={kind === 'move' ? messages.files.moveHere : messages.files.copyHere}
      start={start}
      onFolder={(destination) => onAction({ action: kind, destination }, target)}
      onClose={onClose}
    />
  );
}

/** From this count on, and for folders, permanent deletion requires typing the number. */
const MANY = 50;

/** True for unfiltered listings, which contain folders. */
const mayHaveFolders = ({ search, order }: Scope) => search === undefined && order.kind === undefined;

function Delete({ target, onClose, onAction }: DialogProps) {
  const [isPermanent, setPermanent] = useState(false);
  const count = sizeOf(target);
  const hasFolders =
    'scope' in target ? mayHaveFolders(target.scope) : target.items.some(({ kind }) => kind === 'folder');
  const isMuch = count >= MANY || hasFolders;
  return (
    <Confirm
      title={messages.files.deleteTitle(count)}
      text={
        <>
          <p>{isPermanent ? messages.files.deletePermanentlyText : messages.files.deleteText}</p>
          <label className="check">
            <input type="checkbox" checked={isPermanent} onChange={(event) => setPermanent(event.target.checked)} />
            {messages.files.deletePermanently}
          </label>
        </>
      }
      action={isPermanent ? messages.files.deletePermanentlyAction : messages.files.deleteAction}
      {...(isMuch && { typed: { value: String(count), label: messages.files.typeCount(count) } })}
      onConfirm={async () => onAction({ action: 'delete', trash: !isPermanent }, target)}
      onClose={onClose}
    />
  );
}
