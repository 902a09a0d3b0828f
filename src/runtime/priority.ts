import { getPriority, setPriority } from 'node:os';

/**
 * Lets others have the processor before this process; on Linux, before the thread that calls it and those that it starts afterwards.
 * A priority that is already lower stays, because only root may raise it.
 * @param niceness as `node:os` has it: `PRIORITY_BELOW_NORMAL` for about a tenth of what others have, `PRIORITY_LOW` for almost nothing
 */
export function lowerPriority(niceness: number): void {
  try {
    if (getPriority() < niceness) setPriority(niceness);
  } catch {
    // Some sandboxes do not allow it at all. Nothing that is done depends on it.
  }
}

/** As `lowerPriority`, in a thread. Where that would be the priority of the whole service, nothing happens. */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform === 'linux') lowerPriority(niceness);
}
