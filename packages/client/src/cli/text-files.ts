import { chown, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { Failure } from './command.ts';
import { namedFiles } from './local-files.ts';
import { plain } from './printable.ts';

/** Larger texts are data. */
const MAX_BYTES = 64 * 1024 * 1024;
const NOT_ONES_OWN = /(?:^|\/)node_modules\//;

/** Lists files, and files in folders. @throws Failure for a missing name */
export async function textFiles(names: readonly string[]): Promise<string[]> {
  const files = await namedFiles(names);
  return files.filter(({ path, size }) => size <= MAX_BYTES && !NOT_ONES_OWN.test(path)).map(({ file }) => file);
}

/** Returns the bytes of a file as latin1, which preserves each; undefined if it is not text. @throws Failure */
export async function readText(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file)).toString('latin1');
    return text.includes('\0') ? undefined : text;
  } catch (error) {
    throw new Failure(plain(error instanceof Error ? error.message : String(error)));
  }
}

/** Replaces a file atomically: readers see the old text or the new one. @throws Failure */
export async function replaceText(file: string, text: string): Promise<void> {
  const target = await realpath(file);
  const temporary = `${target}.darkroom-${process.pid}`;
  try {
    const { mode, uid, gid } = await stat(target);
    const handle = await open(temporary, 'wx', mode & 0o777);
    try {
      await handle.chmod(mode & 0o777);
      await handle.writeFile(text, 'latin1');
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Only root may change the owner.
    await chown(temporary, uid, gid).catch(() => undefined);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new Failure(plain(error instanceof Error ? error.message : String(error)));
  }
}

/** Returns the line of a position, from 1. */
export function lineOf(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
