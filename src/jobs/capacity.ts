import { availableParallelism, totalmem } from 'node:os';

export interface Capacity {
  /** Jobs at a time. */
  maxConcurrent: number;
  /** Threads of each encoder. */
  threads: number;
  /** Memory that each encoder may hold, in bytes. */
  memoryBytes: number;
}

/** What an encoder of a large video takes. */
const BYTES_PER_JOB = 1024 ** 3;
/** A machine with few CPUs is too slow for what needs more; 4K in H.264 fits into the least. */
const BYTES_PER_CPU = 256 * 1024 ** 2;
const [LEAST_BYTES, MOST_BYTES] = [512 * 1024 ** 2, 2 * 1024 ** 3];
/** Encoders use several threads each: two share a job well. */
const CPUS_PER_JOB = 2;

/** What this process may use: of a container its limits, not the machine's size. */
export function readMachine(): { cpus: number; memoryBytes: number } {
  // Without a limit it is 0, or a number beyond any memory.
  const limit = process.constrainedMemory();
  return { cpus: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() };
}

/**
 * How many jobs run at a time, with how many threads and how much memory, where the settings leave it open: as many as there
 * are CPUs for, but no more than the memory holds, half of which belongs to the rest of the service.
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
