import { readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** On Linux each thread has a priority of its own, and a name here. */
const THREADS = '/proc/self/task';
/** In `node:os`: the process, and on Linux the calling thread. */
const CALLER = 0;

/**
 * Lets others have the processor before this process: all its threads, and those that they start.
 * A priority that is already lower stays, because only root may raise it.
 * @param niceness as `node:os` has it: `PRIORITY_BELOW_NORMAL` for about a tenth of what others have, `PRIORITY_LOW` for almost nothing
 */
export async function lowerPriority(niceness: number): Promise<void> {
  const threads = await readdir(THREADS).catch(() => [CALLER]);
  for (const thread of threads) lowerPriorityOf(Number(thread), niceness);
}

/** As `lowerPriority`, for the calling thread alone. Where threads have no priority of their own, nothing happens. */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform === 'linux') lowerPriorityOf(CALLER, niceness);
}

/**
 * As `lowerPriority`, of a process that has one thread so far: those that it starts inherit it.
 * @param id of a process, or on Linux of a thread
 */
export function lowerPriorityOf(id: number, niceness: number): void {
  try {
    if (getPriority(id) < niceness) setPriority(id, niceness);
  } catch {
    // It has ended, or a sandbox does not allow it at all. Nothing that is done depends on it.
  }
}
