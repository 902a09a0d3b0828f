import type { Permission } from '../../auth/api-key.ts';

/** Who may use an operation: everybody, whoever holds a signature, or a key with a permission (and the admin's session). */
export type Access = 'public' | 'signed' | 'presigned' | Permission;

/** The groups of operations, and what the document says of each. */
export const TAGS = {
  Delivery: 'Originals and variants, for browsers.',
  Download: 'Originals and archives of them, as attachments.',
  Upload: 'Storing files.',
  Storage: 'The library: folders and files, and the cache of their variants.',
  Queue: 'Videos that are being transcoded.',
  Video: 'How far a video is, for whoever waits for it.',
  'API keys': 'Making and revoking keys.',
  Account: "The admin's account and session.",
  Health: 'How the service is.',
} as const;

/** What a route's schemas do not say of it. */
export interface Operation {
  /** What generated clients call it; it stays as it is for good. */
  id: string;
  /** Method and path as the router has them. */
  route: string;
  /** The path as the document shows it; one route can be several operations. */
  path: string;
  tag: keyof typeof TAGS;
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
const FILE_ERRORS = [400, 401, 403, 404, 412, 416, 503];
const ZIP = ['application/zip'];
const DOWNLOAD = { media: ANY_FILE, statuses: FILE_STATUSES, errors: [400, 401, 403, 404, 412, 416] };
const FOLDER_DOWNLOAD = { media: ZIP, errors: [400, 401, 403, 404] };
const FORM = { errors: [400, 408, 413] };
const UPLOAD = { errors: [...FORM.errors, 503] };
const CHANGE = { errors: [404, 409] };
const STREAM = { media: ['text/event-stream'], errors: [400, 401, 403, 503] };

export const OPERATIONS: readonly Operation[] = [
  ...group('Delivery', [
    ...delivery('get', '', '/t/', 'public'),
    ...delivery('getSigned', ' by a signed URL', '/authenticated/s--{signature}/', 'signed'),
    ...delivery('getExpiring', ' by a signed URL that ends', '/authenticated/s--{signature}--{expires}/', 'signed'),
  ]),
  ...group('Download', [
    one('downloadFile', 'GET /download/*', 'Downloads an original.', 'public', DOWNLOAD),
    one('downloadFolder', 'GET /download-folder/*', 'Downloads a folder as a ZIP.', 'public', FOLDER_DOWNLOAD),
    one('downloadZip', 'POST /download-zip', 'Downloads files and folders as a ZIP.', 'read', {
      media: ZIP,
      errors: [404],
    }),
  ]),
  ...group('Upload', [
    one('uploadFiles', 'POST /upload', 'Uploads files and renders variants of them.', 'presigned', UPLOAD),
    one('signUpload', 'POST /upload/sign', 'Signs the right to upload into a folder.', 'upload', { errors: [500] }),
    one('createFolder', 'POST /upload/createfolder', 'Creates a folder.', 'upload', FORM),
  ]),
  ...group('Storage', [
    one('listFolder', 'GET /storage', 'Lists a folder.', 'read', { errors: [400] }),
    one('listAllFolders', 'GET /storage/folders', 'Lists all folders.', 'read'),
    one('summariseFolders', 'GET /storage/folder-summaries', 'Looks into folders.', 'read'),
    one('getStorageStats', 'GET /storage/stats', 'How much is stored and cached.', 'read'),
    one('recalculateStorageStats', 'POST /storage/stats/recalculate', 'Counts anew what is stored.', 'manage'),
    one('clearCache', 'POST /storage/cache/clear', 'Clears all cached variants.', 'manage'),
    one('getFileMetadata', 'GET /storage/*', 'Size and times of a file.', 'read', {
      path: '/storage/{path}/metadata',
      errors: [400, 404],
    }),
    one('renameFile', 'PATCH /storage/*', 'Renames a file or folder.', 'manage', CHANGE),
    one('moveFile', 'POST /storage/*', 'Moves a file or folder.', 'manage', {
      ...CHANGE,
      path: '/storage/{path}/move',
    }),
    one('copyFile', 'POST /storage/*', 'Copies a file.', 'manage', { ...CHANGE, path: '/storage/{path}/copy' }),
    one('deleteFile', 'DELETE /storage/*', 'Deletes a file, or a folder with recursive=true.', 'manage', CHANGE),
    one('invalidateVariants', 'DELETE /invalidate/*', 'Clears the variants of a file or folder.', 'manage', {
      errors: [400],
    }),
  ]),
  ...group('Queue', [
    one('getQueueStats', 'GET /queue/stats', 'Counts jobs by status.', 'read'),
    one('getWorkerStats', 'GET /queue/worker/stats', 'What the worker does.', 'read'),
    one('listJobs', 'GET /queue/jobs', 'Lists jobs, the newest first.', 'read'),
    one('getJob', 'GET /queue/jobs/:jobId', 'One job.', 'read', { errors: [404] }),
    one('retryJob', 'POST /queue/jobs/:jobId/retry', 'Queues a failed job again.', 'manage'),
    one('cancelJob', 'POST /queue/jobs/:jobId/cancel', 'Cancels a pending job.', 'manage'),
    one('deleteJob', 'DELETE /queue/jobs/:jobId', 'Deletes a job.', 'manage'),
    one('streamJobEvents', 'GET /queue/events', 'What happens to jobs, as server-sent events.', 'public', STREAM),
  ]),
  ...group('Video', [
    ...status('getVideo', '', 'public'),
    ...status('getSignedVideo', 's--{signature}/{transformations}/', 'signed'),
    ...status('getExpiringVideo', 's--{signature}--{expires}/{transformations}/', 'signed'),
  ]),
  ...group('API keys', [
    one('createApiKey', 'POST /api-keys/create', 'Creates a key.', 'admin', { errors: [503] }),
    one('listApiKeys', 'GET /api-keys/list', 'Lists the keys.', 'admin'),
    one('updateApiKey', 'PATCH /api-keys/:keyId', 'Renames, enables or disables a key.', 'admin', {
      errors: [404, 503],
    }),
    one('deleteApiKey', 'DELETE /api-keys/:keyId', 'Revokes a key.', 'admin', { errors: [404, 503] }),
  ]),
  ...group('Account', [
    one('signIn', 'POST /api/auth/sign-in/email', 'Signs in.', 'public', { errors: [401, 403, 429, 503] }),
    one('signOut', 'POST /api/auth/sign-out', 'Signs out.', 'public', { errors: [403, 429, 503] }),
    one('getSession', 'GET /api/auth/get-session', 'The session of the cookie, or null.', 'public', {
      errors: [429, 503],
    }),
    one('getSetup', 'GET /api/auth/setup', 'Whether the first account can be created.', 'public'),
    one('createFirstAccount', 'POST /api/auth/setup', 'Creates the first account.', 'public', {
      errors: [401, 403, 409, 429, 503],
    }),
  ]),
  ...group('Health', [
    one('getHealth', 'GET /health', 'Whether the service is there.', 'public'),
    one('getDatabaseHealth', 'GET /health/database', 'How the database is.', 'admin'),
    one('getLiveness', 'GET /livez', 'Whether the process answers.', 'public'),
    one('getReadiness', 'GET /readyz', 'Whether requests should come here; and how what it depends on is.', 'public'),
    one('getMetrics', 'GET /metrics', 'Figures for Prometheus.', 'admin', { media: ['text/plain'] }),
    one('getLimits', 'GET /limits', 'What the service accepts and makes.', 'public'),
    one('getVersion', 'GET /api/version', 'Which version runs.', 'public'),
  ]),
];

type Untagged = Omit<Operation, 'tag'>;

function group(tag: Operation['tag'], operations: readonly Untagged[]): Operation[] {
  return operations.map((operation) => ({ ...operation, tag }));
}

/** The path is the route's, unless the route is several operations. */
function one(
  id: string,
  route: string,
  summary: string,
  access: Access,
  more: Partial<Pick<Operation, 'path' | 'errors' | 'media' | 'statuses'>> = {},
): Untagged {
  const [, url = ''] = route.split(' ');
  return { id, route, path: url.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}'), summary, access, ...more };
}

function delivery(id: string, how: string, prefix: string, access: Access): Untagged[] {
  const route = access === 'public' ? 'GET /t/*' : 'GET /authenticated/*';
  const errors = access === 'public' ? FILE_ERRORS : [...FILE_ERRORS, 500];
  const more = { media: ANY_FILE, statuses: FILE_STATUSES, errors };
  return [
    one(`${id}Variant`, route, `Delivers a variant of a file${how}.`, access, {
      ...more,
      statuses: [...FILE_STATUSES, 202],
      errors: [...errors, 422],
      path: `${prefix}{transformations}/{path}`,
    }),
    one(`${id}Original`, route, `Delivers an original${how}.`, access, { ...more, path: `${prefix}{path}` }),
  ];
}

/** Where signed URLs alone deliver, the signature of one opens its status too. */
function status(id: string, prefix: string, access: Access): Untagged[] {
  const route = 'GET /video-status/*';
  const path = `/video-status/${prefix}{path}`;
  const errors = [400, 401, 403, 404];
  return [
    one(`${id}Status`, route, 'How far a video is.', access, { path, errors }),
    one(`${id}Size`, route, 'The size of a finished variant.', access, { path: `${path}/size`, errors }),
  ];
}
