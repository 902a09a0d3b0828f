import { type RefObject, useMemo, useRef, useState } from 'react';
import { root } from '../../api/base.ts';
import { Button } from '../../components/button.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx';
import { messages } from '../../messages/en.ts';
import { type ChosenFile, filesOfInput } from './chosen-files.ts';
import { prewarmingOf } from './prewarming.ts';

const PrewarmDialog = lazyComponent(() => import('./prewarm-dialog.tsx').then((dialog) => dialog.PrewarmDialog));

/** File inputs of the page, and functions that open them. */
export interface UploadInputs {
  files: RefObject<HTMLInputElement | null>;
  folder: RefObject<HTMLInputElement | null>;
  chooseFiles(): void;
  chooseFolder(): void;
}

export function useUploadInputs(): UploadInputs {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return useMemo(
    () => ({
      files,
      folder,
      chooseFiles: () => files.current?.click(),
      chooseFolder: () => folder.current?.click(),
    }),
    [],
  );
}

interface UploadButtonProps extends Pick<UploadInputs, 'chooseFiles' | 'chooseFolder'> {
  /** Destination folder. */
  target: string;
}

/** Opens the file chooser; a menu next to it uploads a folder and prepares variants. */
export function UploadButton({ target, chooseFiles, chooseFolder }: UploadButtonProps) {
  const [isPreparing, setPreparing] = useState(false);
  return (
    <span className="upload-button">
      <Button variant="main" icon="upload" onPress={chooseFiles}>
        {messages.uploads.upload}
      </Button>
      <Menu
        label={messages.uploads.more}
        trigger={<Button variant="main" icon="chevronDown" aria-label={messages.uploads.more} />}
      >
        <MenuItem icon="folder" onAction={chooseFolder}>
          {messages.uploads.folder}
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon="refresh"
          end={prewarmingOf(root, target).length || undefined}
          onAction={() => setPreparing(true)}
        >
          {messages.uploads.prepare}
        </MenuItem>
      </Menu>
      {isPreparing && <PrewarmDialog folder={target} onClose={() => setPreparing(false)} />}
    </span>
  );
}

interface UploadFieldsProps {
  inputs: UploadInputs;
  onFiles(files: readonly ChosenFile[]): void;
}

/** Hidden file inputs. They stay when the toolbar makes way for the selection. */
export function UploadFields({ inputs, onFiles }: UploadFieldsProps) {
  return (
    <>
      <FileField field={inputs.files} label={messages.uploads.files} onFiles={onFiles} />
      <FileField field={inputs.folder} label={messages.uploads.folder} isFolder onFiles={onFiles} />
    </>
  );
}

interface FileFieldProps extends Pick<UploadFieldsProps, 'onFiles'> {
  field: RefObject<HTMLInputElement | null>;
  label: string;
  isFolder?: boolean;
}

function FileField({ field, label, isFolder, onFiles }: FileFieldProps) {
  return (
    <input
      ref={field}
      className="unseen"
      type="file"
      multiple
      tabIndex={-1}
      aria-label={label}
      {...(isFolder && { webkitdirectory: '' })}
      onChange={({ currentTarget }) => {
        onFiles(filesOfInput(currentTarget.files));
        // Allows choosing the same file again.
        currentTarget.value = '';
      }}
    />
  );
}
