import { availableParallelism, totalmem } from 'node:os';

export interface Capacity {
  /** Jobs at a time. */
  maxConcurrent: number;
  /** Threads of each encoder. */
  threads: number;
  /** Memory that each encoder may hold, in bytes. */
  memoryBytes: number;
}

/** Memory that an encoder takes for a large video. */
const BYTES_PER_JOB = 1024 ** 3;
/** A machine with few CPUs is too slow for videos that need more memory. 4K in H.264 fits into the least. */
const BYTES_PER_CPU = 256 * 1024 ** 2;
const LEAST_BYTES = 512 * 1024 ** 2;
const MOST_BYTES = 2 * 1024 ** 3;
/** Encoders use several threads each: two share a job well. */
const CPUS_PER_JOB = 2;

/** What this process may use. In a container these are its limits, not the size of the machine. */
export function readMachine(): { cpus: number; memoryBytes: number } {
  // Without a limit it is 0, or a number beyond any memory.
  const limit = process.constrainedMemory();
  return { cpus: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() };
}

/**
 * Plans how many jobs run at a time, with how many threads and how much memory, where the settings do not say it: as many as the
 * CPUs allow, but no more than fit into half of the memory. The other half is for the rest of the service.
 */
export function planCapacity(
  machine: { cpus: number; memoryBytes: number },
  wanted: { [Key in keyof Capacity]?: number | undefined } = {},
): Capacity {
  const forVideos = machine.memoryBytes / 2;
  const byCpus = Math.floor(machine.cpus / CPUS_PER_JOB);
  const maxConcurrent = wanted.maxConcurrent ?? Math.max(1, Math.min(Math.floor(forVideos / BYTES_PER_JOB), byCpus));
  const bySize = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, machine.cpus * BYTES_PER_CPU));
  return {
    maxConcurrent,
    threads: wanted.threads ?? Math.max(1, Math.floor(machine.cpus / maxConcurrent)),
    memoryBytes: wanted.memoryBytes ?? Math.floor(Math.min(bySize, forVideos / maxConcurrent)),
  };
}
