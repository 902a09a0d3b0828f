import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useIsInstallationAdmin } from '../../api/access.ts';
import { limitsQuery } from '../../api/files.ts';
import { settingsQuery } from '../../api/settings.ts';
import type { Asset } from '../../api/types.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { formatBytes } from '../../components/format.ts';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { folderOf } from '../entry.ts';

/** Button that replaces a file after a confirmation. */
export function ReplaceButton({ asset: { path, name, type } }: { asset: Asset }) {
  const [file, setFile] = useState<File>();
  const field = useRef<HTMLInputElement>(null);
  const take = useJudge(setFile);
  return (
    <>
      <Button variant="plain" icon="upload" onPress={() => field.current?.click()}>
        {versionsMessages.replace}
      </Button>
      <input
        ref={field}
        className="unseen"
        type="file"
        accept={type}
        tabIndex={-1}
        aria-label={versionsMessages.choose}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // Allows choosing the same file again.
          currentTarget.value = '';
        }}
      />
      {file && (
        <Confirm
          title={versionsMessages.replaceTitle(name)}
          text={<ReplaceText file={file} />}
          action={versionsMessages.replace}
          isDangerous={false}
          onConfirm={async () => uploadQueue.add([{ file, folder: folderOf(path), name, replaces: true }])}
          onClose={() => setFile(undefined)}
        />
      )}
    </>
  );
}

/** Accepts a file within the size limit. */
function useJudge(onFile: (file: File) => void) {
  const { data } = useQuery(limitsQuery);
  const limit = data?.limits.find(({ name }) => name === 'upload file');
  const most = limit?.bytes ?? Number.POSITIVE_INFINITY;
  return (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > most) toast(messages.uploads.leftOut.tooLarge(formatBytes(most), limit?.setting ?? ''));
    else onFile(file);
  };
}

function ReplaceText({ file }: { file: File }) {
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
      {keep !== undefined && days !== undefined && (
        <p>{keep === 0 ? versionsMessages.notRetained : versionsMessages.retained(keep, days)}</p>
      )}
    </>
  );
}
