import { useState } from 'react';
import { filesChanged } from '../api/batch.ts';
import { forEachItem, removeItem, restoreItem } from '../api/trash.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { trashMessages } from '../messages/trash.ts';

type Parts = Parameters<typeof forEachItem>[0];

const KINDS = {
  restore: { run: restoreItem, done: trashMessages.restoredMany, busy: trashMessages.restoring },
  remove: { run: removeItem, done: trashMessages.removedMany, busy: trashMessages.removing },
};

/** A change of many items in progress. */
export interface Progress {
  text: string;
  stop(): void;
}

/** Restores or deletes many items, and reports how far it is. */
export function useMany() {
  const [progress, setProgress] = useState<Progress>();
  const run = async (kind: keyof typeof KINDS, parts: (signal: AbortSignal) => Parts): Promise<void> => {
    const { run: change, done, busy } = KINDS[kind];
    const abort = new AbortController();
    const show = (finished: number) => setProgress({ text: busy(finished), stop: () => abort.abort() });
    show(0);
    try {
      const outcome = await forEachItem(parts(abort.signal), change, show, abort.signal);
      if (outcome.done > 0) toast(done(outcome.done));
      const [first] = outcome.failed;
      if (first !== undefined) toast(trashMessages.failed(outcome.failed.length, errorMessage(first)));
    } catch (error) {
      toast(errorMessage(error));
    }
    setProgress(undefined);
    filesChanged();
  };
  return { progress, run };
}
