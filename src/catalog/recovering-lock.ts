import type { PathLock } from '../cluster/cluster.ts';
import type { StoragePath } from '../path.ts';
import { hiddenFolder, hiddenId } from './hidden.ts';
import type { Intent } from './records.ts';
import type { TrashRecovery } from './trash-recovery.ts';

/**
 * Wraps a lock so that a change first recovers the unfinished moves into the trash, or back, at, above or below its
 * paths. A move that is recovered later could find another file there, or a file that has moved away.
 */
export function recoverFirst(lock: PathLock, recovery: Pick<TrashRecovery, 'recoverAgain' | 'unfinishedAt'>): PathLock {
  return {
    async run(paths, work) {
      for (;;) {
        const unfinished = recovery.unfinishedAt(paths);
        // One call locks all, so that nothing deadlocks.
        const outcome = await lock.run([...paths, ...unfinished.flatMap(pathsOf)], async () => {
          const present = recovery.unfinishedAt(paths);
          // The change before this one has just failed.
          if (present.some((intent) => !unfinished.includes(intent))) return undefined;
          for (const intent of present) await recovery.recoverAgain(intent);
          return { result: await work() };
        });
        if (outcome) return outcome.result;
      }
    },
  };
}

/** Returns the paths of a move, and the folder of its item. */
function pathsOf({ from, to }: Intent): StoragePath[] {
  const paths = [from, to ?? from];
  const ids = paths.map(hiddenId).filter((id) => id !== undefined);
  return [...paths, ...ids.map(hiddenFolder)];
}
