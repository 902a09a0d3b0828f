import { LIBRARY } from '../api/space-path.ts';
import type { Space } from '../api/types.ts';

/** Rule that makes a folder private. */
export interface PrivateRule {
  /** Path in the shown library or space. */
  path: string;
  spaceId: string;
  /** As the rule names it: relative to its space. */
  named: string;
}

/** Rules about folders of the library: its own, and those of all spaces in it. */
export function rulesInLibrary(spaces: readonly Space[]): PrivateRule[] {
  return spaces.flatMap(({ id, folder, privateFolders }) =>
    privateFolders.map((named) => ({
      path: id === LIBRARY || folder === null ? named : `${folder}/${named}`,
      spaceId: id,
      named,
    })),
  );
}

/** Rules inside of a space. */
export function rulesInSpace({ id, privateFolders }: Space): PrivateRule[] {
  return privateFolders.map((named) => ({ path: named, spaceId: id, named }));
}

/** As the service compares paths: disks may ignore case and composition. */
const folded = (path: string) => path.normalize('NFC').toLowerCase();

/** True if a rule names a folder, or one above it. */
export function isPrivateBy(rules: readonly PrivateRule[], path: string): boolean {
  const wanted = `${folded(path)}/`;
  return rules.some((rule) => wanted.startsWith(`${folded(rule.path)}/`));
}

/** Rules that name exactly this folder. */
export function rulesNaming(rules: readonly PrivateRule[], path: string): PrivateRule[] {
  return rules.filter((rule) => folded(rule.path) === folded(path));
}
