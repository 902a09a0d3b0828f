import { folderOf } from '../../api/paths.ts';
import type { Item, Target } from '../../api/targets/targets.ts';
import { work } from './work.ts';

/** Files of a target; empty if it is a rule, or contains a folder. */
export function filesOf(target: Target): readonly Item[] {
  if ('scope' in target) return [];
  return target.items.every(({ kind }) => kind === 'file') ? target.items : [];
}

/** Copies files beside the originals. */
export async function duplicate(files: readonly Item[]): Promise<void> {
  for (const [folder, inside] of Map.groupBy(files, ({ path }) => folderOf(path)))
    await work({ action: 'copy', destination: folder }, { items: inside });
}
