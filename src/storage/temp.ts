import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../errors.ts';

/** Age of the last change after which the folder of another node's process counts as left behind, in ms: a day. */
const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a separate folder for temporary files of this process and removes those of dead processes: several services
 * may share a data folder, and a killed one leaves incomplete files behind.
 */
export async function createTempFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    if (await isLeftBehind(parent, name)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${hostname()}-${process.pid}-${bornAt()}-${randomUUID().slice(0, 8)}`);
  await mkdir(folder);
  return folder;
}

async function isLeftBehind(parent: string, name: string): Promise<boolean> {
  const host = `${hostname()}-`;
  const [, pid, born] = (name.startsWith(host) && /^(\d+)-(\d+)-/.exec(name.slice(host.length))) || [];
  // In a container every start has the same id.
  if (pid === String(process.pid)) return born !== bornAt();
  if (pid !== undefined) return !isRunning(Number(pid));
  const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs > FOREIGN_AGE_MS;
}

/** Returns the start time of this process, in Unix ms: distinguishes it from an earlier one with the same id. */
function bornAt(): string {
  return String(Math.round(performance.timeOrigin));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
