import type { Client } from '../client.ts';
import type { StoragePath } from '../path.ts';
import { backoff } from '../queue/backoff.ts';

export const JOB_STATUSES = ['pending', 'running', 'completed', 'error', 'cancelled'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** All transitions of a job between its states. */
export const TRANSITIONS = {
  /** A worker claims it. */
  claim: { from: 'pending', to: 'running' },
  /** The lease of its worker expired, because the process died or hangs: another worker claims it. */
  takeOver: { from: 'running', to: 'running' },
  progress: { from: 'running', to: 'running' },
  complete: { from: 'running', to: 'completed' },
  /** An attempt failed and another one is left: it waits until it is due. */
  retryLater: { from: 'running', to: 'pending' },
  /** The last attempt failed. */
  fail: { from: 'running', to: 'error' },
  /** A transient failure of the server, not of the video: deferred, and no attempt is counted. */
  defer: { from: 'running', to: 'pending' },
  /** Its worker stops: no attempt is counted. */
  release: { from: 'running', to: 'pending' },
  /** It can never run, because its space was deleted. */
  abandon: { from: 'pending', to: 'error' },
  cancel: { from: 'pending', to: 'cancelled' },
  /** A user requests another attempt. */
  retry: { from: 'error', to: 'pending' },
} as const satisfies Record<string, { from: JobStatus; to: JobStatus }>;

/** Priority of a job by its origin. The lower number goes first. */
export const PRIORITY = { visitor: 2, upload: 3 } as const;

/** A transcode of one original into one variant. */
export interface Job {
  id: string;
  /** The space that requested it, on whose services it runs; empty for the library. */
  space: string;
  /** A path of the library, also where a space requested the job. */
  path: StoragePath;
  /** Key of the variant to render. */
  variantKey: string;
  /** Canonical transformation, sufficient to run the job after a restart. */
  transformation: string;
  /** Etag of the original when the job was requested. */
  version: string;
  priority: number;
  status: JobStatus;
  /** Percent, 0 to 100. */
  progress: number;
  /** Failed attempts. */
  attempts: number;
  createdAt: Date;
  /** Start of the present or last attempt. */
  startedAt: Date | undefined;
  /** End of the job, in any state. */
  completedAt: Date | undefined;
  /** Reason of the last failure; only in the state `error`. */
  error: string | undefined;
  /** Transient failure of the server that defers the job; only in the state `pending`. */
  trouble: string | undefined;
}

export interface NewJob extends Pick<Job, 'path' | 'variantKey' | 'transformation' | 'version' | 'priority'> {
  /** Client that requests it, by its name in the database. */
  client: Client;
  /** The space that requests it. Default: the library. */
  space?: string | undefined;
}

/** A running job that one worker holds. Only the holder of its lease can change it. */
export interface ClaimedJob extends Job {
  /** Shared by jobs that are made together. */
  lease: string;
}

/** Identifies a running job that one worker holds. */
export type HeldJob = Pick<ClaimedJob, 'id' | 'lease'>;

export interface JobPage {
  limit: number;
  offset: number;
  status?: JobStatus | undefined;
  /** Only the jobs of this space. */
  space?: string | undefined;
  /** Only the jobs of this original. */
  path?: StoragePath | undefined;
}

export interface Throughput {
  completedLastHour: number;
  /** Average from start to completion, in ms; undefined without jobs. */
  averageDurationMs: number | undefined;
}

/** Limits of the number of jobs. */
export interface QueueLimits {
  /** Pending jobs of all clients. */
  pending: number;
  /** Pending jobs reserved for trusted clients; the anonymous ones share the others, at least one. */
  reserved: number;
  /** Pending and running jobs of the client that requests a new one. */
  ofClient: number;
}

/** Result of requesting a job: the job that exists now, or the limit that forbids it. */
export type AddedJob = { job: Job; isNew: boolean } | { refusal: keyof QueueLimits };

/** Maximum delay of a job, in ms. A later due time was written before the clock was set back. */
export const MAX_RETRY_DELAY_MS = 60_000;

/** Delay after the nth failed attempt, in ms. */
export function retryDelay(attempts: number, firstMs: number): number {
  return backoff(attempts, { firstMs, maxMs: MAX_RETRY_DELAY_MS });
}
