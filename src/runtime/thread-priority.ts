import { setPriority } from 'node:os';

const NICENESS = 19;

/**
 * Lets a thread work only when nobody else wants the processor. On Linux a priority is that of the thread alone; elsewhere it would be
 * that of the service.
 */
export function lowerThreadPriority(): void {
  try {
    if (process.platform === 'linux') setPriority(NICENESS);
  } catch {
    // Some sandboxes do not allow it at all. What the thread does, does not depend on it.
  }
}
