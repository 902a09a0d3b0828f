import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import type { Services } from '../../services.ts';

/** `GET /limits`: what the service accepts and makes, and which setting says so. */
export function limitsRoutes(app: FastifyInstance, { config }: Services): void {
  const limits = listLimits(config);
  app.get('/limits', () => ({ limits }));
}

function listLimits({ limits, render, upload }: Config) {
  const megabytes = (bytes: number) => bytes / 1024 / 1024;
  return [
    { name: 'input size', value: limits.inputMegapixels, unit: 'megapixels', setting: 'MAX_INPUT_MEGAPIXELS' },
    { name: 'animation frames', value: limits.animationFrames, unit: 'frames', setting: 'MAX_ANIMATION_FRAMES' },
    { name: 'output side', value: limits.outputSide, unit: 'pixels', setting: 'MAX_OUTPUT_SIDE' },
    { name: 'output size', value: limits.outputMegapixels, unit: 'megapixels', setting: 'MAX_OUTPUT_MEGAPIXELS' },
    { name: 'render time', value: render.timeoutMs, unit: 'milliseconds', setting: 'RENDER_TIMEOUT_MS' },
    { name: 'render memory', value: megabytes(render.memoryBytes), unit: 'MB', setting: 'RENDER_MEMORY_MB' },
    { name: 'render queue', value: render.maxQueued, unit: 'requests', setting: 'RENDER_QUEUE_MAX' },
    { name: 'upload file', value: megabytes(upload.maxFileBytes), unit: 'MB', setting: 'MAX_FILE_SIZE_MB' },
    { name: 'upload request', value: megabytes(upload.maxRequestBytes), unit: 'MB', setting: 'MAX_REQUEST_SIZE_MB' },
    { name: 'upload files', value: upload.maxFiles, unit: 'files', setting: 'MAX_FILES_PER_UPLOAD' },
  ];
}
