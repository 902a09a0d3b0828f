import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRootName } from '../../api/access.ts';
import { createFolder, foldersQuery } from '../../api/files.ts';
import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { NameDialog } from '../../components/name-dialog.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { messages } from '../../messages/en.ts';
import { folderOf, join, nameOf } from '../entry.ts';
import { refuseLost } from './check-name.ts';

interface FolderDialogProps {
  title: string;
  action: string;
  /** Initial folder. */
  start: string;
  onFolder(folder: string): void;
  onClose(): void;
}

/** Folder picker: one level at a time, with an option to create a folder. */
export function FolderDialog({ title, action, start, onFolder, onClose }: FolderDialogProps) {
  const [folder, setFolder] = useState(start);
  const [isNaming, setNaming] = useState(false);
  const root = useRootName();
  const make = async (name: string) => {
    refuseLost(name);
    await createFolder(join(folder, name));
    setFolder(join(folder, name));
  };
  return (
    <ModalDialog title={title} isOpen onClose={onClose}>
      <div className="picker">
        <div className="picker-head">
          {folder !== '' && (
            <Button
              variant="plain"
              icon="back"
              aria-label={messages.files.up}
              onPress={() => setFolder(folderOf(folder))}
            />
          )}
          <strong>{nameOf(folder) || root}</strong>
          <Button
            variant="plain"
            icon="folderPlus"
            aria-label={messages.files.newFolder}
            onPress={() => setNaming(true)}
          />
        </div>
        <FolderList folder={folder} onFolder={setFolder} />
      </div>
      <div className="dialog-actions">
        <Button onPress={onClose}>{messages.cancel}</Button>
        <Button variant="main" onPress={() => onFolder(folder)}>
          {action}
        </Button>
      </div>
      {isNaming && (
        <NameDialog
          title={messages.files.newFolder}
          label={messages.files.name}
          action={messages.files.create}
          onName={make}
          onClose={() => setNaming(false)}
        />
      )}
    </ModalDialog>
  );
}

function FolderList({ folder, onFolder }: { folder: string; onFolder(path: string): void }) {
  const { data, error, refetch } = useQuery(foldersQuery(folder));
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <ul className="picker-list">
      {data?.map(({ name, path }) => (
        <li key={path}>
          <button type="button" className="menu-item" onClick={() => onFolder(path)}>
            <Icon name="folder" size={17} />
            {name}
            <span className="menu-item-end">
              <Icon name="chevronRight" size={15} />
            </span>
          </button>
        </li>
      ))}
      {data?.length === 0 && <li className="quiet picker-none">{messages.files.noFolders}</li>}
      {data === undefined && (
        <li>
          <Skeleton height={32} />
        </li>
      )}
    </ul>
  );
}
