import { useRef, useState } from 'react';
import { filesChanged } from '../../api/batch.ts';
import { ApiError } from '../../api/error.ts';
import { rename } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ErrorNotice, errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAction } from '../../components/use-action.ts';
import { actionsMessages } from '../../messages/actions.ts';
import { messages } from '../../messages/en.ts';
import { problemOfName } from './check-name.ts';
import { changesExtension, extensionOf, withExtensionOf } from './extension.ts';
import { KeepUrls } from './keep-urls.tsx';
import { keepsOldUrls } from './old-urls.ts';
import { sayDone } from './undo.ts';

/** Previous and new path of a renamed item. */
export interface Renamed {
  from: string;
  to: string;
}

interface RenameDialogProps {
  path: string;
  isFolder?: boolean;
  onClose(): void;
  onDone(renamed: Renamed): void;
}

/** Renames a file or folder. Another extension has to be confirmed. */
export function RenameDialog({ path, isFolder = false, onClose, onDone }: RenameDialogProps) {
  const old = nameOf(path);
  const [name, setName] = useState(old);
  const [isAsking, setAsking] = useState(false);
  const isSelected = useRef(false);
  const change = async (next: string): Promise<void> => {
    if (next !== old) onDone({ from: path, to: await renamed(path, next) });
    onClose();
  };
  const send = async (): Promise<void> => {
    const next = name.trim();
    if (!isFolder && changesExtension(old, next)) setAsking(true);
    else await change(next);
  };
  if (isAsking)
    return (
      <ExtensionDialog from={old} to={name.trim()} onName={change} onBack={() => setAsking(false)} onClose={onClose} />
    );
  const texts = actionsMessages.rename;
  return (
    <FormDialog
      title={texts.title}
      action={messages.files.action.rename}
      problem={problemOfName(name)}
      onSubmit={send}
      onDone={() => undefined}
      onClose={onClose}
    >
      <TextField
        label={messages.files.name}
        hint={isFolder ? texts.urlsOfFolder : texts.urlOfFile}
        value={name}
        onChange={setName}
        onFocus={({ target }) => {
          if (isSelected.current) return;
          isSelected.current = true;
          const stem = isFolder ? old.length : old.length - extensionOf(old).length;
          (target as HTMLInputElement).setSelectionRange(0, stem);
        }}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <KeepUrls isMany={isFolder} />
    </FormDialog>
  );
}

/** Renames and offers to undo it. @returns the new path */
async function renamed(path: string, name: string): Promise<string> {
  const [to, isRedirected] = await renameOrLose(path, name);
  // The service ends the redirect when the file returns.
  const takeBack = () => void rename(to, nameOf(path)).then(filesChanged, (error) => toast(errorMessage(error)));
  const texts = actionsMessages.rename;
  const isLost = keepsOldUrls() && !isRedirected;
  const text = isRedirected ? texts.renamedWithRedirect : isLost ? texts.renamedToOtherKind : messages.files.renamed;
  sayDone(text(nameOf(to)), takeBack, { paths: [path, to] });
  filesChanged();
  return to;
}

/** Renames. No redirect leads to a file of another kind, such as from an image to a document. */
async function renameOrLose(path: string, name: string): Promise<[to: string, isRedirected: boolean]> {
  const isRedirected = keepsOldUrls();
  try {
    return [(await rename(path, name, isRedirected)).path, isRedirected];
  } catch (error) {
    const isOtherKind = error instanceof ApiError && error.code === 'validation_failed';
    if (!isRedirected || !isOtherKind || !changesExtension(nameOf(path), name)) throw error;
    return [(await rename(path, name)).path, false];
  }
}

interface ExtensionDialogProps {
  from: string;
  to: string;
  onName(name: string): Promise<void>;
  onBack(): void;
  onClose(): void;
}

/** Asks whether the extension should change with the name. */
function ExtensionDialog({ from, to, onName, onBack, onClose }: ExtensionDialogProps) {
  const { error, isBusy, run } = useAction();
  const texts = actionsMessages.rename;
  const kept = withExtensionOf(from, to);
  return (
    <ModalDialog
      title={texts.extensionTitle}
      text={texts.extensionText(extensionOf(from), extensionOf(to))}
      isOpen
      onClose={onClose}
    >
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="choices">
        <Button variant="main" wide autoFocus isPending={isBusy} onPress={() => run(() => onName(kept))}>
          {texts.keepExtension(extensionOf(from))}
        </Button>
        <p className="field-hint">{texts.becomes(kept)}</p>
        <Button wide isPending={isBusy} onPress={() => run(() => onName(to))}>
          {texts.useExtension(extensionOf(to))}
        </Button>
        <p className="field-hint">{texts.becomes(to)}</p>
        <Button variant="plain" wide onPress={onBack}>
          {texts.back}
        </Button>
      </div>
    </ModalDialog>
  );
}
