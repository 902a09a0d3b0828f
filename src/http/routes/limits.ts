import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Services } from '../../services.ts';
import { withSchemas } from '../bodies.ts';

const limitList = z.object({
  limits: z.array(z.object({ name: z.string(), value: z.number(), unit: z.string(), setting: z.string() })),
});

/** `GET /limits`: what the service accepts and makes, and which setting says so. */
export function limitsRoutes(app: FastifyInstance, { config }: Services): void {
  const limits = listLimits(config);
  app.register(async (plain) => {
    withSchemas(plain).get('/limits', { schema: { response: { 200: limitList } } }, async () => ({ limits }));
  });
}

function listLimits({ limits, render, upload, http }: Config) {
  const megabytes = (bytes: number) => bytes / 1024 / 1024;
  return [
    { name: 'input size', value: limits.inputMegapixels, unit: 'megapixels', setting: 'MAX_INPUT_MEGAPIXELS' },
    { name: 'animation frames', value: limits.animationFrames, unit: 'frames', setting: 'MAX_ANIMATION_FRAMES' },
    { name: 'output side', value: limits.outputSide, unit: 'pixels', setting: 'MAX_OUTPUT_SIDE' },
    { name: 'output size', value: limits.outputMegapixels, unit: 'megapixels', setting: 'MAX_OUTPUT_MEGAPIXELS' },
    { name: 'render time', value: render.timeoutMs, unit: 'milliseconds', setting: 'RENDER_TIMEOUT_MS' },
    { name: 'render memory', value: megabytes(render.memoryBytes), unit: 'MB', setting: 'RENDER_MEMORY_MB' },
    { name: 'render queue', value: render.maxQueued, unit: 'requests', setting: 'RENDER_QUEUE_MAX' },
    { name: 'public requests', value: http.rateLimit.max, unit: 'requests', setting: 'PUBLIC_RATE_LIMIT_MAX' },
    {
      name: 'public request window',
      value: http.rateLimit.windowMs,
      unit: 'milliseconds',
      setting: 'PUBLIC_RATE_LIMIT_WINDOW_MS',
    },
    { name: 'connections', value: http.maxConnections, unit: 'connections', setting: 'MAX_CONNECTIONS' },
    { name: 'time for headers', value: http.headersTimeoutMs, unit: 'milliseconds', setting: 'HEADERS_TIMEOUT_MS' },
    { name: 'time for a small body', value: http.bodyTimeoutMs, unit: 'milliseconds', setting: 'BODY_TIMEOUT_MS' },
    { name: 'upload file', value: megabytes(upload.maxFileBytes), unit: 'MB', setting: 'MAX_FILE_SIZE_MB' },
    { name: 'upload request', value: megabytes(upload.maxRequestBytes), unit: 'MB', setting: 'MAX_REQUEST_SIZE_MB' },
    { name: 'upload files', value: upload.maxFiles, unit: 'files', setting: 'MAX_FILES_PER_UPLOAD' },
  ];
}
