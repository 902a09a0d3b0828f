import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan, useSpace } from '../../api/access.ts';
import { root } from '../../api/base.ts';
import { filesIn, limitsQuery, type StoredFile } from '../../api/files.ts';
import { folderOf, join } from '../../api/paths.ts';
import type { Existing, Upload } from '../../api/uploads/upload.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sayChangedUrls } from './changed-urls.ts';
import type { ChosenFile } from './chosen-files.ts';
import { judgeFiles, uploadLimitsOf } from './judge-files.ts';
import { prewarmingOf } from './prewarming.ts';

const ConflictDialog = lazyComponent(() => import('./conflict-dialog.tsx').then((dialog) => dialog.ConflictDialog));

interface NameConflict {
  folder: string;
  files: readonly ChosenFile[];
  /** Existing files by the names of the new ones. */
  taken: ReadonlyMap<string, StoredFile>;
  /** Number of their batch. */
  batch: number;
}

/** What becomes of a file, whose name may be taken. */
type Choose = (name: string) => Existing | undefined;

/**
 * Validates files against the limits, resolves name conflicts and queues the upload, by default to the open folder.
 * @param onQueued called with the new uploads, and the paths of files that stay instead of a new one
 */
export function useUpload(
  openFolder: string,
  onQueued: (uploads: readonly Upload[], skipped: readonly string[]) => void,
) {
  const client = useQueryClient();
  const space = useSpace();
  // One after the other: a drop may be judged while another one waits for a decision.
  const [conflicts, setConflicts] = useState<readonly NameConflict[]>([]);
  const [conflict] = conflicts;
  const next = () => setConflicts((old) => old.slice(1));
  const canManage = useCan('manage');
  const queue = ({ folder, files, taken, batch }: NameConflict, existingOf: Choose) => {
    const isSkipped = ({ name }: ChosenFile) => existingOf(name) === 'skip';
    const prepared = prewarmingOf(root, folder);
    const uploads = uploadQueue.add(
      files
        .filter((one) => !isSkipped(one))
        .map(({ file, name }) => ({
          file,
          name,
          folder,
          replaces: existingOf(name) === 'replace',
          transformations: isPrepared(file) ? prepared : [],
        })),
      batch,
    );
    for (const { refused } of files) if (refused) uploadQueue.dismiss(refused);
    const skipped = files.filter(isSkipped).flatMap(({ name }) => taken.get(name) ?? []);
    if (skipped.length > 0) toast(messages.uploads.skippedExisting(skipped.map(({ name }) => name)));
    onQueued(uploads, folder === openFolder ? skipped.map(({ path }) => path) : []);
    void sayChangedUrls(uploads, canManage);
  };
  const judge = async (files: readonly ChosenFile[], folder: string): Promise<void> => {
    const batch = files.some(({ refused }) => refused) ? uploadQueue.batch : uploadQueue.newBatch();
    const limits = uploadLimitsOf(await client.fetchQuery(limitsQuery), space !== null);
    const { fitting, leftOut } = judgeFiles(files, limits);
    if (leftOut.length > 0)
      uploadQueue.add(
        leftOut.map(({ refused: _, ...one }) => ({ ...one, folder, replaces: false })),
        batch,
      );
    uploadQueue.limitBatch(limits.filesPerRequest);
    const taken = await takenNames(folder, fitting);
    const conflict = { folder, files: fitting, taken, batch };
    if (taken.size > 0) setConflicts((old) => [...old, conflict]);
    else queue(conflict, () => undefined);
  };
  const take = (files: readonly ChosenFile[], folder = openFolder) => {
    if (files.length > 0) judge(files, folder).catch((error) => toast(errorMessage(error)));
  };
  const dialog = conflict && (
    <ConflictDialog
      conflicts={conflict.files.flatMap(({ file, name }) => {
        const stored = conflict.taken.get(name);
        return stored === undefined ? [] : { name, file, stored };
      })}
      onClose={next}
      onChoose={(choices) => {
        next();
        queue(conflict, (name) => choices.get(name));
      }}
    />
  );
  return { take, dialog };
}

/** True if variants of a file can be prepared. The service rejects transformations for other types. */
const isPrepared = ({ type }: File) => /^(image|video)\//.test(type);

/** Existing files by the names of the new ones. */
async function takenNames(folder: string, files: readonly ChosenFile[]): Promise<ReadonlyMap<string, StoredFile>> {
  const folders = Map.groupBy(files, ({ name }) => folderOf(name));
  const taken = new Map<string, StoredFile>();
  for (const [below, inside] of folders) {
    const existing = await filesIn(join(folder, below).replace(/\/$/, ''));
    for (const { file, name } of inside) {
      const stored = existing.get(file.name);
      if (stored) taken.set(name, stored);
    }
  }
  return taken;
}
