import type { StoragePath } from '../path.ts';
import type { Job } from './job.ts';

/** Events of a job that clients get, field for field as documented; without the space of the job. */
type JobEventContent =
  | { type: 'job:created'; data: { jobId: string; filePath: StoragePath; status: 'pending'; priority: 2 } }
  | { type: 'job:started'; data: { jobId: string; filePath: StoragePath; status: 'running' } }
  | { type: 'job:progress'; data: { jobId: string; progress: number } }
  | { type: 'job:completed'; data: { jobId: string; filePath: StoragePath; status: 'completed' } }
  | { type: 'job:error'; data: { jobId: string; filePath: StoragePath; status: 'error'; error: string } }
  | { type: 'job:cancelled' | 'job:deleted'; data: { jobId: string } };

export type JobEventData = JobEventContent & {
  /** The space of the job; undefined for one of the library. */
  space?: string | undefined;
};

/** `id` rises with every event, also over a restart and between nodes, so that a client can request missed events. */
export type JobEvent = JobEventData & { id: number };

/** Events after an id, the oldest first. */
export interface LaterEvents {
  events: JobEvent[];
  /** The id with which to request the next events. */
  upTo: number;
  /** True if listeners have received no further events. */
  isAll: boolean;
}

/**
 * Notifies listeners of job events, and stores the last ones for clients that reconnect. Every implementation passes
 * `test/contracts/job-events.ts`.
 */
export interface JobEvents {
  /**
   * Publishes an event to all listeners, on every node.
   * @param key name of an event that could be published more than once: duplicates are dropped
   * @returns resolves when the other nodes can receive it; never rejects
   */
  publish(jobEvent: JobEventData, key?: string): Promise<void>;
  /**
   * Returns the stored events after that id, or the first of them. All of them when the id lies ahead: it is from a
   * time before the clock was set back.
   * @throws Error when they cannot be read now
   */
  since(id: number): Promise<LaterEvents>;
  /** Returns the id of the last published event; before the first event, one below its id. @throws Error as `since` */
  lastId(): Promise<number>;
  /**
   * Calls the listener with every event from now on, in the order of their ids; it must not throw. Returns the function
   * that unsubscribes it.
   */
  subscribe(listener: (event: JobEvent) => void): () => void;
  /** Waits briefly until the pending events are published, as far as possible. */
  close(): Promise<void>;
}

/** The part of the events that their listeners use. */
export type JobEventReads = Pick<JobEvents, 'since' | 'lastId' | 'subscribe'>;

/** Maximum number of events that `since` returns. */
export const EVENTS_AT_A_TIME = 500;

const named = ({ id, path }: Job) => ({ jobId: id, filePath: path });
const spaceOf = ({ space }: Job) => (space === '' ? undefined : space);

export const jobEvent = {
  /** The priority is always 2, as documented, regardless of the job's own. */
  created: (job: Job): JobEventData => ({
    type: 'job:created',
    data: { ...named(job), status: 'pending', priority: 2 },
    space: spaceOf(job),
  }),
  started: (job: Job): JobEventData => ({
    type: 'job:started',
    data: { ...named(job), status: 'running' },
    space: spaceOf(job),
  }),
  progress: (jobId: string, progress: number, space?: string): JobEventData => ({
    type: 'job:progress',
    data: { jobId, progress },
    space: space || undefined,
  }),
  completed: (job: Job): JobEventData => ({
    type: 'job:completed',
    data: { ...named(job), status: 'completed' },
    space: spaceOf(job),
  }),
  failed: (job: Job): JobEventData => ({
    type: 'job:error',
    data: { ...named(job), status: 'error', error: job.error ?? FAILED },
    space: spaceOf(job),
  }),
  cancelled: (job: Job): JobEventData => ({ type: 'job:cancelled', data: { jobId: job.id }, space: spaceOf(job) }),
  deleted: (job: Job): JobEventData => ({ type: 'job:deleted', data: { jobId: job.id }, space: spaceOf(job) }),
};

const FAILED = 'The job failed.';

/**
 * Returns an event for listeners who may not know its file: every field, with the id of the job instead of the path.
 * Job ids are random, so a guessed path cannot be tested against one. The reason of a failure may name other files.
 */
export function withoutPath({ type, id, data }: JobEvent): { type: string; id: number; data: object } {
  if (!('filePath' in data)) return { type, id, data };
  const anonymous = { ...data, filePath: data.jobId };
  return { type, id, data: 'error' in data ? { ...anonymous, error: FAILED } : anonymous };
}

/** Returns the event that reports the end of a job. */
export function endEvent(job: Job): JobEventData {
  if (job.status === 'error') return jobEvent.failed(job);
  return job.status === 'cancelled' ? jobEvent.cancelled(job) : jobEvent.completed(job);
}

/** Returns the key of the event of a job's end: every process that finds the job ended computes the same one. */
export function endOf({ id, status, completedAt }: Job): string {
  return `${id} ${status} ${completedAt?.toISOString()}`;
}
