import { type StoragePath, withFoldersAbove } from '../path.ts';
import { foldPath, LIBRARY, MAX_PRIVATE_FOLDERS, type Space } from './space.ts';

/** Private folders beyond a limit. */
export interface Excess {
  /** Id of the space in which they lie; that of the library for those outside of all spaces. */
  region: string;
  count: number;
  max: number;
}

/**
 * Counts the private folders of a space, or those of the library by the space in which they lie: what happens in one
 * space takes nothing from the library and from other spaces.
 * @param times what may be there at a moment: twice as many while something moves
 * @returns a region that would have more than it may have, and more than it has; undefined if there is none
 */
export function findExcess(
  owner: Space,
  after: readonly StoragePath[],
  spaces: readonly Space[],
  times = 1,
): Excess | undefined {
  if (after.length <= times * MAX_PRIVATE_FOLDERS) return undefined;
  const countsOf = countsBy(owner, spaces);
  const present = countsOf(owner.rules.privateFolders ?? []);
  for (const [region, count] of countsOf(after)) {
    const max = times * Math.max(MAX_PRIVATE_FOLDERS, present.get(region) ?? 0);
    if (count > max) return { region, count, max };
  }
  return undefined;
}

function countsBy(owner: Space, spaces: readonly Space[]) {
  const regions = new Map<StoragePath, string>();
  if (owner.id === LIBRARY) for (const { id, folder } of spaces) if (id !== LIBRARY) regions.set(foldPath(folder), id);
  const regionOf = (folder: StoragePath) => {
    const around = withFoldersAbove(foldPath(folder)).find((path) => regions.has(path));
    return (around && regions.get(around)) ?? owner.id;
  };
  return (folders: readonly StoragePath[]): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const folder of folders) {
      const region = regionOf(folder);
      counts.set(region, (counts.get(region) ?? 0) + 1);
    }
    return counts;
  };
}
