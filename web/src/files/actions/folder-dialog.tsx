import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useRootName } from '../../api/access.ts';
import { root } from '../../api/base.ts';
import { createFolder } from '../../api/batch.ts';
import { foldersQuery } from '../../api/files.ts';
import { existingFoldersQuery } from '../../api/folders.ts';
import { folderOf, join, nameOf } from '../../api/paths.ts';
import { foldersFound } from '../../api/targets/find.ts';
import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { NameDialog } from '../../components/name-dialog.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { useSettled } from '../../components/use-settled.ts';
import { actionsMessages } from '../../messages/actions.ts';
import { messages } from '../../messages/en.ts';
import { problemOfName } from './check-name.ts';
import { recentFolders, rememberFolder } from './recent-folders.ts';
import './picker.css';

/** Debounce of the search. */
const TYPING_MS = 150;

interface FolderDialogProps {
  title: string;
  action: string;
  /** Initial folder. */
  start: string;
  /** Reason why a folder cannot be chosen. */
  refuse?(folder: string): string | undefined;
  onFolder(folder: string): void;
  onClose(): void;
  /** Options of the action. */
  children?: ReactNode;
}

/** Folder picker: search, recent folders, and one level at a time, with an option to create a folder. */
export function FolderDialog({ title, action, start, refuse, onFolder, onClose, children }: FolderDialogProps) {
  const [folder, setFolder] = useState(start);
  const [text, setText] = useState('');
  const sought = useSettled(text.trim(), TYPING_MS);
  const refusal = refuse?.(folder);
  const go = (path: string) => {
    setFolder(path);
    setText('');
  };
  return (
    <ModalDialog title={title} isOpen onClose={onClose}>
      <FolderSearch text={text} onText={setText} />
      <div className="picker">
        {text.trim() === '' ? <Browser folder={folder} onFolder={go} /> : <Found text={sought} onFolder={go} />}
      </div>
      {children}
      <div className="picker-end">
        <p className="quiet" role="status">
          {refusal}
        </p>
        <div className="dialog-actions">
          <Button onPress={onClose}>{messages.cancel}</Button>
          <Button
            variant="main"
            isDisabled={refusal !== undefined || text.trim() !== ''}
            onPress={() => {
              rememberFolder(root, folder);
              onFolder(folder);
            }}
          >
            {action}
          </Button>
        </div>
      </div>
    </ModalDialog>
  );
}

function FolderSearch({ text, onText }: { text: string; onText(text: string): void }) {
  const { search, clear } = actionsMessages.folders;
  return (
    <SearchField className="files-search picker-search" aria-label={search} value={text} onChange={onText}>
      <Icon name="search" size={16} />
      <Input className="input" placeholder={search} />
      {text !== '' && <Button slot="clear" variant="plain" icon="close" aria-label={clear} />}
    </SearchField>
  );
}

interface PickerProps {
  folder: string;
  onFolder(path: string): void;
}

/** Content of a folder, with the way up and the recent folders. */
function Browser({ folder, onFolder }: PickerProps) {
  const [isNaming, setNaming] = useState(false);
  const rootName = useRootName();
  const make = async (name: string) => {
    await createFolder(join(folder, name));
    onFolder(join(folder, name));
  };
  return (
    <>
      <div className="picker-head">
        {folder !== '' && (
          <Button
            variant="plain"
            icon="back"
            aria-label={messages.files.up}
            onPress={() => onFolder(folderOf(folder))}
          />
        )}
        <strong>{nameOf(folder) || rootName}</strong>
        <Button
          variant="plain"
          icon="folderPlus"
          aria-label={messages.files.newFolder}
          onPress={() => setNaming(true)}
        />
      </div>
      <RecentFolders folder={folder} onFolder={onFolder} />
      <FolderList folder={folder} onFolder={onFolder} />
      {isNaming && (
        <NameDialog
          title={messages.files.newFolder}
          label={messages.files.name}
          action={messages.files.create}
          problemOf={problemOfName}
          onName={make}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

function RecentFolders({ folder, onFolder }: PickerProps) {
  const [recent] = useState(() => recentFolders(root));
  const { data = [] } = useQuery({ ...existingFoldersQuery(recent), enabled: recent.length > 0 });
  const rootName = useRootName();
  const shown = data.filter((path) => path !== folder);
  if (shown.length === 0) return null;
  return (
    <div className="picker-recent">
      <span className="quiet">{actionsMessages.folders.recent}</span>
      {shown.map((path) => (
        <button key={path} type="button" className="tab" title={path || rootName} onClick={() => onFolder(path)}>
          {nameOf(path) || rootName}
        </button>
      ))}
    </div>
  );
}

function FolderList({ folder, onFolder }: PickerProps) {
  const { data, error, refetch } = useQuery(foldersQuery(folder));
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <ul className="picker-list">
      {data?.map(({ name, path }) => (
        <FolderRow key={path} name={name} onPress={() => onFolder(path)} />
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

/** Results of a search for a destination. */
const MOST_DESTINATIONS = 30;

/** Folders that match a search. */
function Found({ text, onFolder }: Pick<PickerProps, 'onFolder'> & { text: string }) {
  const { data, error, refetch } = useQuery({
    ...foldersFound(text, MOST_DESTINATIONS),
    // The first letters have not settled yet.
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  const rootName = useRootName();
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <ul className="picker-list">
      {data?.map(({ name, path }) => (
        <FolderRow key={path} name={name} parent={folderOf(path) || rootName} onPress={() => onFolder(path)} />
      ))}
      {data?.length === 0 && <li className="quiet picker-none">{actionsMessages.folders.none(text)}</li>}
      {data === undefined && (
        <li>
          <Skeleton height={32} />
        </li>
      )}
    </ul>
  );
}

function FolderRow({ name, parent, onPress }: { name: string; parent?: string; onPress(): void }) {
  return (
    <li>
      <button type="button" className="menu-item" onClick={onPress}>
        <Icon name="folder" size={17} />
        <span className="picker-name">{name}</span>
        <span className="menu-item-end">{parent ?? <Icon name="chevronRight" size={15} />}</span>
      </button>
    </li>
  );
}
