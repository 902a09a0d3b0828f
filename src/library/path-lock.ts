import { KeyedLock } from '../concurrency.ts';
import { isWithin, type StoragePath } from '../path.ts';

/** Serialises changes by path: work on a folder excludes all work inside it, and the root excludes everything. */
export type PathLock = KeyedLock<StoragePath>;

export function createPathLock(): PathLock {
  return new KeyedLock((one, other) => isWithin(one, other) || isWithin(other, one));
}
