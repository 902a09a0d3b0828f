import { getPriority, setPriority } from 'node:os';

/**
 * Lets others have the processor before a thread. On Linux a priority is that of the thread alone; elsewhere it would be that of the
 * service.
 * @param niceness as `node:os` has it: `PRIORITY_BELOW_NORMAL` for about a tenth of what others have, `PRIORITY_LOW` for almost nothing
 */
export function lowerThreadPriority(niceness: number): void {
  try {
    if (process.platform === 'linux' && getPriority() < niceness) setPriority(niceness);
  } catch {
    // Some sandboxes do not allow it at all. What the thread does, does not depend on it.
  }
}
