import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type DeliveryRequest, readDeliveryUrl } from '../../delivery/url.ts';
import { createVideoStatus, type VariantStatus } from '../../delivery/video-status.ts';
import { notFound } from '../../errors.ts';
import { JOB_STATUSES } from '../../jobs/job.ts';
import type { Services } from '../../services.ts';
import { withSchemas } from '../bodies.ts';
import { rawPath } from '../raw-path.ts';

const statusSchema = z.object({
  status: z.enum(['not_found', ...JOB_STATUSES]),
  progress: z.number(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
  error: z.string().nullable(),
  message: z.string(),
});
const sizeSchema = z.object({ size: z.number(), status: z.literal('ready') });

const MESSAGES: Record<VariantStatus['status'], string> = {
  not_found: 'No job is known; the delivery URL queues one.',
  pending: 'The job waits for its turn.',
  running: 'The video is being processed.',
  completed: 'The video is ready.',
  error: 'The video could not be processed.',
  cancelled: 'The job was cancelled.',
};

const SIZE = '/size';

/** `GET /video-status/{path}` and `/video-status/{path}/size`, both with or without a transformation segment. */
export function videoStatusRoutes(app: FastifyInstance, services: Services): void {
  const videoStatus = createVideoStatus(services);
  const schema = { response: { 200: z.union([statusSchema, sizeSchema]) } };
  app.register(async (plain) => {
    withSchemas(plain).get('/video-status/*', { schema }, async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      const raw = rawPath(request);
      const { accept } = request.headers;
      if (!raw.endsWith(SIZE)) return describe(await videoStatus.status(read(raw, request, services), accept));
      const size = await videoStatus.size(read(raw.slice(0, -SIZE.length), request, services), accept);
      return { size, status: 'ready' as const };
    });
  });
}

/** The path has the form of a delivery URL after its `/t/`. */
function read(raw: string, { method, url }: FastifyRequest, { config }: Services): DeliveryRequest {
  if (!/[^/]/.test(raw)) throw notFound(`There is no endpoint ${method} ${url}.`, 'Unknown endpoint');
  return readDeliveryUrl(raw, config.limits);
}

function describe({ status, job }: VariantStatus): z.infer<typeof statusSchema> {
  return {
    status,
    progress: status === 'completed' ? 100 : (job?.progress ?? 0),
    startedAt: job?.startedAt?.toISOString() ?? null,
    completedAt: job?.completedAt?.toISOString() ?? null,
    error: job?.error ?? null,
    message: MESSAGES[status],
  };
}
