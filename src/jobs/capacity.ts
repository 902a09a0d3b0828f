export interface Capacity {
  /** Maximum number of concurrent jobs. */
  maxConcurrent: number;
  /** Threads of each encoder. */
  threads: number;
  /** Maximum memory of each encoder, in bytes. */
  memoryBytes: number;
}

/** Memory that an encoder needs for a large video, in bytes. */
const BYTES_PER_JOB = 1024 ** 3;
/**
 * Memory per CPU, in bytes: a host with few CPUs is too slow for videos that need more. 4K in H.264 fits into the
 * least.
 */
const BYTES_PER_CPU = 256 * 1024 ** 2;
const LEAST_BYTES = 512 * 1024 ** 2;
const MOST_BYTES = 2 * 1024 ** 3;
/** Encoders use several threads each: two CPUs share a job well. */
const CPUS_PER_JOB = 2;

/**
 * Plans the number of concurrent jobs, their threads and their memory where the settings do not: as many as the CPUs
 * allow, but no more than fit into half of the memory. The other half is for the rest of the service.
 */
export function planCapacity(
  machine: { cpus: number; memoryBytes: number },
  limits: { [Key in keyof Capacity]?: number | undefined } = {},
): Capacity {
  const forVideos = machine.memoryBytes / 2;
  const byCpus = Math.floor(machine.cpus / CPUS_PER_JOB);
  const maxConcurrent = limits.maxConcurrent ?? Math.max(1, Math.min(Math.floor(forVideos / BYTES_PER_JOB), byCpus));
  const bySize = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, machine.cpus * BYTES_PER_CPU));
  return {
    maxConcurrent,
    threads: limits.threads ?? Math.max(1, Math.floor(machine.cpus / maxConcurrent)),
    memoryBytes: limits.memoryBytes ?? Math.floor(Math.min(bySize, forVideos / maxConcurrent)),
  };
}
