import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { JOB_STATUSES, type Job } from '../../jobs/job.ts';
import { quote } from '../../path.ts';
import type { Services } from '../../services.ts';
import { requirePermission } from '../admission/guards.ts';
import { withSchemas } from '../bodies/bodies.ts';
import { wholeNumber } from '../bodies/query-forms.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

const count = z.number().int().min(0);

const jobSchema = z
  .object({
    id: z.string(),
    filePath: z.string(),
    status: z.enum(JOB_STATUSES),
    priority: count.describe('The lower one goes first.'),
    progress: z.number().min(0).max(100).describe('Percent.'),
    startedAt: z.iso.datetime().nullable(),
    completedAt: z.iso.datetime().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Job' });

const jobParams = z.object({ jobId: z.string() });
const pageQuery = z.object({
  limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT),
  offset: wholeNumber(0).default(0),
  // Other systems call it so, and so does the answer of a delivery that waits for the job.
  status: z
    .preprocess((status) => (status === 'processing' ? 'running' : status), z.enum(JOB_STATUSES).optional())
    .describe('Only jobs in this state; `processing` is taken for `running`.'),
});
const page = z.object({
  jobs: z.array(jobSchema),
  limit: count,
  offset: count,
  count: count.describe('How many are in this answer.'),
  total: count.describe('How many match, whatever the page.'),
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
  processingCount: count,
  pollInterval: count.describe('Milliseconds.'),
});
const done = z.object({ success: z.boolean(), message: z.string() });

/** `/queue/...`: what the queue holds, what the worker does, and what is done to a job. */
export function queueRoutes(app: FastifyInstance, services: Services): void {
  const { queue } = services;
  const read = { onRequest: requirePermission(services, 'read') };
  const manage = { onRequest: requirePermission(services, 'manage') };
  app.register(async (plain) => {
    const scope = withSchemas(plain);
    scope.get('/queue/stats', { ...read, schema: { response: { 200: stats } } }, async () => {
      const { throughput, ...counts } = await queue.stats();
      const { completedLastHour, averageDurationMs = null } = throughput;
      return { ...counts, throughput: { completedLastHour, averageDurationMs } };
    });
    scope.get('/queue/worker/stats', { ...read, schema: { response: { 200: workerStats } } }, () =>
      readWorker(services),
    );
    scope.get(
      '/queue/jobs',
      { ...read, schema: { querystring: pageQuery, response: { 200: page } } },
      async ({ query }) => {
        const { jobs, total } = await queue.list(query);
        return { jobs: jobs.map(describe), limit: query.limit, offset: query.offset, count: jobs.length, total };
      },
    );

    const url = '/queue/jobs/:jobId';
    const one = { params: jobParams, response: { 200: jobSchema } };
    scope.get(url, { ...read, schema: one }, async ({ params: { jobId } }) => {
      const job = await queue.find(jobId);
      if (!job) throw notFound(`There is no job ${quote(jobId)}.`);
      return describe(job);
    });
    const act = { ...manage, schema: { params: jobParams, response: { 200: done } } };
    scope.post(`${url}/retry`, act, async ({ params: { jobId } }) => {
      await queue.retry(jobId);
      return { success: true, message: `The job ${jobId} was queued for retry.` };
    });
    scope.post(`${url}/cancel`, act, async ({ params: { jobId } }) => {
      await queue.cancel(jobId);
      return { success: true, message: `The job ${jobId} was cancelled.` };
    });
    scope.delete(url, act, async ({ params: { jobId } }) => {
      await queue.remove(jobId);
      return { success: true, message: `The job ${jobId} was deleted.` };
    });
  });
}

/** Without ffmpeg there is no worker: nothing runs, and nothing can. */
function readWorker({ worker, config }: Services): z.infer<typeof workerStats> {
  const none = {
    isRunning: false,
    maxConcurrent: 0,
    processingCount: 0,
    pollInterval: config.video.pollIntervalMs,
  };
  return worker?.stats() ?? none;
}

/** A job as the world sees it. */
function describe(job: Job): z.infer<typeof jobSchema> {
  const { id, path, status, priority, progress, startedAt, completedAt, error = null } = job;
  return {
    id,
    filePath: path,
    status,
    priority,
    progress,
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    error,
  };
}
