import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Services } from '../../services.ts';
import { withSchemas } from '../bodies/bodies.ts';

const limit = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  setting: z.string().describe('The environment variable that sets it.'),
});
const limitList = z.object({ limits: z.array(limit) });

/** `GET /limits`: what the service accepts and makes, and which setting says so. */
export function limitsRoutes(app: FastifyInstance, { config }: Services): void {
  const limits = listLimits(config);
  app.register(async (plain) => {
    withSchemas(plain).get('/limits', { schema: { response: { 200: limitList } } }, async () => ({ limits }));
  });
}

function listLimits({ limits, render, renderBudget, upload, http, events }: Config) {
  const megabytes = (bytes: number) => bytes / 1024 / 1024;
  return [
    { name: 'input size', value: limits.inputMegapixels, unit: 'megapixels', setting: 'MAX_INPUT_MEGAPIXELS' },
    { name: 'animation frames', value: limits.animationFrames, unit: 'frames', setting: 'MAX_ANIMATION_FRAMES' },
    { name: 'output side', value: limits.outputSide, unit: 'pixels', setting: 'MAX_OUTPUT_SIDE' },
    { name: 'output size', value: limits.outputMegapixels, unit: 'megapixels', setting: 'MAX_OUTPUT_MEGAPIXELS' },
    { name: 'video output side', value: limits.videoOutput.side, unit: 'pixels', setting: 'MAX_VIDEO_OUTPUT_SIDE' },
    {
      ...{ name: 'video output size', value: limits.videoOutput.pixels / 1e6, unit: 'megapixels' },
      setting: 'MAX_VIDEO_OUTPUT_MEGAPIXELS',
    },
    ...Object.entries(limits.formatMegapixels).map(([format, value]) => ({
      name: `output size of ${format.toUpperCase()}`,
      value,
      unit: 'megapixels',
      setting: `MAX_${format.toUpperCase()}_MEGAPIXELS`,
    })),
    { name: 'render time', value: render.timeoutMs, unit: 'milliseconds', setting: 'RENDER_TIMEOUT_MS' },
    { name: 'render memory', value: megabytes(render.memoryBytes), unit: 'MB', setting: 'RENDER_MEMORY_MB' },
    {
      name: 'memory of large renders',
      value: megabytes(render.totalMemoryBytes),
      unit: 'MB',
      setting: 'RENDER_TOTAL_MEMORY_MB',
    },
    { name: 'render queue', value: render.maxQueued, unit: 'requests', setting: 'RENDER_QUEUE_MAX' },
    {
      name: 'render queue of one client',
      value: render.maxQueuedPerClient,
      unit: 'requests',
      setting: 'RENDER_QUEUE_MAX_PER_CLIENT',
    },
    {
      name: 'render time of one client',
      value: renderBudget.perClientMs,
      unit: 'milliseconds',
      setting: 'RENDER_BUDGET_PER_CLIENT',
    },
    { name: 'public requests', value: http.rateLimit.max, unit: 'requests', setting: 'PUBLIC_RATE_LIMIT_MAX' },
    {
      name: 'public request window',
      value: http.rateLimit.windowMs,
      unit: 'milliseconds',
      setting: 'PUBLIC_RATE_LIMIT_WINDOW_MS',
    },
    { name: 'connections', value: http.maxConnections, unit: 'connections', setting: 'MAX_CONNECTIONS' },
    {
      name: 'connections of one client',
      value: http.maxConnectionsPerAddress,
      unit: 'connections',
      setting: 'MAX_CONNECTIONS_PER_ADDRESS',
    },
    {
      name: 'event listeners of one client',
      value: events.maxClientsPerAddress,
      unit: 'connections',
      setting: 'MAX_EVENT_CLIENTS_PER_ADDRESS',
    },
    { name: 'time for headers', value: http.headersTimeoutMs, unit: 'milliseconds', setting: 'HEADERS_TIMEOUT_MS' },
    { name: 'time for a small body', value: http.bodyTimeoutMs, unit: 'milliseconds', setting: 'BODY_TIMEOUT_MS' },
    { name: 'JSON body', value: megabytes(http.json.maxBytes), unit: 'MB', setting: 'MAX_JSON_SIZE_MB' },
    { name: 'depth of a JSON body', value: http.json.maxDepth, unit: 'levels', setting: 'MAX_JSON_DEPTH' },
    { name: 'values in a JSON body', value: http.json.maxValues, unit: 'values', setting: 'MAX_JSON_VALUES' },
    { name: 'upload file', value: megabytes(upload.maxFileBytes), unit: 'MB', setting: 'MAX_FILE_SIZE_MB' },
    { name: 'upload request', value: megabytes(upload.maxRequestBytes), unit: 'MB', setting: 'MAX_REQUEST_SIZE_MB' },
    { name: 'upload files', value: upload.maxFiles, unit: 'files', setting: 'MAX_FILES_PER_UPLOAD' },
    { name: 'all uploads', value: megabytes(upload.maxTempBytes), unit: 'MB', setting: 'UPLOAD_TEMP_MAX_MB' },
    {
      name: 'files before their signature',
      value: megabytes(upload.maxUnprovenBytes),
      unit: 'MB',
      setting: 'UPLOAD_UNPROVEN_MAX_MB',
    },
    { name: 'slowest upload', value: upload.minBytesPerSecond / 1024, unit: 'KB/s', setting: 'UPLOAD_MIN_RATE_KB' },
  ];
}
