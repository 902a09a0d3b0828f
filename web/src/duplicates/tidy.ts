import { type BatchAction, filesChanged, type Outcome, runBatch } from '../api/batch.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { duplicatesMessages } from '../messages/duplicates.ts';

/** Moves files to the trash and offers to undo it. */
export async function tidy(paths: readonly string[]): Promise<void> {
  const done = await run({ action: 'delete', trash: true }, paths);
  if (done.length === 0) return;
  const undo = () =>
    void run({ action: 'restore' }, done).then(
      (restored) => restored.length > 0 && toast(duplicatesMessages.restored(restored.length)),
    );
  toast(duplicatesMessages.removed(done.length), { label: duplicatesMessages.undo, run: undo });
}

/** Runs a batch and reports failures. @returns the paths that succeeded */
async function run(action: BatchAction, paths: readonly string[]): Promise<string[]> {
  const items = paths.map((path) => ({ path, kind: 'file' as const }));
  let outcome: Outcome = { done: [], failed: [] };
  try {
    outcome = await runBatch(action, { items }, () => undefined, new AbortController().signal);
  } catch (error) {
    toast(errorMessage(error));
  }
  filesChanged();
  const [failure] = outcome.failed;
  if (failure) toast(duplicatesMessages.failed(outcome.failed.length, failure.error ?? ''));
  return outcome.done.map(({ path }) => path);
}
