import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { mediaTypeOf } from '../media.ts';
import { isWithin, ROOT, type StoragePath } from '../path.ts';
import type { EventType, SpaceFolder, WebhookEvent } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

type Recipients = Pick<Webhooks, 'isSubscribed' | 'notify' | 'wake'>;

/** A change of a file or folder, as the catalog reports it. */
export interface FileChange {
  type: Extract<EventType, `file.${string}` | `redirect.${string}`>;
  /** Current path, or the path before a removal. */
  path: StoragePath;
  /** Path before a move, or of a redirect. */
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
  /** The space that requested it; empty for the library. */
  space: string;
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

function eventOfFile(change: FileChange): WebhookEvent {
  return {
    ...fileEvent(change),
    inSpace({ folder }) {
      const inner = changeWithin(change, folder);
      return inner && fileEvent(inner);
    },
  };
}

/** Returns a change as a space sees it, whose border a move may cross; undefined for a change outside of it. */
function changeWithin(change: FileChange, folder: StoragePath): FileChange | undefined {
  const { type, from, isFolder, stat, ...rest } = change;
  const path = pathWithin(change.path, folder, isFolder);
  const former = from === undefined ? undefined : pathWithin(from, folder, isFolder);
  if (isRedirect(type)) return path && former ? { ...rest, type, path, from: former, isFolder } : undefined;
  if (path === undefined) return former === undefined ? undefined : { type: 'file.deleted', path: former, isFolder };
  if (from === undefined || former !== undefined) {
    return { ...rest, type, path, isFolder, stat, ...(former !== undefined && { from: former }) };
  }
  return { type: 'file.stored', path, isFolder, stat };
}

/** Returns the path relative to a folder; undefined outside of it. A folder around it concerns all of it. */
function pathWithin(path: StoragePath, folder: StoragePath, isFolder: boolean): StoragePath | undefined {
  if (isWithin(path, folder)) return path.slice(folder.length + 1) as StoragePath;
  return isFolder && isWithin(folder, path) ? ROOT : undefined;
}

const isRedirect = (type: FileChange['type']) => type === 'redirect.created' || type === 'redirect.deleted';

function fileEvent({ type, path, from, isFolder, stat, trash }: FileChange): WebhookEvent {
  if (from !== undefined && isRedirect(type)) {
    const data = { kind: isFolder ? 'folder' : 'file', from, to: path };
    return { type, paths: [path, from], isFolder, data };
  }
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
 * @param urlOf returns the URL of the result of a job, whose path is relative to the space
 */
export function createJobEventSink(
  { isSubscribed, notify, wake }: Recipients,
  urlOf: (job: EndedJob, space: SpaceFolder | undefined) => string,
) {
  return {
    isSubscribed: (status: 'completed' | 'error') => isSubscribed(`job.${status}`),
    async write(db: Kysely<Schema>, jobs: readonly EndedJob[]): Promise<void> {
      await notify(
        db,
        jobs.map((job) => ({
          ...eventOfJob(job, urlOf(job, undefined)),
          inSpace(space) {
            // Transformations of other jobs may name files of the library.
            if (job.space !== space.id || !isWithin(job.path, space.folder)) return undefined;
            const inner = { ...job, path: pathWithin(job.path, space.folder, false) ?? ROOT };
            return eventOfJob(inner, urlOf(inner, space));
          },
        })),
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
