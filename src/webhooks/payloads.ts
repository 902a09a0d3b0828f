import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { EventType, WebhookEvent } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

type Recipients = Pick<Webhooks, 'isSubscribed' | 'notify' | 'wake'>;

/** A change of a file or folder, as the catalog reports it. */
export interface FileChange {
  type: Extract<EventType, `file.${string}`>;
  /** Current path, or the path before a removal. */
  path: StoragePath;
  /** Path before a move. */
  from?: StoragePath;
  isFolder: boolean;
  /** State of an existing file. */
  stat?: { size: number; etag: string } | undefined;
  /** Direction of a move into or out of the trash. */
  trash?: 'in' | 'out';
}

/** A job that has ended. */
export interface EndedJob {
  id: string;
  path: StoragePath;
  transformation: string;
  status: string;
  error: string | undefined;
}

/** The reason of a failed job may contain the output of a program. */
const MAX_ERROR_LENGTH = 500;

/** Creates the sink that adds events of files to the deliveries of webhooks. */
export function createFileEventSink({ isSubscribed, notify, wake }: Recipients) {
  return {
    async write(db: Kysely<Schema>, changes: readonly FileChange[]): Promise<void> {
      const requested = changes.filter(({ type }) => isSubscribed(type));
      if (requested.length > 0) await notify(db, requested.map(eventOfFile));
    },
    written: wake,
  };
}

function eventOfFile({ type, path, from, isFolder, stat, trash }: FileChange): WebhookEvent {
  const data = {
    kind: isFolder ? 'folder' : 'file',
    path,
    ...(from !== undefined && { from }),
    ...(stat && { size: stat.size, type: mediaTypeOf(path).mime, etag: stat.etag }),
    ...(type === 'file.deleted' && { trash: trash === 'in' }),
    ...(type === 'file.stored' && { restored: trash === 'out' }),
  };
  return { type, paths: from === undefined ? [path] : [path, from], isFolder, data };
}

/**
 * Creates the sink that adds the ends of jobs to the deliveries of webhooks.
 * @param urlOf returns the URL of the result of a job
 */
export function createJobEventSink({ isSubscribed, notify, wake }: Recipients, urlOf: (job: EndedJob) => string) {
  return {
    isSubscribed: (status: 'completed' | 'error') => isSubscribed(`job.${status}`),
    async write(db: Kysely<Schema>, jobs: readonly EndedJob[]): Promise<void> {
      await notify(
        db,
        jobs.map((job) => eventOfJob(job, urlOf(job))),
      );
    },
    written: wake,
  };
}

function eventOfJob({ id, path, transformation, status, error }: EndedJob, url: string): WebhookEvent {
  const failed = { error: (error ?? '').slice(0, MAX_ERROR_LENGTH) };
  const data = { job: id, path, transformation, url, ...(status === 'error' && failed) };
  return { type: status === 'error' ? 'job.error' : 'job.completed', paths: [path], isFolder: false, data };
}
