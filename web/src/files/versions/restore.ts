import { filesChanged } from '../../api/batch.ts';
import { ApiError } from '../../api/error.ts';
import { nameOf } from '../../api/paths.ts';
import { pathOf, type Upload } from '../../api/uploads/upload.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { restoreVersion } from '../../api/versions.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { versionsMessages } from '../../messages/versions.ts';
import { dismissAbout } from '../actions/undo.ts';

/** Restores a version and reports the result. */
export const restore = (path: string, id: string): Promise<void> =>
  restoreAll([{ path, id }], () => versionsMessages.restored);

/** Restores what uploads have replaced, except what was restored since. */
export async function restoreEarlier(uploads: readonly Upload[]): Promise<void> {
  const versions = uploads.flatMap((upload) =>
    upload.earlier === undefined ? [] : [{ path: pathOf(upload), id: upload.earlier }],
  );
  const [first] = versions;
  if (first === undefined) {
    toast(messages.files.nothingToUndo);
    return;
  }
  await restoreAll(versions, (count) => versionsMessages.restoredEarlier(nameOf(first.path), count));
}

async function restoreAll(
  versions: readonly { path: string; id: string }[],
  textOf: (count: number) => string,
): Promise<void> {
  dismissAbout(versions.map(({ path }) => path));
  let restored = 0;
  for (const { path, id } of versions) {
    try {
      await restoreVersion(path, id);
      restored++;
      forget(id);
    } catch (error) {
      // It may have expired.
      if (error instanceof ApiError && error.code === 'version_not_found')
        for (const one of thoseWith(id)) uploadQueue.noteEarlier(one, undefined);
      toast(errorMessage(error));
    }
  }
  if (restored > 0) toast(textOf(restored));
  filesChanged();
}

const thoseWith = (version: string) => uploadQueue.uploads.filter(({ earlier }) => earlier === version);

/** The list of uploads no longer names a file whose content was taken back. */
function forget(version: string): void {
  for (const upload of thoseWith(version)) {
    uploadQueue.noteEarlier(upload, undefined);
    uploadQueue.dismiss(upload);
  }
}
