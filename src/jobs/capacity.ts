import { availableParallelism, totalmem } from 'node:os';

export interface Capacity {
  /** Jobs at a time. */
  maxConcurrent: number;
  /** Threads of each encoder. */
  threads: number;
}

/** What an encoder of a large video takes. */
const BYTES_PER_JOB = 1024 ** 3;
/** Encoders use several threads each: two share a job well. */
const CPUS_PER_JOB = 2;

/** What this process may use: of a container its limits, not the machine's size. */
export function readMachine(): { cpus: number; memoryBytes: number } {
  // Without a limit it is 0, or a number beyond any memory.
  const limit = process.constrainedMemory();
  return { cpus: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() };
}

/**
 * How many jobs run at a time and with how many threads, where the settings leave it open: as many as there are CPUs for,
 * but no more than the memory holds, half of which belongs to the rest of the service.
 */
export function planCapacity(
  machine: { cpus: number; memoryBytes: number },
  wanted: { maxConcurrent?: number | undefined; threads?: number | undefined } = {},
): Capacity {
  const byMemory = Math.floor(machine.memoryBytes / 2 / BYTES_PER_JOB);
  const byCpus = Math.floor(machine.cpus / CPUS_PER_JOB);
  const maxConcurrent = wanted.maxConcurrent ?? Math.max(1, Math.min(byMemory, byCpus));
  return { maxConcurrent, threads: wanted.threads ?? Math.max(1, Math.floor(machine.cpus / maxConcurrent)) };
}
