import { LIBRARY } from '../api/space-path.ts';
import type { Space } from '../api/types.ts';

/** Folder of the library or of a space, as its rules name it. */
export interface PrivateFolder {
  spaceId: string;
  /** Relative to the space. */
  folder: string;
}

/** Rule that makes a folder private. */
export interface PrivateRule extends PrivateFolder {
  /** Folded path in the shown library or space. */
  key: string;
}

type Listed = Pick<Space, 'id' | 'folder' | 'privateFolders'>;

/** Compares as the service does: disks may ignore case and composition. The slash ends the last name. */
const keyOf = (path: string) => `${path.normalize('NFC').toLowerCase()}/`;

/**
 * Rules about the shown folders. In the library: its own, and those of all spaces in it.
 * @param here id of the shown space
 */
export function rulesIn(spaces: readonly Listed[], here: string): PrivateRule[] {
  return spaces
    .filter(({ id }) => here === LIBRARY || id === here)
    .flatMap(({ id, folder, privateFolders }) => {
      const base = id === here ? '' : `${folder}/`;
      return privateFolders.map((named) => ({ key: keyOf(base + named), spaceId: id, folder: named }));
    });
}

/** True if a rule names a folder, or one above it. */
export function isPrivateBy(rules: readonly PrivateRule[], path: string): boolean {
  const wanted = keyOf(path);
  return rules.some(({ key }) => wanted.startsWith(key));
}

/** Rules that name exactly this folder. */
export function rulesNaming(rules: readonly PrivateRule[], path: string): PrivateRule[] {
  const wanted = keyOf(path);
  return rules.filter(({ key }) => key === wanted);
}

/**
 * Finds whose rules can make a folder private: in the library, those of the space in which it lies.
 * @param here id of the shown space
 * @returns undefined for the folder of a space, which its own rules cannot name
 */
export function ownerOf(spaces: readonly Listed[], here: string, path: string): PrivateFolder | undefined {
  const isAround = ({ id, folder }: Listed) => id !== here && folder !== null && keyOf(path).startsWith(keyOf(folder));
  const space = here === LIBRARY ? spaces.find(isAround) : undefined;
  if (space === undefined) return { spaceId: here, folder: path };
  const depth = space.folder?.split('/').length;
  const folder = path.split('/').slice(depth).join('/');
  return folder === '' ? undefined : { spaceId: space.id, folder };
}
