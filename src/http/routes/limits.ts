import { z } from 'zod';
import type { Config } from '../../config.ts';
import { acceptedExtensions } from '../../media.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const limit = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  bytes: z
    .number()
    .int()
    .optional()
    .describe('The value in bytes, of limits in MB. In a space its `maxFileBytes` counts.'),
  setting: z
    .string()
    .describe('Environment variable of the limit; in a space `maxFileBytes` where this rule is lower.'),
});
const limitList = z.object({
  limits: z.array(limit),
  extensions: z.array(z.string()).describe('Extensions of the files that can be uploaded, in lower case.'),
  families: z.array(z.string()).describe('Font families for texts.'),
  missingScripts: z
    .array(z.object({ script: z.string(), package: z.string() }))
    .describe('Scripts that texts show as boxes, since no font has them, with the Debian package that has one.'),
});

/** `GET /limits`: limits of input and output, with their settings. */
export function limitsRoutes({ services: { config, fonts } }: RouteContext): readonly Endpoint[] {
  const groups = [sizes, renders, transcodes, clients, bodies, uploads, fetches, webhooks];
  const rows = groups.flatMap((group) => group(config));
  const limits = rows.map(([name, value, unit, setting]) => ({
    name,
    value,
    unit,
    setting,
    ...(unit === 'MB' && { bytes: Math.round(value * MEGABYTE) }),
  }));
  return [
    defineEndpoint('GET /limits', {
      access: 'public',
      limit: 'public',
      isDelivery: false,
      openapi: { id: 'getLimits', tag: 'Health', summary: 'Limits of input and output.' },
      schemas: { response: { 200: limitList } },
      handle: () => ({
        limits,
        extensions: [...acceptedExtensions(config.upload.types)],
        families: [...fonts.families],
        missingScripts: [...fonts.missing],
      }),
    }),
  ];
}

type Row = readonly [name: string, value: number, unit: string, setting: string];

const MEGABYTE = 1024 * 1024;
const megabytes = (bytes: number) => bytes / MEGABYTE;

function sizes({ limits }: Config): Row[] {
  const { side, pixels } = limits.videoOutput;
  return [
    ['input size', limits.inputMegapixels, 'megapixels', 'MAX_INPUT_MEGAPIXELS'],
    ['animation frames', limits.animationFrames, 'frames', 'MAX_ANIMATION_FRAMES'],
    ['animation size', limits.animationMegapixels, 'megapixels', 'MAX_ANIMATION_MEGAPIXELS'],
    ['output side', limits.outputSide, 'pixels', 'MAX_OUTPUT_SIDE'],
    ['output size', limits.outputMegapixels, 'megapixels', 'MAX_OUTPUT_MEGAPIXELS'],
    ['video output side', side, 'pixels', 'MAX_VIDEO_OUTPUT_SIDE'],
    ['video output size', pixels / 1e6, 'megapixels', 'MAX_VIDEO_OUTPUT_MEGAPIXELS'],
    ...Object.entries(limits.formatMegapixels).map(([format, value]): Row => {
      const name = format.toUpperCase();
      return [`output size of ${name}`, value, 'megapixels', `MAX_${name}_MEGAPIXELS`];
    }),
  ];
}

function renders({ limits, render, renderBudget }: Config): Row[] {
  return [
    ['render time', render.timeoutMs, 'milliseconds', 'RENDER_TIMEOUT_MS'],
    ['drawing time of a document', limits.drawingMs, 'milliseconds', 'DOCUMENT_TIMEOUT_MS'],
    ['render memory', megabytes(render.memoryBytes), 'MB', 'RENDER_MEMORY_MB'],
    ['memory of large renders', megabytes(render.totalMemoryBytes), 'MB', 'RENDER_TOTAL_MEMORY_MB'],
    ['render queue', render.maxQueued, 'requests', 'RENDER_QUEUE_MAX'],
    ['render queue of one client', render.maxQueuedPerClient, 'requests', 'RENDER_QUEUE_MAX_PER_CLIENT'],
    ['wait for a render', render.maxWaitMs, 'milliseconds', 'RENDER_QUEUE_WAIT_MS'],
    ['render time of one client', renderBudget.perClientMs, 'milliseconds', 'RENDER_BUDGET_PER_CLIENT'],
  ];
}

function transcodes({ video }: Config): Row[] {
  const { memoryBytes } = video;
  return [
    ['transcode queue', video.queueMax, 'transcodes', 'VIDEO_QUEUE_MAX'],
    ['transcodes of one client', video.queueMaxPerClient, 'transcodes', 'VIDEO_QUEUE_MAX_PER_CLIENT'],
    ['transcode time for each minute', video.timeoutMs, 'milliseconds', 'VIDEO_TIMEOUT_MS'],
    ...(memoryBytes === undefined
      ? []
      : [['transcode memory', megabytes(memoryBytes), 'MB', 'VIDEO_MEMORY_MB'] as const]),
  ];
}

