import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { JOB_STATUSES, type Job } from '../../jobs/job.ts';
import type { Services } from '../../library-services.ts';
import { quote } from '../../path.ts';
import { jobUrl } from '../../spaces/job-url.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

const count = z.number().int().min(0);

const jobSchema = z
  .object({
    id: z.string(),
    filePath: z.string(),
    transformation: z.string().describe('In its canonical spelling; empty for `q_auto` alone.'),
    url: z
      .string()
      .describe('URL of the result. Begins with PUBLIC_URL; with "/t/" if that is not set, with "/b/" in a space.'),
    status: z.enum(JOB_STATUSES),
    priority: count.describe('Lower values run first.'),
    progress: z.number().min(0).max(100).describe('Percent.'),
    attempts: count.describe('Failed attempts since it was queued or retried.'),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    completedAt: z.iso.datetime().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Job' });

const jobParams = z.object({ jobId: z.string() });
// Alias for compatibility, also used by the response of a delivery that waits for the job.
const jobStatus = z.preprocess((status) => (status === 'processing' ? 'running' : status), z.enum(JOB_STATUSES));
const pageQuery = z.object({
  limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT),
  offset: wholeNumber(0).default(0),
  status: jobStatus.optional().describe('Only jobs in this state; `processing` means `running`.'),
});
const retryBody = z.object({ status: z.literal('error').describe('Only failed jobs can be retried.') });
const removeQuery = z.object({ status: jobStatus.describe('`processing` means `running`.') });
const changed = z.object({ success: z.boolean(), count });
const page = z.object({
  jobs: z.array(jobSchema),
  limit: count,
  offset: count,
  count: count.describe('Number in this response.'),
  total: count.describe('Number of all matches.'),
});
const stats = z.object({
  ...(Object.fromEntries(JOB_STATUSES.map((status) => [status, count])) as Record<
    (typeof JOB_STATUSES)[number],
    z.ZodNumber
  >),
  throughput: z.object({ completedLastHour: count, averageDurationMs: z.number().min(0).nullable() }),
});
const workerStats = z.object({
  isRunning: z.boolean(),
  maxConcurrent: count,
  processingCount: count.describe('Running jobs of this node; in a space its own, of all nodes.'),
  pollInterval: count.describe('Milliseconds.'),
});
const done = z.object({ success: z.boolean(), message: z.string() });

const tag = 'Queue';
const JOB = '/queue/jobs/:jobId';

/** `/queue/...`: state of the queue and its worker, and actions on jobs. */
export function queueRoutes({ services }: RouteContext): readonly Endpoint[] {
  return [...statsEndpoints(services), ...jobEndpoints(services), ...actions(services), ...bulkActions(services)];
}

function statsEndpoints(services: Services): readonly Endpoint[] {
  const getStats = defineEndpoint('GET /queue/stats', {
    access: 'read',
    openapi: { id: 'getQueueStats', tag, summary: 'Counts jobs by status.' },
    schemas: { response: { 200: stats } },
    async handle() {
      const { throughput, ...counts } = await services.queue.stats();
      const { completedLastHour, averageDurationMs = null } = throughput;
      return { ...counts, throughput: { completedLastHour, averageDurationMs } };
    },
  });
  const getWorker = defineEndpoint('GET /queue/worker/stats', {
    access: 'read',
    openapi: { id: 'getWorkerStats', tag, summary: 'State of the worker.' },
    schemas: { response: { 200: workerStats } },
    async handle({ within }) {
      const worker = readWorker(services);
      // The worker is that of all spaces.
      return within ? { ...worker, processingCount: (await services.queue.jobs.counts()).running } : worker;
    },
  });
  return [getStats, getWorker];
}

function jobEndpoints(services: Services): readonly Endpoint[] {
  const { queue } = services;
  const list = defineEndpoint('GET /queue/jobs', {
    access: 'read',
    openapi: { id: 'listJobs', tag, summary: 'Lists jobs, the newest first.' },
    schemas: { query: pageQuery, response: { 200: page } },
    async handle({ query }) {
      const { jobs, total } = await queue.jobs.list(query);
      return {
        jobs: jobs.map((job) => answerOf(job, services)),
        limit: query.limit,
        offset: query.offset,
        count: jobs.length,
        total,
      };
    },
  });
  const get = defineEndpoint(`GET ${JOB}`, {
    access: 'read',
    openapi: { id: 'getJob', tag, summary: 'Returns a job.', errors: [404] },
    schemas: { params: jobParams, response: { 200: jobSchema } },
    async handle({ params: { jobId } }) {
      const job = await queue.jobs.find(jobId);
      if (!job) throw notFound(`There is no job ${quote(jobId)}.`, 'job_not_found');
      return answerOf(job, services);
    },
  });
  return [list, get];
}

/** Actions on a job. */
function actions({ queue }: Services): readonly Endpoint[] {
  const act = {
    access: 'manage' as const,
    schemas: { params: jobParams, response: { 200: done } },
    outcome: ({ params }: { params: z.output<typeof jobParams> }) => ({ target: params.jobId }),
  };
  const retry = defineEndpoint(`POST ${JOB}/retry`, {
    ...act,
    audit: 'job.retried',
    openapi: { id: 'retryJob', tag, summary: 'Queues a failed job again.', errors: [503] },
    async handle({ params: { jobId } }) {
      await queue.retry(jobId);
      return { success: true, message: `The job ${jobId} was queued for retry.` };
    },
  });
  const cancel = defineEndpoint(`POST ${JOB}/cancel`, {
    ...act,
    audit: 'job.cancelled',
    openapi: { id: 'cancelJob', tag, summary: 'Cancels a pending job.', errors: [503] },
    async handle({ params: { jobId } }) {
      await queue.cancel(jobId);
      return { success: true, message: `The job ${jobId} was cancelled.` };
    },
  });
  const remove = defineEndpoint(`DELETE ${JOB}`, {
    ...act,
    audit: 'job.deleted',
    openapi: { id: 'deleteJob', tag, summary: 'Deletes a job.', errors: [503] },
    async handle({ params: { jobId } }) {
      await queue.remove(jobId);
      return { success: true, message: `The job ${jobId} was deleted.` };
    },
  });
  return [retry, cancel, remove];
}

/** Actions on all jobs in a state. */
function bulkActions({ queue }: Services): readonly Endpoint[] {
  const retry = defineEndpoint('POST /queue/jobs/retry', {
    access: 'manage',
    audit: 'job.retried',
    outcome: (_request, { count }) => ({ detail: { status: 'error', count } }),
    openapi: { id: 'retryJobs', tag, summary: 'Queues all failed jobs again.', errors: [503] },
    schemas: { body: retryBody, response: { 200: changed } },
    handle: async () => ({ success: true, count: await queue.retryAll() }),
  });
  const remove = defineEndpoint('DELETE /queue/jobs', {
    access: 'manage',
    audit: 'job.deleted',
    outcome: ({ query }, { count }) => ({ detail: { status: query.status, count } }),
    openapi: { id: 'deleteJobs', tag, summary: 'Deletes all jobs in a state.', errors: [503] },
    schemas: { query: removeQuery, response: { 200: changed } },
    handle: async ({ query }) => ({ success: true, count: await queue.removeAll(query.status) }),
  });
  return [retry, remove];
}

/** State without ffmpeg, when there is no worker. */
function readWorker({ worker, config }: Services): z.infer<typeof workerStats> {
  const none = {
    isRunning: false,
    maxConcurrent: 0,
    processingCount: 0,
    pollInterval: config.video.pollIntervalMs,
  };
  return worker?.stats() ?? none;
}

/** Converts a job for a response. */
function answerOf(job: Job, { config, spaces }: Services): z.infer<typeof jobSchema> {
  const { id, path, transformation, createdAt, startedAt, completedAt, error = null } = job;
  const { status, priority, progress, attempts } = job;
  return {
    id,
    filePath: path,
    transformation,
    url: config.http.linkBase + jobUrl(job, spaces),
    status,
    priority,
    progress,
    attempts,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    error,
  };
}
