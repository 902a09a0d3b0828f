import type { PathLock } from '../../cluster/cluster.ts';
import { toOuterOrHidden } from './records.ts';
import type { Root } from './root.ts';

/**
 * View of a lock for the paths of a space: a change there excludes those of the same files through the library. Names
 * of locks and hidden folders are the same everywhere.
 */
export function rootedPathLock(base: PathLock, root: Root): PathLock {
  return {
    run: async (paths, work) =>
      base.run(
        paths.map((path) => toOuterOrHidden(path, root)),
        work,
      ),
  };
}
