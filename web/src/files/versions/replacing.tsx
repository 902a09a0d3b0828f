import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useIsInstallationAdmin } from '../../api/access.ts';
import { assetQuery, browserCacheQuery, limitsQuery } from '../../api/files.ts';
import { folderOf, nameOf } from '../../api/paths.ts';
import { settingsQuery } from '../../api/settings.ts';
import type { Asset } from '../../api/types.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { formatBytes } from '../../components/format.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { formatNameOf } from '../../messages/format-name.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { sayChangedUrls } from '../adding/changed-urls.ts';
import { cachedCopiesText } from './cached-copies-text.ts';

/** Button that replaces a file after a confirmation. */
export function ReplaceButton({ asset: { path, type } }: { asset: Asset }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="plain" icon="upload" onPress={() => field.current?.click()}>
        {messages.files.action.replace}
      </Button>
      <Replacement path={path} type={type} field={field} />
    </>
  );
}

/** Opens the file chooser at once, and replaces a file after a confirmation. */
export function ReplaceDialog({ path, onClose }: { path: string; onClose(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const { data, error } = useQuery(assetQuery(path));
  const type = data?.type;
  useEffect(() => {
    if (type !== undefined) field.current?.click();
  }, [type]);
  useEffect(() => {
    if (error === null) return;
    toast(errorMessage(error));
    onClose();
  }, [error, onClose]);
  return <Replacement path={path} type={type} field={field} onClose={onClose} />;
}

interface ReplacementProps {
  path: string;
  type: string | undefined;
  field: RefObject<HTMLInputElement | null>;
  /** Called when no file was chosen, and after the confirmation. */
  onClose?(): void;
}

/** Hidden file input, and the confirmation for the chosen file. */
function Replacement({ path, type, field, onClose }: ReplacementProps) {
  const [file, setFile] = useState<File>();
  const name = nameOf(path);
  const judge = useJudge(name);
  const close = () => {
    setFile(undefined);
    onClose?.();
  };
  useEffect(() => {
    const input = field.current;
    if (input === null || onClose === undefined) return;
    input.addEventListener('cancel', onClose);
    return () => input.removeEventListener('cancel', onClose);
  }, [field, onClose]);
  const replace = async () => {
    const uploads = uploadQueue.add([{ file: file as File, folder: folderOf(path), name, replaces: true }]);
    void sayChangedUrls(uploads, true);
  };
  return (
    <>
      <input
        ref={field}
        className="unseen"
        type="file"
        accept={type}
        tabIndex={-1}
        aria-label={versionsMessages.choose}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          const problem = chosen && judge(chosen);
          if (problem !== undefined) {
            toast(problem);
            close();
          } else setFile(chosen);
          // Allows choosing the same file again.
          currentTarget.value = '';
        }}
      />
      {file && (
        <Confirm
          title={versionsMessages.replaceTitle(name)}
          text={<ReplaceText path={path} file={file} />}
          action={messages.files.action.replace}
          isDangerous={false}
          onConfirm={replace}
          onClose={close}
        />
      )}
    </>
  );
}

/** Returns why a file cannot replace one, or undefined. */
function useJudge(name: string) {
  const { data } = useQuery(limitsQuery);
  const limit = data?.limits.find((one) => one.name === 'upload file');
  const most = limit?.bytes ?? Number.POSITIVE_INFINITY;
  return (file: File) => {
    const expected = formatNameOf(name);
    const received = formatNameOf(file.name);
    // Other types have several names, and are left to the service.
    if (file.type.startsWith('image/') && received !== expected)
      return versionsMessages.otherFormat(name, expected, file.name, received);
    return file.size > most ? messages.uploads.leftOut.tooLarge(formatBytes(most), limit?.setting ?? '') : undefined;
  };
}

function ReplaceText({ path, file }: { path: string; file: File }) {
  const cache = useQuery(browserCacheQuery(path)).data;
  const { data } = useQuery({ ...settingsQuery, enabled: useIsInstallationAdmin() });
  const numberOf = (setting: string) => {
    const found = data?.settings.find(({ name }) => name === setting);
    return found && Number(found.value ?? found.default);
  };
  const keep = numberOf('VERSIONS_KEEP');
  const days = numberOf('VERSIONS_DAYS');
  return (
    <>
      <p>{versionsMessages.replaceText(file.name, formatBytes(file.size))}</p>
      {cache !== undefined && cache !== 0 && <p>{cachedCopiesText(cache, Date.now())}</p>}
      {keep !== undefined && days !== undefined && (
        <p>{keep === 0 ? versionsMessages.notRetained : versionsMessages.retained(keep, days)}</p>
      )}
    </>
  );
}
