import { EXTRA_TYPES } from '../media.ts';
import { boolean, decimal, heights, integer, listOf, oneOf, presets } from './formats.ts';
import { inSection, setting } from './setting.ts';

export const limits = {
  ...inSection('Access', {
    presets: setting('PRESETS', presets(), {
      default: '',
      about: 'Named transformations, `name=transformation` separated by `;`, for use as `n_<name>`.',
    }),
  }),
  ...inSection('Limits', {
    documents: setting('EXTRA_TYPES', listOf(EXTRA_TYPES), {
      default: '',
      about:
        'Types of documents that are accepted and rendered as [images](formats.md#documents), separated by commas: ' +
        '`svg`, `pdf`, `tiff`. Off by default, because their decoders are a larger attack surface; stored files of ' +
        'these types are then served, but not rendered. Has to be the same on all nodes.',
    }),
    drawingMs: setting('DOCUMENT_TIMEOUT_MS', integer(100, 3_600_000), {
      default: '5000',
      about:
        'Time to open and draw a page of an SVG or PDF; then 422, and the page is not tried again for ten minutes, ' +
        'nor the whole file after two such pages.',
    }),
    inputMegapixels: setting('MAX_INPUT_MEGAPIXELS', integer(1, 10_000), {
      default: '100',
      about: 'Size of images and video frames that are decoded.',
    }),
    animationFrames: setting('MAX_ANIMATION_FRAMES', integer(1, 1e6), {
      default: '2000',
      about: 'Frames of an animated image.',
    }),
    animationMegapixels: setting('MAX_ANIMATION_MEGAPIXELS', integer(1, 10_000), {
      default: '50',
      about:
        'Size of all frames together of an animation that stays one in its result (`an_true`), both decoded and ' +
        'rendered ([more](animation.md)).',
    }),
    outputSide: setting('MAX_OUTPUT_SIDE', integer(1, 16_383), {
      default: '8192',
      about: 'Width and height of results.',
    }),
    outputMegapixels: setting('MAX_OUTPUT_MEGAPIXELS', integer(1, 268), { default: '50', about: 'Size of results.' }),
    formatMegapixels: {
      webp: setting('MAX_WEBP_MEGAPIXELS', integer(1, 268), {
        default: '50',
        about: 'Size of results in WebP; half of it for transparent ones.',
      }),
      avif: setting('MAX_AVIF_MEGAPIXELS', integer(1, 268), {
        default: '13',
        about:
          'Size of results in AVIF. The limits of WebP, AVIF and GIF are lower because their encoders hold the whole ' +
          'image in memory ([how much](deployment.md#sizing)). Above them, another format is chosen if the client ' +
          'leaves the format to the service.',
      }),
      gif: setting('MAX_GIF_MEGAPIXELS', integer(1, 268), { default: '16', about: 'Size of results in GIF.' }),
    },
    videoOutput: {
      side: setting('MAX_VIDEO_OUTPUT_SIDE', integer(2, 16_384), {
        default: '4096',
        about: 'Width and height of transcoded videos.',
      }),
      pixels: setting('MAX_VIDEO_OUTPUT_MEGAPIXELS', decimal(0.01, 268), {
        default: '8.3',
        unit: 'megapixels',
        about: 'Size of transcoded videos. The default is that of 4K (3840 x 2160).',
      }),
    },
    streamHeights: setting('STREAM_HEIGHTS', heights(), {
      default: '360,540,720,1080',
      about:
        'Heights in which videos are [streamed](streaming.md), up to their own height: one to ten, from 16 to 16384.',
    }),
  }),
};

export const events = {
  maxClients: setting('MAX_EVENT_CLIENTS', integer(1, 100_000), {
    default: '2000',
    about:
      'Open connections that listen to events. Those without a session or a key that has `read` may use nine tenths ' +
      'of it.',
  }),
  maxClientsPerAddress: setting('MAX_EVENT_CLIENTS_PER_ADDRESS', integer(1, 100_000), {
    default: '20',
    about:
      'Such connections of one client address, counted separately with and without such a session or key; one more ' +
      'is 429.',
  }),
  visibility: setting('PUBLIC_EVENTS', oneOf(['requested', 'full']), {
    default: 'requested',
    about:
      'Files that [events](video.md#events) name to listeners without a session or a key that has `read`: those that ' +
      'a listener requests by `?path=`, or all (`full`, for trusted networks).',
  }),
  heartbeatMs: setting('EVENTS_HEARTBEAT_MS', integer(10, 3_600_000), {
    default: '30000',
    about: 'Interval of heartbeats on these connections.',
  }),
};

