import type { Variables } from './variables.ts';

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

export function arrangeEvents(values: Variables) {
  return {
    maxClients: values.MAX_EVENT_CLIENTS,
    maxClientsPerAddress: values.MAX_EVENT_CLIENTS_PER_ADDRESS,
    heartbeatMs: values.EVENTS_HEARTBEAT_MS,
    /** True where events name files to everyone. */
    areNamed: values.PUBLIC_EVENTS === 'full',
  };
}

export function arrangeVideo(values: Variables) {
  return {
    /** Whether this node does jobs; those that it takes from clients are done elsewhere otherwise. */
    hasWorker: values.JOB_WORKER === 'true',
    maxConcurrent: values.VIDEO_MAX_CONCURRENT,
    threads: values.VIDEO_FFMPEG_THREADS,
    niceness: values.VIDEO_FFMPEG_NICENESS,
    stallMs: values.VIDEO_STALL_TIMEOUT_MS,
    timeoutMs: values.VIDEO_TIMEOUT_MS,
    memoryBytes: values.VIDEO_MEMORY_MB === undefined ? undefined : values.VIDEO_MEMORY_MB * MEGABYTE,
    queueMax: values.VIDEO_QUEUE_MAX,
    queueMaxPerClient: values.VIDEO_QUEUE_MAX_PER_CLIENT,
    retryMax: values.VIDEO_JOB_RETRY_MAX,
    retryDelayMs: values.VIDEO_JOB_RETRY_DELAY_MS,
    cleanupMs: values.VIDEO_JOB_CLEANUP_HOURS * HOUR_MS,
    leaseMs: values.VIDEO_JOB_LEASE_MS,
    pollIntervalMs: values.VIDEO_POLL_INTERVAL_MS,
  };
}
