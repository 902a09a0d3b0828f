import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan, useSpace } from '../../api/access.ts';
import { root } from '../../api/base.ts';
import { limitsQuery, namesIn } from '../../api/files.ts';
import type { Existing, Upload } from '../../api/uploads/queue.ts';
import { uploadQueue } from '../../api/uploads/uploads.ts';
import { Button } from '../../components/button.tsx';
import { ModalDialog } from '../../components/dialog.tsx';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { folderOf, join } from '../entry.ts';
import type { ChosenFile } from './chosen-files.ts';
import { judgeFiles, uploadLimitsOf } from './judge-files.ts';
import { prewarmingOf } from './prewarming.ts';

interface NameConflict {
  folder: string;
  files: readonly ChosenFile[];
  taken: ReadonlySet<string>;
}

/**
 * Validates files against the limits, resolves name conflicts and queues the upload, by default to the open folder.
 * @param onQueued called with the new uploads
 */
export function useUpload(openFolder: string, onQueued: (uploads: readonly Upload[]) => void) {
  const client = useQueryClient();
  const space = useSpace();
  // One after the other: a drop may be judged while another one waits for a decision.
  const [conflicts, setConflicts] = useState<readonly NameConflict[]>([]);
  const [conflict] = conflicts;
  const next = () => setConflicts((old) => old.slice(1));
  const queue = ({ folder, files, taken }: NameConflict, existing: Existing) =>
    onQueued(
      uploadQueue.add(
        files
          .filter(({ name }) => existing !== 'skip' || !taken.has(name))
          .map((one) => ({
            ...one,
            folder,
            replaces: existing === 'replace' && taken.has(one.name),
            transformations: preparedOf(one.file, folder),
          })),
      ),
    );
  const judge = async (files: readonly ChosenFile[], folder: string): Promise<void> => {
    const limits = uploadLimitsOf(await client.fetchQuery(limitsQuery), space !== null);
    const { fitting, leftOut } = judgeFiles(files, limits);
    if (leftOut.length > 0) uploadQueue.add(leftOut.map((one) => ({ ...one, folder, replaces: false })));
    uploadQueue.limitBatch(limits.filesPerRequest);
    const taken = await takenNames(folder, fitting);
    if (taken.size > 0) setConflicts((old) => [...old, { folder, files: fitting, taken }]);
    else queue({ folder, files: fitting, taken }, 'keep both');
  };
  const take = (files: readonly ChosenFile[], folder = openFolder) => {
    if (files.length > 0) judge(files, folder).catch((error) => toast(errorMessage(error)));
  };
  const dialog = conflict && (
    <ConflictDialog
      count={conflict.taken.size}
      onClose={next}
      onChoose={(existing) => {
        next();
        queue(conflict, existing);
      }}
    />
  );
  return { take, dialog };
}

/** Transformations to prepare for a file. The service rejects them for other types. */
const preparedOf = ({ type }: File, folder: string) =>
  /^(image|video)\//.test(type) ? prewarmingOf(root, folder) : [];

/** Files whose name is taken. */
async function takenNames(folder: string, files: readonly ChosenFile[]): Promise<ReadonlySet<string>> {
  const folders = Map.groupBy(files, ({ name }) => folderOf(name));
  const taken = new Set<string>();
  for (const [below, inside] of folders) {
    const names = await namesIn(join(folder, below).replace(/\/$/, ''));
    for (const { file, name } of inside) if (names.has(file.name)) taken.add(name);
  }
  return taken;
}

function ConflictDialog(props: { count: number; onChoose(existing: Existing): void; onClose(): void }) {
  const { count, onChoose, onClose } = props;
  const { uploads } = messages;
  const canReplace = useCan('manage');
  return (
    <ModalDialog title={uploads.conflicts(count)} text={uploads.conflictsText} isOpen onClose={onClose}>
      <div className="choices">
        <Button variant="main" wide autoFocus onPress={() => onChoose('keep both')}>
          {uploads.keepBoth}
        </Button>
        {canReplace && (
          <Button wide onPress={() => onChoose('replace')}>
            {uploads.replace}
          </Button>
        )}
        <Button wide onPress={() => onChoose('skip')}>
          {uploads.skip}
        </Button>
        <Button variant="plain" wide onPress={onClose}>
          {messages.cancel}
        </Button>
      </div>
    </ModalDialog>
  );
}