export const render = {
  workers: setting('RENDER_WORKERS', integer(1, 256), {
    about:
      'Images rendered in parallel, each in its own process. Default: as many as there are CPUs, and at least two.',
  }),
  workerIdleMs: setting('RENDER_WORKER_IDLE_MS', integer(0, 86_400_000), {
    default: '30000',
    about:
      'Time without work after which such a process ends. The next image starts it again and takes about 0.15 s ' +
      'longer. `0`: all of them start with the service and stay.',
  }),
  maxQueued: setting('RENDER_QUEUE_MAX', integer(0, 100_000), {
    default: '500',
    about: 'Renders that may wait; one more is 503. A tenth is reserved for clients with a key or a session.',
  }),
  maxQueuedPerClient: setting('RENDER_QUEUE_MAX_PER_CLIENT', integer(1, 100_000), {
    default: '250',
    about:
      'Renders for one client address that may wait; one more is 429. It does not apply to clients with a key or a ' +
      'session.',
  }),
  maxWaitMs: setting('RENDER_QUEUE_WAIT_MS', integer(1, 3_600_000), {
    default: '60000',
    about: 'Time for which a render may wait.',
  }),
  timeoutMs: setting('RENDER_TIMEOUT_MS', integer(100, 3_600_000), {
    default: '60000',
    about: 'Time for a render, from the moment when a worker process has it.',
  }),
  memoryBytes: setting('RENDER_MEMORY_MB', integer(128, 1e6), {
    default: '2048',
    unit: 'MB',
    about:
      'Memory of a worker process. An image that needs more [by its estimate](deployment.md#images) is refused ' +
      'with 400; a worker process that uses more is ended.',
  }),
  totalMemoryBytes: setting('RENDER_TOTAL_MEMORY_MB', integer(64, 1e6), {
    default: '512',
    unit: 'MB',
    about:
      'Memory that large renders may need together. A render that needs more by itself runs without another large ' +
      'one in parallel.',
  }),
};

export const cluster = {
  onceWaitMs: setting('RENDER_ELSEWHERE_WAIT_MS', integer(1, 3_600_000), {
    default: '5000',
    about:
      'In a cluster: time for which a request waits for a variant that another node is rendering. Then this node ' +
      'renders it too.',
  }),
};

export const renderBudget = {
  perClientMs: setting('RENDER_BUDGET_PER_CLIENT', integer(0, 1e9), {
    about:
      'CPU time, in milliseconds, of renders for one client address (including those of its presigned uploads) per ' +
      'window of `PUBLIC_RATE_LIMIT_WINDOW_MS`; then images that are not in the cache are 429. Default: 60000, or 0 ' +
      '(no limit) if `PUBLIC_RATE_LIMIT_MAX` is 0.',
  }),
};

export const video = {
  hasWorker: setting('JOB_WORKER', boolean(), {
    default: 'true',
    about:
      '`false`, in a cluster: this node accepts jobs from clients and leaves them [to the ' +
      'others](cluster.md#workers). It needs ffmpeg only for single frames.',
  }),
  maxConcurrent: setting('VIDEO_MAX_CONCURRENT', integer(1, 256), {
    about: 'Transcodes in parallel. Default: by CPUs and memory.',
  }),
  threads: setting('VIDEO_FFMPEG_THREADS', integer(1, 256), { about: 'Threads of each transcode. Default: by CPUs.' }),
  niceness: setting('VIDEO_FFMPEG_NICENESS', integer(0, 19), {
    default: '15',
    about: 'Niceness of encoders, 0 to 19: the higher, the more CPU time is left to requests.',
  }),
  stallMs: setting('VIDEO_STALL_TIMEOUT_MS', integer(1000, 3_600_000), {
    default: '60000',
    about: 'An encoder without progress for this long is ended.',
  }),
  timeoutMs: setting('VIDEO_TIMEOUT_MS', integer(1, 86_400_000), {
    default: '1800000',
    about: 'Time for a transcode per minute of its source; at least one minute is counted.',
  }),
  memoryBytes: setting('VIDEO_MEMORY_MB', integer(64, 1e6), {
    unit: 'MB',
    about:
      'Memory of each encoder, and of every other process that reads a video; one that uses more is ended. Default: ' +
      '256 per CPU, from 512 to 2048, but at most half of the memory of the host (or container) for all of them ' +
      'together. [Examples](deployment.md#videos).',
  }),
  queueMax: setting('VIDEO_QUEUE_MAX', integer(1, 1e6), {
    default: '1000',
    about: 'Transcodes that may wait; one more is 503. A tenth is reserved for clients with a key or a session.',
  }),
  queueMaxPerClient: setting('VIDEO_QUEUE_MAX_PER_CLIENT', integer(1, 1e6), {
    default: '20',
    about:
      'Transcodes of one client (an address in IPv4, a network in IPv6) that may wait or run; one more is 429. ' +
      'Clients with a key or a session are not counted; presigned uploads are.',
  }),
  retryMax: setting('VIDEO_JOB_RETRY_MAX', integer(0, 100), { default: '3', about: 'Retries of a failed job.' }),
  retryDelayMs: setting('VIDEO_JOB_RETRY_DELAY_MS', integer(1, 3_600_000), {
    default: '2000',
    about: 'Delay before the first retry. It doubles each time, up to a minute.',
  }),
  cleanupMs: setting('VIDEO_JOB_CLEANUP_HOURS', integer(1, 100_000), {
    default: '24',
    unit: 'hours',
    about: 'Hours for which ended jobs are retained.',
  }),
  leaseMs: setting('VIDEO_JOB_LEASE_MS', integer(1000, 3_600_000), {
    default: '15000',
    about:
      'A running job whose process sends no heartbeat for this long is started again by another one. In a cluster, a ' +
      'transcode continues for this long while PostgreSQL is unreachable.',
  }),
  pollIntervalMs: setting('VIDEO_POLL_INTERVAL_MS', integer(10, 3_600_000), {
    default: '5000',
    about: 'Interval at which the service checks for jobs of other processes on the same data that cannot notify it.',
  }),
};
