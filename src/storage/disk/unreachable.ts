import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { baseName, ROOT, type StoragePath } from '../../path.ts';
import type { UnreachableName } from '../backend.ts';
import { isHidden, nameIn } from './list.ts';
import { exists, isMissing, resolveInside } from './resolve.ts';

/** Implements `OpenBackend.unreachable`. Enters neither linked folders nor folders that no path leads to. */
export async function* unreachableNames(root: string): AsyncGenerator<UnreachableName> {
  const waiting: { folder: StoragePath; shown: string }[] = [{ folder: ROOT, shown: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, shown } = next;
    const real = await resolveInside(root, folder);
    if (real === undefined) continue;
    for await (const entry of entriesOf(real)) {
      const name = shown + entry.name;
      const path = await readablePath(folder, real, entry.name);
      if (path === undefined) yield { name, hiddenBy: undefined };
      else if (baseName(path) !== entry.name && (await isHidden(real, path))) yield { name, hiddenBy: path };
      else if (entry.isDirectory()) waiting.push({ folder: path, shown: `${name}/` });
    }
  }
}

/**
 * Returns undefined for a name that no path leads to, also if it is not UTF-8: Node then returns a text that leads
 * nowhere.
 */
async function readablePath(folder: StoragePath, real: string, name: string): Promise<StoragePath | undefined> {
  const isReadable = !name.includes('\ufffd') || (await exists(join(real, name)));
  return isReadable ? nameIn(folder, name) : undefined;
}

/** Yields files, folders and links; none when the folder was deleted meanwhile. */
async function* entriesOf(real: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(real))
      if (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()) yield entry;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
