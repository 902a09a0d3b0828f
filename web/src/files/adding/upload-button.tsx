import { type RefObject, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { words } from '../../words/en.ts';
import { type ChosenFile, filesOfInput } from './chosen-files.ts';

interface UploadButtonProps {
  onFiles(files: readonly ChosenFile[]): void;
  /** The field that a key can open. */
  input: RefObject<HTMLInputElement | null>;
}

/** Chooses files, or a folder with all that is in it. */
export function UploadButton({ onFiles, input }: UploadButtonProps) {
  const folder = useRef<HTMLInputElement>(null);
  const field = (reference: RefObject<HTMLInputElement | null>, more: object, label: string) => (
    <input
      ref={reference}
      className="unseen"
      type="file"
      multiple
      tabIndex={-1}
      aria-label={label}
      {...more}
      onChange={({ currentTarget }) => {
        onFiles(filesOfInput(currentTarget.files));
        // The same file may be chosen again.
        currentTarget.value = '';
      }}
    />
  );
  return (
    <span className="upload-button">
      {field(input, {}, words.uploads.files)}
      {field(folder, { webkitdirectory: '' }, words.uploads.folder)}
      <Menu
        label={words.uploads.upload}
        trigger={
          <Button look="main" icon="upload">
            {words.uploads.upload}
          </Button>
        }
      >
        <MenuItem icon="document" end="u" onAction={() => input.current?.click()}>
          {words.uploads.files}
        </MenuItem>
        <MenuItem icon="folder" onAction={() => folder.current?.click()}>
          {words.uploads.folder}
        </MenuItem>
      </Menu>
    </span>
  );
}
