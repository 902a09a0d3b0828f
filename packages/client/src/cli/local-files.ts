import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Failure } from './command.ts';
import { plain } from './printable.ts';

/** A local file, and its path in the library. */
export interface LocalFile {
  file: string;
  path: string;
  /** Bytes. */
  size: number;
}

/**
 * Lists files, and files in folders under the folder's name: `photos` with `rome/a.jpg` in it gives
 * `photos/rome/a.jpg`.
 * @throws Failure for a missing name
 */
export async function namedFiles(names: readonly string[]): Promise<LocalFile[]> {
  const found: LocalFile[] = [];
  for (const name of names) {
    const own = basename(resolve(name));
    const about = await statOf(name);
    if (about.isDirectory()) for await (const file of below(name, `${own}/`)) found.push(file);
    else found.push({ file: name, path: own, size: about.size });
  }
  return found;
}

/**
 * Lists all files below a folder. Dot files are skipped, and links, which may lead anywhere.
 * @throws Failure if it is not a folder
 */
export async function filesIn(folder: string): Promise<LocalFile[]> {
  if (!(await statOf(folder)).isDirectory()) throw new Failure(`${plain(folder)} is no folder.`);
  const found: LocalFile[] = [];
  for await (const file of below(folder, '')) found.push(file);
  return found;
}

async function* below(folder: string, prefix: string): AsyncGenerator<LocalFile> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* below(file, `${prefix}${entry.name}/`);
    else if (entry.isFile()) yield { file, path: prefix + entry.name, size: (await statOf(file)).size };
  }
}

/** @throws Failure if it is missing or unreadable */
async function statOf(name: string) {
  try {
    return await stat(name);
  } catch (error) {
    throw new Failure(plain(error instanceof Error ? error.message : String(error)));
  }
}
