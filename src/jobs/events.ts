import type { StoragePath } from '../path.ts';
import type { Job } from './job.ts';

/** The events of a job that clients get, field for field as documented. */
export type JobNews =
  | { type: 'job:created'; data: { jobId: string; filePath: StoragePath; status: 'pending'; priority: 2 } }
  | { type: 'job:started'; data: { jobId: string; filePath: StoragePath; status: 'running' } }
  | { type: 'job:progress'; data: { jobId: string; progress: number } }
  | { type: 'job:completed'; data: { jobId: string; filePath: StoragePath; status: 'completed' } }
  | { type: 'job:error'; data: { jobId: string; filePath: StoragePath; status: 'error'; error: string } }
  | { type: 'job:cancelled' | 'job:deleted'; data: { jobId: string } };

/** `id` rises with every event, also over a restart and between nodes, so that a client can ask for what it missed. */
export type JobEvent = JobNews & { id: number };

/** The events that came after one, the oldest first. */
export interface LaterEvents {
  events: JobEvent[];
  /** With this id one asks for those that come next. */
  upTo: number;
  /** Whether there are no more of them that listeners have been told. */
  isAll: boolean;
}

/**
 * Tells listeners what happens to jobs, and remembers the last events for clients that come back. Every implementation passes
 * `test/contracts/job-events.ts`.
 */
export interface JobEvents {
  /**
   * Tells all listeners, on every node.
   * @param key the name of the event, where it could be told more than once: then it is not told again
   * @returns resolves when the other nodes can hear of it; it never fails
   */
  publish(news: JobNews, key?: string): Promise<void>;
  /**
   * The remembered events after the one of that id, or the first of them. All of them when the id lies ahead: it is of a time before
   * the clock was set back.
   * @throws Error when they cannot be read now
   */
  since(id: number): Promise<LaterEvents>;
  /** The id of the last event that listeners were told; before the first event, one below its id. @throws Error as `since` */
  lastId(): Promise<number>;
  /** Calls the listener with every event from now on, in the order of their ids; it must not throw. Returns what ends this. */
  subscribe(listener: (event: JobEvent) => void): () => void;
  /** Waits for a moment until everything has been told that can be. */
  close(): Promise<void>;
}

/** How many events `since` gives at a time. */
export const EVENTS_AT_A_TIME = 500;

const named = ({ id, path }: Job) => ({ jobId: id, filePath: path });

export const news = {
  /** The priority is always 2, as documented, whatever the job's own is. */
  created: (job: Job): JobNews => ({ type: 'job:created', data: { ...named(job), status: 'pending', priority: 2 } }),
  started: (job: Job): JobNews => ({ type: 'job:started', data: { ...named(job), status: 'running' } }),
  progress: (jobId: string, progress: number): JobNews => ({ type: 'job:progress', data: { jobId, progress } }),
  completed: (job: Job): JobNews => ({ type: 'job:completed', data: { ...named(job), status: 'completed' } }),
  failed: (job: Job): JobNews => ({
    type: 'job:error',
    data: { ...named(job), status: 'error', error: job.error ?? FAILED },
  }),
  cancelled: ({ id }: Job): JobNews => ({ type: 'job:cancelled', data: { jobId: id } }),
  deleted: ({ id }: Job): JobNews => ({ type: 'job:deleted', data: { jobId: id } }),
};

const FAILED = 'The job failed.';

/**
 * Returns the form of an event for listeners who may not know its file: every field, with the id of the job in the place of the path.
 * Job ids are random, so nobody can test a guessed path against one. The reason of a failure may name other files.
 */
export function withoutPath({ type, id, data }: JobEvent): { type: string; id: number; data: object } {
  if (!('filePath' in data)) return { type, id, data };
  const anonymous = { ...data, filePath: data.jobId };
  return { type, id, data: 'error' in data ? { ...anonymous, error: FAILED } : anonymous };
}

/** What tells how a job ended. */
export function newsOfEnd(job: Job): JobNews {
  if (job.status === 'error') return news.failed(job);
  return job.status === 'cancelled' ? news.cancelled(job) : news.completed(job);
}

/** The name of the event that tells how a job ended: whoever finds the job ended gives the event the same one. */
export function endOf({ id, status, completedAt }: Job): string {
  return `${id} ${status} ${completedAt?.toISOString()}`;
}
