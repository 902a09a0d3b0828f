import type { EventSink, FileEvent } from '../catalog/file-events.ts';
import type { Bus } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { resultUrl } from '../delivery/transcodes.ts';
import type { OnEnd } from '../jobs/end-jobs.ts';
import type { Job } from '../jobs/job.ts';
import type { Log } from '../log.ts';
import { mediaTypeOf } from '../media.ts';
import { createReach } from '../outgoing/public-address.ts';
import type { WebhookEvent } from '../webhooks/webhook.ts';
import { Webhooks } from '../webhooks/webhooks.ts';

/** The reason of a failed job may contain the output of a program. */
const MAX_ERROR_LENGTH = 500;

export function openWebhooks(
  { webhooks: settings, outgoing }: Config,
  { db }: OpenDatabase,
  bus: Bus,
  log: Log,
): Webhooks {
  return new Webhooks({ db, bus, log, settings, guard: { mayReach: createReach(outgoing.privateNetworks) } });
}

/** Creates the sink that adds events of files to the deliveries of webhooks. */
export function webhooksOfFiles({ isWanted, tell, wake }: Webhooks): EventSink {
  return {
    async write(db, events) {
      const wanted = events.filter(({ type }) => isWanted(type));
      if (wanted.length > 0) await tell(db, wanted.map(eventOfFile));
    },
    written: wake,
  };
}

function eventOfFile({ type, path, from, isFolder, stat, trash }: FileEvent): WebhookEvent {
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

/** Returns the webhook messages about jobs. @param publicUrl prefix of the URLs of results */
export function webhooksOfJobs({ isWanted, tell, wake }: Webhooks, publicUrl = ''): OnEnd {
  return {
    isWanted: (status) => isWanted(`job.${status}`),
    async write(db, jobs) {
      await tell(
        db,
        jobs.map((job) => eventOfJob(job, publicUrl)),
      );
    },
    written: wake,
  };
}

function eventOfJob({ id, path, transformation, status, error }: Job, publicUrl: string): WebhookEvent {
  const url = `${publicUrl}${resultUrl(transformation, path)}`;
  const failed = { error: (error ?? '').slice(0, MAX_ERROR_LENGTH) };
  const data = { job: id, path, transformation, url, ...(status === 'error' && failed) };
  return { type: status === 'error' ? 'job.error' : 'job.completed', paths: [path], isFolder: false, data };
}
