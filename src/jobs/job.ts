import type { Client } from '../client.ts';
import type { StoragePath } from '../path.ts';
import { backoff } from '../queue/backoff.ts';

export const JOB_STATUSES = ['pending', 'running', 'completed', 'error', 'cancelled'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Every way in which a job goes from one state to the next. There are no others. */
export const TRANSITIONS = {
  /** A worker picks it up. */
  claim: { from: 'pending', to: 'running' },
  /** The lease of its worker ran out, because the process died or hangs: another one picks it up. */
  takeOver: { from: 'running', to: 'running' },
  progress: { from: 'running', to: 'running' },
  complete: { from: 'running', to: 'completed' },
  /** An attempt failed and another one is left: it waits for its time. */
  retryLater: { from: 'running', to: 'pending' },
  /** The last attempt failed. */
  fail: { from: 'running', to: 'error' },
  /** The server is to blame, not the video: it waits for better times, and no attempt is counted. */
  putOff: { from: 'running', to: 'pending' },
  /** Its worker stops: no attempt is counted. */
  release: { from: 'running', to: 'pending' },
  cancel: { from: 'pending', to: 'cancelled' },
  /** A person asks for another attempt. */
  retry: { from: 'error', to: 'pending' },
} as const satisfies Record<string, { from: JobStatus; to: JobStatus }>;

/** The priority of a job depends on who asks for it. The lower number goes first. */
export const PRIORITY = { visitor: 2, upload: 3 } as const;

/** The kind of work that makes a variant of a video. It alone is shown to people. */
export const TRANSCODE = 'transcode';

/** Work that is done later: a transcode of one original into one variant, or work of another kind. */
export interface Job {
  id: string;
  kind: string;
  /** What kinds other than transcodes need to know. */
  payload: string | undefined;
  /** The original. */
  path: StoragePath;
  /** The variant that it makes; for other kinds, what there may be one job for at a time. */
  variantKey: string;
  /** The canonical transformation, enough to run the job after a restart. */
  transformation: string;
  /** The original's etag when the job was asked for. */
  version: string;
  priority: number;
  status: JobStatus;
  /** Percent, 0 to 100. */
  progress: number;
  /** Attempts that failed. */
  attempts: number;
  createdAt: Date;
  /** When the present or the last attempt began. */
  startedAt: Date | undefined;
  /** When the job ended, in whatever state. */
  completedAt: Date | undefined;
  /** Why the last attempt failed; only in the state `error`. */
  error: string | undefined;
  /** Why the job cannot be done now, when the server is to blame; only in the state `pending`. */
  trouble: string | undefined;
}

export interface NewJob extends Pick<Job, 'path' | 'variantKey' | 'transformation' | 'version' | 'priority'> {
  /** The client that requests it, by the name that it has in the database. */
  client: Client;
  /** A transcode unless it is named. */
  kind?: string | undefined;
  payload?: string | undefined;
}

/** A running job in the hands of one worker. Only the holder of its lease can change it. */
export interface ClaimedJob extends Job {
  lease: string;
}

/** No job is put off for longer. A later due time was written before the clock was set back. */
export const MAX_RETRY_DELAY_MS = 60_000;

/** Delay after the nth failed attempt, in ms. */
export function retryDelay(attempts: number, firstMs: number): number {
  return backoff(attempts, { firstMs, maxMs: MAX_RETRY_DELAY_MS });
}
