import { type RefObject, useRef, useState } from 'react';
import { root } from '../../api/base.ts';
import { Button } from '../../components/button.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx';
import { messages } from '../../messages/en.ts';
import { type ChosenFile, filesOfInput } from './chosen-files.ts';
import { prewarmingOf } from './prewarming.ts';

const PrewarmDialog = lazyComponent(() => import('./prewarm-dialog.tsx').then((dialog) => dialog.PrewarmDialog));

interface UploadButtonProps {
  /** Destination folder. */
  target: string;
  onFiles(files: readonly ChosenFile[]): void;
  /** File input that a shortcut opens. */
  input: RefObject<HTMLInputElement | null>;
}

/** Upload menu for files or a folder. */
export function UploadButton({ target, onFiles, input }: UploadButtonProps) {
  const folder = useRef<HTMLInputElement>(null);
  const [isPreparing, setPreparing] = useState(false);
  return (
    <span className="upload-button">
      <FileField field={input} label={messages.uploads.files} onFiles={onFiles} />
      <FileField field={folder} label={messages.uploads.folder} isFolder onFiles={onFiles} />
      <Menu
        label={messages.uploads.upload}
        trigger={
          <Button variant="main" icon="upload">
            {messages.uploads.upload}
          </Button>
        }
      >
        <MenuItem icon="document" end="u" onAction={() => input.current?.click()}>
          {messages.uploads.files}
        </MenuItem>
        <MenuItem icon="folder" onAction={() => folder.current?.click()}>
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

interface FileFieldProps extends Pick<UploadButtonProps, 'onFiles'> {
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
