import { ROOT } from '../../path.ts';
import { rootStays, taken } from '../../storage/blob-store.ts';
import type { RetentionStore } from '../../storage/retention-store.ts';
import { translatingRefusals } from './refusals.ts';
import type { Root } from './root.ts';

/**
 * View of a retention store for the files of a space. Items have ids instead of paths: callers get those from the rows
 * of the space.
 * @param isOwn true for the id of an item that has a row in the space
 */
export function rootedRetentionStore(
  base: RetentionStore,
  root: Root,
  isOwn: (id: string) => Promise<boolean>,
): RetentionStore {
  const { toOuter } = root;
  const run = <T>(work: () => Promise<T>) => translatingRefusals(root, work);
  return {
    async keep(path, id) {
      if (path === ROOT) throw rootStays();
      return run(() => base.keep(toOuter(path), id));
    },
    completeKeep: (path, id) => run(() => base.completeKeep(toOuter(path), id)),
    async giveBack(id, path) {
      if (path === ROOT) throw taken(ROOT);
      return run(() => base.giveBack(id, toOuter(path)));
    },
    keepCopy: (path, id) => run(() => base.keepCopy(toOuter(path), id)),
    open: (id, options) => base.open(id, options),
    stat: (id) => base.stat(id),
    isRestored: (id, path) => base.isRestored(id, toOuter(path)),
    files: (id) => base.files(id),
    folders: (id) => base.folders(id),
    remove: (id) => base.remove(id),
    async *walk() {
      for await (const id of base.walk()) if (await isOwn(id)) yield id;
    },
  };
}
