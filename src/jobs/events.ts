import type { StoragePath } from '../path.ts';
import type { Job } from './job.ts';

/** What the world is told of a job, field for field as documented. */
export type JobNews =
  | { type: 'job:created'; data: { jobId: string; filePath: StoragePath; status: 'pending'; priority: 2 } }
  | { type: 'job:started'; data: { jobId: string; filePath: StoragePath; status: 'running' } }
  | { type: 'job:progress'; data: { jobId: string; progress: number } }
  | { type: 'job:completed'; data: { jobId: string; filePath: StoragePath; status: 'completed' } }
  | { type: 'job:error'; data: { jobId: string; filePath: StoragePath; status: 'error'; error: string } };

/** `id` rises with every event, also over a restart, so that a client can ask for what it missed. */
export type JobEvent = JobNews & { id: number };

export interface JobEvents {
  publish(news: JobNews): void;
  /**
   * The events after the one of that id, as far back as they are remembered, the oldest first. All of them after an id that
   * is yet to come: its process began before the clock was set back.
   */
  since(id: number): JobEvent[];
  /** The id of the last event; without any, one that is before the first. */
  lastId(): number;
  /** Calls the listener with every event from now on; it must not throw. The result ends that. */
  subscribe(listener: (event: JobEvent) => void): () => void;
}

const REMEMBERED = 1000;

/**
 * Tells listeners what happens to jobs, and remembers the last events for those who come back.
 * @param now milliseconds since 1970; they begin the ids
 */
export function createJobEvents(options: { remembered?: number; now?: () => number } = {}): JobEvents {
  const { remembered = REMEMBERED, now = Date.now } = options;
  const listeners = new Set<(event: JobEvent) => void>();
  const past: JobEvent[] = [];
  // A process that starts later begins later: a thousand events fit into each millisecond that it lived.
  let nextId = now() * 1000;

  return {
    publish(news) {
      const event = { ...news, id: nextId++ };
      past.push(event);
      if (past.length > remembered) past.shift();
      for (const listener of [...listeners]) listener(event);
    },
    since: (id) => past.filter((event) => event.id > id || id >= nextId),
    lastId: () => nextId - 1,
    subscribe(listener) {
      // Wrapped, so that one function may subscribe twice.
      const own = (event: JobEvent) => listener(event);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}

export const news = {
  /** The priority is 2 whatever the job's is: so it is documented. */
  created: ({ id, path }: Job): JobNews => ({
    type: 'job:created',
    data: { jobId: id, filePath: path, status: 'pending', priority: 2 },
  }),
  started: ({ id, path }: Job): JobNews => ({
    type: 'job:started',
    data: { jobId: id, filePath: path, status: 'running' },
  }),
  progress: (jobId: string, progress: number): JobNews => ({ type: 'job:progress', data: { jobId, progress } }),
  completed: ({ id, path }: Job): JobNews => ({
    type: 'job:completed',
    data: { jobId: id, filePath: path, status: 'completed' },
  }),
  failed: ({ id, path, error }: Job): JobNews => ({
    type: 'job:error',
    data: { jobId: id, filePath: path, status: 'error', error: error ?? 'The job failed.' },
  }),
};
