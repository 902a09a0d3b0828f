import type { Permission } from '../../auth/api-key.ts';

/** Who may use an operation: everybody, whoever holds a signature, or a key with a permission (and the admin's session). */
export type Access = 'public' | 'signed' | 'presigned' | Permission;

/** What a route's schemas do not say of it. */
export interface Operation {
  /** Method and path as the router has them. */
  route: string;
  /** The path as the document shows it; one route can be several operations. */
  path: string;
  tag: string;
  summary: string;
  access: Access;
  /** Statuses of errors beyond those that follow from access and schemas. */
  errors?: readonly number[];
  /** Types of a successful answer that is no JSON. */
  media?: readonly string[];
  /** Statuses of such answers; default 200. */
  statuses?: readonly number[];
}

const ANY_FILE = ['*/*'];
/** Conditional requests and ranges. */
const FILE_STATUSES = [200, 206, 304];
const FILE_ERRORS = [400, 401, 403, 404, 412, 416, 422, 503];
const ZIP = ['application/zip'];

export const OPERATIONS: readonly Operation[] = [
  ...delivery('/t/', 'public'),
  ...delivery('/authenticated/s--{signature}/', 'signed'),
  ...delivery('/authenticated/s--{signature}--{expires}/', 'signed'),
  one('GET /download/*', '/download/{path}', 'Download', 'Downloads an original.', 'public', {
    media: ANY_FILE,
    statuses: FILE_STATUSES,
    errors: [400, 401, 403, 404, 412, 416],
  }),
  one(
    'GET /download-folder/*',
    '/download-folder/{path}',
    'Download',
    'Downloads a folder as a ZIP archive.',
    'public',
    {
      media: ZIP,
      errors: [400, 401, 403, 404],
    },
  ),
  one('POST /download-zip', '/download-zip', 'Download', 'Downloads files and folders as a ZIP archive.', 'read', {
    media: ZIP,
    errors: [404],
  }),
  one('POST /upload', '/upload', 'Upload', 'Uploads files and renders variants of them.', 'presigned', {
    errors: [400, 408, 413],
  }),
  one('POST /upload/sign', '/upload/sign', 'Upload', 'Signs the right to upload into a folder.', 'upload', {
    errors: [500],
  }),
  one('POST /upload/createfolder', '/upload/createfolder', 'Upload', 'Creates a folder.', 'upload', {
    errors: [400, 408, 413],
  }),
  one('GET /storage', '/storage', 'Storage', 'Lists a folder.', 'read', { errors: [400] }),
  one('GET /storage/folders', '/storage/folders', 'Storage', 'Lists all folders.', 'read'),
  one('GET /storage/folder-summaries', '/storage/folder-summaries', 'Storage', 'Looks into folders.', 'read'),
  one('GET /storage/stats', '/storage/stats', 'Storage', 'How much is stored and cached.', 'read'),
  one(
    'POST /storage/stats/recalculate',
    '/storage/stats/recalculate',
    'Storage',
    'Counts anew what is stored.',
    'manage',
  ),
  one('POST /storage/cache/clear', '/storage/cache/clear', 'Storage', 'Clears all cached variants.', 'manage'),
  one('GET /storage/*', '/storage/{path}/metadata', 'Storage', 'Size and times of a file.', 'read', {
    errors: [400, 404],
  }),
  one('PATCH /storage/*', '/storage/{path}', 'Storage', 'Renames a file or folder.', 'manage', { errors: [404, 409] }),
  one('POST /storage/*', '/storage/{path}/move', 'Storage', 'Moves a file or folder.', 'manage', {
    errors: [404, 409],
  }),
  one('POST /storage/*', '/storage/{path}/copy', 'Storage', 'Copies a file.', 'manage', { errors: [404, 409] }),
  one('DELETE /storage/*', '/storage/{path}', 'Storage', 'Deletes a file, or a folder with recursive=true.', 'manage', {
    errors: [404, 409],
  }),
  one(
    'DELETE /invalidate/*',
    '/invalidate/{path}',
    'Storage',
    'Clears the cached variants of a file or folder.',
    'manage',
    {
      errors: [400],
    },
  ),
  one('GET /queue/stats', '/queue/stats', 'Queue', 'Counts jobs by status.', 'read'),
  one('GET /queue/worker/stats', '/queue/worker/stats', 'Queue', 'What the worker does.', 'read'),
  one('GET /queue/jobs', '/queue/jobs', 'Queue', 'Lists jobs.', 'read'),
  one('GET /queue/jobs/:jobId', '/queue/jobs/{jobId}', 'Queue', 'One job.', 'read', { errors: [404] }),
  one('POST /queue/jobs/:jobId/retry', '/queue/jobs/{jobId}/retry', 'Queue', 'Queues a failed job again.', 'manage'),
  one('POST /queue/jobs/:jobId/cancel', '/queue/jobs/{jobId}/cancel', 'Queue', 'Cancels a pending job.', 'manage'),
  one('DELETE /queue/jobs/:jobId', '/queue/jobs/{jobId}', 'Queue', 'Deletes a job.', 'manage'),
  one('GET /queue/events', '/queue/events', 'Queue', 'What happens to jobs, as server-sent events.', 'public', {
    media: ['text/event-stream'],
    errors: [400, 503],
  }),
  one('GET /video-status/*', '/video-status/{path}', 'Video', 'How far a video is.', 'public', { errors: [400, 404] }),
  one('GET /video-status/*', '/video-status/{path}/size', 'Video', 'The size of a finished variant.', 'public', {
    errors: [400, 404],
  }),
  one('POST /api-keys/create', '/api-keys/create', 'API keys', 'Creates a key.', 'admin'),
  one('GET /api-keys/list', '/api-keys/list', 'API keys', 'Lists the keys.', 'admin'),
  one('PATCH /api-keys/:keyId', '/api-keys/{keyId}', 'API keys', 'Renames, enables or disables a key.', 'admin', {
    errors: [404],
  }),
  one('DELETE /api-keys/:keyId', '/api-keys/{keyId}', 'API keys', 'Revokes a key.', 'admin', { errors: [404] }),
  account('POST', 'sign-in/email', 'Signs in.', [401, 403, 429]),
  account('POST', 'sign-out', 'Signs out.', [403, 429]),
  account('GET', 'get-session', 'The session of the cookie, or null.', [429]),
  account('GET', 'setup', 'Whether the first account can be created.', []),
  account('POST', 'setup', 'Creates the first account.', [401, 403, 409]),
  one('GET /health', '/health', 'Health', 'Whether the service is there.', 'public'),
  one('GET /health/database', '/health/database', 'Health', 'How the database is.', 'admin'),
  one('GET /livez', '/livez', 'Health', 'Whether the process answers.', 'public'),
  one('GET /readyz', '/readyz', 'Health', 'Whether database, storage and rendering work.', 'public'),
  one('GET /metrics', '/metrics', 'Health', 'Figures for Prometheus.', 'admin', { media: ['text/plain'] }),
  one('GET /limits', '/limits', 'Health', 'What the service accepts and makes.', 'public'),
  one('GET /api/version', '/api/version', 'Health', 'Which version runs.', 'public'),
];

function one(
  route: string,
  path: string,
  tag: string,
  summary: string,
  access: Access,
  more: Pick<Operation, 'errors' | 'media' | 'statuses'> = {},
): Operation {
  return { route, path, tag, summary, access, ...more };
}

function account(method: string, name: string, summary: string, errors: readonly number[]): Operation {
  return one(`${method} /api/auth/${name}`, `/api/auth/${name}`, 'Account', summary, 'public', { errors });
}

function delivery(prefix: string, access: Access): Operation[] {
  const route = access === 'public' ? 'GET /t/*' : 'GET /authenticated/*';
  const errors = access === 'public' ? FILE_ERRORS : [...FILE_ERRORS, 500];
  const more = { media: ANY_FILE, statuses: [...FILE_STATUSES, 202], errors };
  return [
    one(route, `${prefix}{transformations}/{path}`, 'Delivery', 'Delivers a variant of a file.', access, more),
    one(route, `${prefix}{path}`, 'Delivery', 'Delivers an original.', access, more),
  ];
}