function clients({ http, events }: Config): Row[] {
  return [
    ['public requests', http.rateLimit.max, 'requests', 'PUBLIC_RATE_LIMIT_MAX'],
    ['public request window', http.rateLimit.windowMs, 'milliseconds', 'PUBLIC_RATE_LIMIT_WINDOW_MS'],
    ['connections', http.maxConnections, 'connections', 'MAX_CONNECTIONS'],
    ['connections of one client', http.maxConnectionsPerAddress, 'connections', 'MAX_CONNECTIONS_PER_ADDRESS'],
    ['event listeners', events.maxClients, 'connections', 'MAX_EVENT_CLIENTS'],
    ['event listeners of one client', events.maxClientsPerAddress, 'connections', 'MAX_EVENT_CLIENTS_PER_ADDRESS'],
  ];
}

function bodies({ http }: Config): Row[] {
  return [
    ['time for headers', http.headersTimeoutMs, 'milliseconds', 'HEADERS_TIMEOUT_MS'],
    ['time without a byte', http.socketTimeoutMs, 'milliseconds', 'SOCKET_TIMEOUT_MS'],
    ['time for a small body', http.bodyTimeoutMs, 'milliseconds', 'BODY_TIMEOUT_MS'],
    ['JSON body', megabytes(http.json.maxBytes), 'MB', 'MAX_JSON_SIZE_MB'],
    ['depth of a JSON body', http.json.maxDepth, 'levels', 'MAX_JSON_DEPTH'],
    ['values in a JSON body', http.json.maxValues, 'values', 'MAX_JSON_VALUES'],
  ];
}

function uploads({ upload, auth }: Config): Row[] {
  return [
    ['upload file', megabytes(upload.maxFileBytes), 'MB', upload.maxFileSetting],
    ['upload request', megabytes(upload.maxRequestBytes), 'MB', 'MAX_REQUEST_SIZE_MB'],
    ['upload files', upload.maxFiles, 'files', 'MAX_FILES_PER_UPLOAD'],
    ['all uploads', megabytes(upload.maxTempBytes), 'MB', 'UPLOAD_TEMP_MAX_MB'],
    [
      'uploads of one client without a key',
      megabytes(upload.maxTempBytesPerClient),
      'MB',
      'UPLOAD_TEMP_MAX_MB_PER_CLIENT',
    ],
    ['files before their signature', megabytes(upload.maxUnauthenticatedBytes), 'MB', 'UPLOAD_UNPROVEN_MAX_MB'],
    [
      'uploads of one client before their signature',
      upload.maxUnauthenticatedPerClient,
      'uploads',
      'UPLOAD_UNPROVEN_MAX_PER_CLIENT',
    ],
    ['slowest upload', upload.minBytesPerSecond / 1024, 'KB/s', 'UPLOAD_MIN_RATE_KB'],
    ['time of an upload beside its rate', upload.graceMs, 'milliseconds', 'UPLOAD_GRACE_MS'],
    ['resumable uploads', upload.resumable.maxOpen, 'uploads', 'UPLOAD_RESUMABLE_MAX'],
    [
      'resumable uploads of one client',
      upload.resumable.maxOpenPerClient,
      'uploads',
      'UPLOAD_RESUMABLE_MAX_PER_CLIENT',
    ],
    ['time of a resumable upload', upload.resumable.expiresMs / 3_600_000, 'hours', 'UPLOAD_RESUMABLE_HOURS'],
    [
      'time for the first megabyte of a resumable upload without a key',
      upload.resumable.emptyMs / 60_000,
      'minutes',
      'UPLOAD_RESUMABLE_EMPTY_MINUTES',
    ],
    ['time for each further megabyte', upload.resumable.idleMs / 60_000, 'minutes', 'UPLOAD_RESUMABLE_IDLE_MINUTES'],
    ['term of a signature', auth.signatureMaxSeconds, 'seconds', 'SIGNATURE_MAX_EXPIRES_IN'],
  ];
}

function fetches({ pull }: Config): Row[] {
  return [['originals fetched from their old place', megabytes(pull.maxBytes), 'MB', 'ORIGINS_MAX_MB']];
}

function webhooks({ webhooks: { maxWaiting } }: Config): Row[] {
  return [['deliveries that wait for a webhook', maxWaiting, 'deliveries', 'WEBHOOK_QUEUE_MAX']];
}
