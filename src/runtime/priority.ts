import { readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** On Linux each thread has its own priority, and an entry here. */
const THREADS = '/proc/self/task';
/** In `node:os`: the process, and on Linux the calling thread. */
const CALLER = 0;

/**
 * Lowers the priority of this process: all its threads, and those that they start. A lower priority stays, because only
 * root may raise it.
 * @param niceness as in `node:os`: `PRIORITY_BELOW_NORMAL` for about a tenth of the CPU time of other processes,
 * `PRIORITY_LOW` for almost none
 */
export async function lowerPriority(niceness: number): Promise<void> {
  const threads = await readdir(THREADS).catch(() => [CALLER]);
  for (const thread of threads) lowerPriorityOf(Number(thread), niceness);
}

/** Like `lowerPriority`, for the calling thread alone. Does nothing where threads have no priority of their own. */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform === 'linux') lowerPriorityOf(CALLER, niceness);
}

/**
 * Like `lowerPriority`, for a process with a single thread so far: threads that it starts inherit it.
 * @param id of a process, or on Linux of a thread
 */
export function lowerPriorityOf(id: number, niceness: number): void {
  try {
    if (getPriority(id) < niceness) setPriority(id, niceness);
  } catch {
    // The process has ended, or a sandbox forbids it. Nothing depends on the priority.
  }
}
