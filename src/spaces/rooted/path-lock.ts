import type { PathLock } from '../../cluster/cluster.ts';
import { isReserved, type Root } from './root.ts';

/**
 * View of a lock for the paths of a space: a change there excludes those of the same files through the library. Names
 * of locks and hidden folders are the same everywhere.
 */
export function rootedPathLock(base: PathLock, { toOuter }: Root): PathLock {
  return {
    run: async (paths, work) =>
      base.run(
        paths.map((path) => (isReserved(path) ? path : toOuter(path))),
        work,
      ),
  };
}
