import type { StoragePath } from '../path.ts';
import type { Job } from './job.ts';

/** The events of a job that clients get, field for field as documented. */
export type JobNews =
  | { type: 'job:created'; data: { jobId: string; filePath: StoragePath; status: 'pending'; priority: 2 } }
  | { type: 'job:started'; data: { jobId: string; filePath: StoragePath; status: 'running' } }
  | { type: 'job:progress'; data: { jobId: string; progress: number } }
  | { type: 'job:completed'; data: { jobId: string; filePath: StoragePath; status: 'completed' } }
  | { type: 'job:error'; data: { jobId: string; filePath: StoragePath; status: 'error'; error: string } };

/** `id` rises with every event, also over a restart, so that a client can ask for what it missed. */
export type JobEvent = JobNews & { id: number };

const REMEMBERED = 1000;

export type JobEvents = ReturnType<typeof createJobEvents>;

/**
 * Tells listeners what happens to jobs, and remembers the last events for clients that come back.
 * @param now milliseconds since 1970; they begin the ids
 */
export function createJobEvents(options: { remembered?: number; now?: () => number } = {}) {
  const { remembered = REMEMBERED, now = Date.now } = options;
  const listeners = new Set<(event: JobEvent) => void>();
  const past: JobEvent[] = [];
  // The ids of a later process begin later: a thousand events fit into each millisecond of a process.
  let nextId = now() * 1000;

  return {
    publish(news: JobNews): void {
      const event = { ...news, id: nextId++ };
      past.push(event);
      if (past.length > remembered) past.shift();
      for (const listener of [...listeners]) listener(event);
    },
    /**
     * The remembered events after the one of that id, the oldest first. All of them when the id lies ahead: it is of a process
     * that began before the clock was set back.
     */
    since: (id: number) => past.filter((event) => event.id > id || id >= nextId),
    /** The id of the last event; before the first event, one below its id. */
    lastId: () => nextId - 1,
    /** Calls the listener with every event from now on; it must not throw. Returns the function that ends this. */
    subscribe(listener: (event: JobEvent) => void): () => void {
      // Wrapped, so that one function may subscribe twice.
      const own = (event: JobEvent) => listener(event);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}

const named = ({ id, path }: Job) => ({ jobId: id, filePath: path });

export const news = {
  /** The priority is always 2, as documented, whatever the job's own is. */
  created: (job: Job): JobNews => ({ type: 'job:created', data: { ...named(job), status: 'pending', priority: 2 } }),
  started: (job: Job): JobNews => ({ type: 'job:started', data: { ...named(job), status: 'running' } }),
  progress: (jobId: string, progress: number): JobNews => ({ type: 'job:progress', data: { jobId, progress } }),
  completed: (job: Job): JobNews => ({ type: 'job:completed', data: { ...named(job), status: 'completed' } }),
  failed: (job: Job): JobNews => ({
    type: 'job:error',
    data: { ...named(job), status: 'error', error: job.error ?? 'The job failed.' },
  }),
};
