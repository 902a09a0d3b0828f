import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../errors.ts';

/** The folder of another machine's process counts as left behind when nothing in it changed for a day. */
const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Makes this process its own folder for temporary files and removes those of processes that are gone: several services may
 * share a data folder, and a killed one leaves its half files behind.
 */
export async function createTempFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const own = `${hostname()}-${process.pid}`;
  for (const name of await readdir(parent)) {
    if (name === own || (await isLeftBehind(parent, name)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, own);
  await mkdir(folder);
  return folder;
}

async function isLeftBehind(parent: string, name: string): Promise<boolean> {
  const host = `${hostname()}-`;
  const pid = name.startsWith(host) ? Number(name.slice(host.length)) : Number.NaN;
  if (Number.isSafeInteger(pid) && pid > 0) return !isRunning(pid);
  const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs > FOREIGN_AGE_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
