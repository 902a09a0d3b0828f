import { useRef } from 'react';
import { useCan } from '../../api/access.ts';
import { nameOf } from '../../api/paths.ts';
import { dismissInterrupted, type Interrupted } from '../../api/uploads/interrupted.ts';
import { pathOf, type Upload } from '../../api/uploads/upload.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sayChangedUrls } from '../adding/changed-urls.ts';

/** Rows; further uploads are counted in the title. */
const MAX_ROWS = 5;

const percentOf = (sent: number, size: number) => (size === 0 ? 0 : Math.floor((100 * sent) / size));

/** Offers uploads of a page that was closed or reloaded: browsers do not keep the files. */
export function InterruptedUploads({ uploads }: { uploads: readonly Interrupted[] }) {
  const input = useRef<HTMLInputElement>(null);
  const { uploads: texts } = messages;
  const canManage = useCan('manage');
  const sent = uploads.reduce((sum, one) => sum + one.sent, 0);
  const size = uploads.reduce((sum, one) => sum + one.size, 0);
  return (
    <div className="uploads-again">
      <h2>
        <Icon name="alert" size={18} />
        {texts.interrupted(uploads.length)}
      </h2>
      <p className="quiet">{texts.chooseAgain(uploads.length, percentOf(sent, size))}</p>
      <ul>
        {uploads.slice(0, MAX_ROWS).map((one) => (
          <li key={`${one.folder} ${one.name} ${one.lastModified}`}>
            <span className="uploads-name" title={one.name}>
              {pathOf(one)}
            </span>
            <span className="quiet number">{texts.arrived(percentOf(one.sent, one.size))}</span>
          </li>
        ))}
      </ul>
      <input
        ref={input}
        className="unseen"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={texts.interrupted(uploads.length)}
        onChange={({ currentTarget }) => {
          void sayChangedUrls(resume(uploads, Array.from(currentTarget.files ?? [])), canManage);
          currentTarget.value = '';
        }}
      />
      <div className="uploads-again-actions">
        <Button variant="main" icon="upload" onPress={() => input.current?.click()}>
          {texts.chooseFiles}
        </Button>
        <Button variant="plain" onPress={dismissInterrupted}>
          {texts.discard}
        </Button>
      </div>
    </div>
  );
}

/** Uploads chosen files to where they were going. @returns the new uploads */
function resume(uploads: readonly Interrupted[], files: readonly File[]): readonly Upload[] {
  const chosen = files.flatMap((file) => {
    const same = uploads.filter(
      ({ name, size, lastModified }) =>
        nameOf(name) === file.name && size === file.size && lastModified === file.lastModified,
    );
    if (same.length === 0) toast(messages.uploads.notInterrupted(file.name));
    return same.map(({ folder, name, replaces, transformations }) => ({
      file,
      folder,
      name,
      replaces,
      transformations,
    }));
  });
  return uploadQueue.add(chosen);
}
