import { TRUSTED } from '../src/client.ts';
import { createLocalCluster } from '../src/cluster/local.ts';
import { openDatabase } from '../src/db/open.ts';
import { createLocalJobEvents } from '../src/jobs/events/local.ts';
import type { JobEvent } from '../src/jobs/events.ts';
import type { NewJob } from '../src/jobs/job.ts';
import { Queue, type QueueOptions } from '../src/jobs/queue.ts';
import { SqlJobStore } from '../src/jobs/sql-job-store.ts';
import { createLog } from '../src/log.ts';
import type { StoragePath } from '../src/path.ts';

export const silentLog = createLog({ level: 'silent', format: 'json' });

export function filmJob(variantKey: string, more: Partial<NewJob> = {}): NewJob {
  const path = `films/${variantKey}.mp4` as StoragePath;
  return { path, variantKey, transformation: 'w_320', version: 'etag', priority: 2, client: TRUSTED, ...more };
}

/** Opens a queue on a real database, in memory or in a file, and records all its events. */
export async function openTestQueue(options: Partial<QueueOptions> & { file?: string; now?: () => number } = {}) {
  const { db, close } = await openDatabase({ file: options.file ?? ':memory:' });
  const store = new SqlJobStore(db, options.now);
  const events = createLocalJobEvents();
  const heard: JobEvent[] = [];
  events.subscribe((event) => heard.push(event));
  const queue = new Queue({
    store,
    events,
    bus: createLocalCluster().bus,
    retryMax: 0,
    retryDelayMs: 1,
    cleanupMs: 3_600_000,
    leaseMs: 15_000,
    queueMax: 1000,
    queueMaxPerClient: 1000,
    ...options,
  });
  const said = () => heard.map(({ type }) => type);
  return { queue, store, events, heard, said, close };
}

export type TestQueue = Awaited<ReturnType<typeof openTestQueue>>;
