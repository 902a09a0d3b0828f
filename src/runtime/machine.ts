import { availableParallelism, totalmem } from 'node:os';

/** Returns the resources of this process. In a container these are its limits, not the size of the host. */
export function readMachine(): { cpus: number; memoryBytes: number } {
  // Without a limit it is 0, or a number beyond any memory.
  const limit = process.constrainedMemory();
  return { cpus: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() };
}
