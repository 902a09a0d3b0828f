import { z } from 'zod';
import type { AdmitFile } from '../../delivery/file-access.ts';
import type { VariantStatus } from '../../delivery/variant-status.ts';
import { VideoStatus } from '../../delivery/video-status.ts';
import { notFound } from '../../errors.ts';
import { JOB_STATUSES } from '../../jobs/job.ts';
import { admitStatus } from '../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type Operation, type RouteContext } from '../endpoints/endpoint.ts';
import { rawPath } from '../transport/raw-path.ts';

const stateSchema = z.object({
  status: z.enum(['not_found', ...JOB_STATUSES]),
  progress: z.number().min(0).max(100),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
  error: z.string().nullable(),
  message: z.string(),
});
const renditionSchema = stateSchema.extend({
  kind: z.enum(['picture', 'sound']),
  /** Of the image. */
  height: z.number().int().nullable(),
});
const statusSchema = stateSchema.extend({ rungs: z.array(renditionSchema).optional() });
const sizeSchema = z.object({ size: z.number().int(), status: z.literal('ready') });

const MESSAGES: Record<VariantStatus['status'], string> = {
  not_found: 'No job is known; the delivery URL queues one.',
  pending: 'The job waits for its turn.',
  running: 'The video is being processed.',
  completed: 'The video is ready.',
  error: 'The video could not be processed.',
  cancelled: 'The job was cancelled.',
};

const SIZE = '/size';

/**
 * `GET /video-status/{path}` and `/video-status/{path}/size`, both with or without a transformation segment, and
 * signed.
 */
export function videoStatusRoutes({ services, countForSpace }: RouteContext): readonly Endpoint[] {
  const videoStatus = new VideoStatus(services);
  return [
    defineEndpoint('GET /video-status/*', {
      access: 'public',
      limit: 'public',
      noStore: true,
      openapi: [
        ...operations('getVideo', ''),
        ...operations('getSignedVideo', 's--{signature}/{transformations}/'),
        ...operations('getExpiringVideo', 's--{signature}--{expires}/{transformations}/'),
      ],
      schemas: { response: { 200: z.union([statusSchema, sizeSchema]) } },
      async handle(request, reply) {
        const whole = rawPath(request);
        const isSize = whole.endsWith(SIZE);
        const raw = isSize ? whole.slice(0, -SIZE.length) : whole;
        if (!/[^/]/.test(raw))
          throw notFound(`There is no endpoint ${request.method} ${request.url}.`, 'unknown_endpoint');
        const { delivery, admit: admitFile } = await admitStatus(request, reply, services, raw);
        const admit: AdmitFile = async (path, wanted) => {
          await admitFile?.(path, wanted);
          await countForSpace(request, path);
        };
        const { accept } = request.headers;
        if (!isSize) return answerOf(await videoStatus.status(delivery, accept, admit));
        return { size: await videoStatus.size(delivery, accept, admit), status: 'ready' as const };
      },
    }),
  ];
}

/** With `DELIVERY_MODE=signed`, the signature of a URL also grants access to its status. */
function operations(id: string, start: string): Operation[] {
  const path = `/video-status/${start}{path}`;
  const shared = { tag: 'Video', errors: [401, 403, 404] } as const;
  return [
    { ...shared, id: `${id}Status`, path, summary: 'Progress of a video.', answer: statusSchema },
    {
      ...shared,
      id: `${id}Size`,
      path: `${path}/size`,
      summary: 'Size of a finished variant.',
      answer: sizeSchema,
    },
  ];
}

function answerOf(variant: VariantStatus): z.infer<typeof statusSchema> {
  const renditions = variant.renditions?.map(({ rendition: { kind, height = null }, ...state }) => ({
    kind,
    height,
    ...stateOf(state),
  }));
  return { ...stateOf(variant), ...(renditions && { rungs: renditions }) };
}

function stateOf({ status, job }: VariantStatus): z.infer<typeof stateSchema> {
  return {
    status,
    progress: status === 'completed' ? 100 : (job?.progress ?? 0),
    startedAt: job?.startedAt?.toISOString() ?? null,
    completedAt: job?.completedAt?.toISOString() ?? null,
    error: job?.error ?? null,
    message: job?.trouble ?? MESSAGES[status],
  };
}
