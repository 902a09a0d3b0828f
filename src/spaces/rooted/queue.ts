import type { Job, NewJob } from '../../jobs/job.ts';
import type { EnqueuedJob, JobQueue } from '../../jobs/queue.ts';
import type { Root } from './root.ts';

/** Shows a space its own jobs, with inner paths. Jobs of others do not exist there. */
export function createRootedQueue(queue: JobQueue, space: string, root: Root): JobQueue {
  const { jobs } = queue;
  // In the space itself, its jobs are those of the library.
  const inner = (job: Job): Job => ({ ...job, path: root.toInner(job.path), space: '' });
  // A space of this name may have been deleted, with another folder.
  const innerIf = (job: Job | undefined) => (job && root.contains(job.path) ? inner(job) : undefined);
  const outer = (job: NewJob): NewJob => ({ ...job, path: root.toOuter(job.path), space });
  const innerOf = (enqueued: EnqueuedJob): EnqueuedJob =>
    'problem' in enqueued ? enqueued : { ...enqueued, job: inner(enqueued.job) };
  return {
    jobs: {
      find: async (id) => innerIf(await jobs.find(id, space)),
      newestOfVariant: async (variantKey) => innerIf(await jobs.newestOfVariant(variantKey, space)),
      newestOfPath: async (path) => innerIf(await jobs.newestOfPath(root.toOuter(path), space)),
      async list({ path, ...page }) {
        const listed = await jobs.list({ ...page, space, path: path === undefined ? path : root.toOuter(path) });
        return { ...listed, jobs: listed.jobs.flatMap((job) => innerIf(job) ?? []) };
      },
      counts: () => jobs.counts(space),
    },
    async enqueueAll(newJobs) {
      return (await queue.enqueueAll(newJobs.map(outer))).map(innerOf);
    },
    stats: () => queue.stats(space),
    cancel: async (id) => inner(await queue.cancel(id, space)),
    retry: async (id) => inner(await queue.retry(id, space)),
    retryAll: () => queue.retryAll(space),
    remove: async (id) => inner(await queue.remove(id, space)),
    removeAll: (status) => queue.removeAll(status, space),
    removeWithin: (path) => queue.removeWithin(root.toOuter(path)),
  };
}
