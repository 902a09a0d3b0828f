/** Default label of a status. */
const LABELS = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Payload too large',
  416: 'Range not satisfiable',
  417: 'Expectation failed',
  422: 'Unprocessable media',
  423: 'Locked',
  429: 'Too many requests',
  431: 'Request header fields too large',
  500: 'Internal server error',
  503: 'Service unavailable',
  507: 'Insufficient storage',
} as const;

const error = <const Status extends keyof typeof LABELS>(
  status: Status,
  meaning: string,
  label: string = LABELS[status],
) => ({ status, label, meaning });

/** Error codes, the `code` of the JSON body. A published code never changes. Documented in docs/errors.md. */
export const ERRORS = {
  bad_request: error(400, 'The request is invalid, without a more specific code.'),
  missing_input: error(400, 'A required file, path, list or field is missing.'),
  validation_failed: error(400, 'A value in the body, the query or the path does not have the expected format.'),
  malformed_body: error(400, 'The body cannot be read, or has a type that the endpoint does not accept.'),
  too_many_items: error(400, 'The request has too many files, fields, paths, transformations or values.'),
  invalid_host: error(400, 'The `Host` header is missing, repeated or no host.'),
  invalid_cursor: error(400, 'The `cursor` is not one of this listing.'),
  invalid_encoding: error(400, 'A path is not percent-encoded UTF-8, or has an encoded `/` in a name.'),
  invalid_name: error(400, 'A name is empty or has a `/` in it.'),
  invalid_path: error(400, 'A path has a name that is `.`, `..`, blank, too long or forbidden.', 'Invalid path'),
  invalid_destination: error(400, 'A file or folder cannot be moved there: it exists there, or is its own parent.'),
  no_free_name: error(400, 'The requested name and all its numbered variants are taken.'),
  is_a_folder: error(400, 'The path is a folder; a file was expected.'),
  wrong_job_state: error(400, 'The job does not exist, or its state does not permit the action.'),
  invalid_transformation: error(400, 'The text is not a transformation.', 'Invalid transformation'),
  parameter_out_of_range: error(400, 'The value of a parameter is out of its range.', 'Invalid transformation'),
  transformation_too_long: error(400, 'A transformation has over 8,192 bytes in its URL.', 'Invalid transformation'),
  untranslatable: error(400, 'A part of a URL of another service has no counterpart here.', 'URL cannot be translated'),
  untransformable: error(400, 'Files of this type cannot be transformed.', 'File cannot be transformed'),
  limit_exceeded: error(400, 'An image or a video exceeds a limit; the message names the setting.', 'Limit exceeded'),
  malformed_signature: error(400, 'A signature or its expiry has the wrong format.', 'Invalid signature'),
  unsignable_path: error(400, 'A path cannot be signed: its signature would be valid for another purpose too.'),
  unsupported_type: error(400, 'Files of this type are not accepted.'),
  type_mismatch: error(400, 'The name, the declared type and the bytes of a file do not agree.'),
  url_not_public: error(400, 'A URL does not lead to a reachable public address; the log has the reason.'),
  url_not_fetched: error(400, 'A URL cannot be fetched; the message has the reason.'),
  file_too_large: error(400, 'A file is too large; the message names the setting.'),
  undecodable_picture: error(400, 'An image cannot be decoded.'),

  unauthorized: error(401, 'The request has neither an API key nor a session.'),
  invalid_api_key: error(401, 'The API key is unknown, disabled, expired or used up.'),
  invalid_credentials: error(401, 'The e-mail address and the password, the code, or the setup token, are wrong.'),
  signature_required: error(
    401,
    'This URL needs a signature, or a key or session that may read.',
    'Signature required',
  ),
  wrong_signature: error(401, 'The signature does not match this URL or these fields.'),
  signature_expired: error(401, 'The signature is correct, but has expired.'),
  expiry_too_far: error(401, 'The signature is correct, but expires later than `SIGNATURE_MAX_EXPIRES_IN` allows.'),

  forbidden: error(403, 'The request is not allowed, without a more specific code.'),
  missing_permission: error(403, 'The API key or the role does not have the permission; the message names it.'),
  role_too_high: error(403, 'A role above the own one cannot be given, changed or removed.'),
  foreign_origin: error(403, 'A request with a session cookie comes from a page of another site.'),
  password_sign_in_disabled: error(403, 'The account signs in through the identity provider, not with a password.'),
  wrong_password: error(403, 'The current password is wrong.'),
  preset_required: error(403, 'Only presets of the service are delivered.'),
  wrong_space: error(403, 'The API key or the session belongs to another space.'),
  space_disabled: error(403, 'The space is disabled.'),
  installation_only: error(403, 'The endpoint or the field belongs to the installation, not to a space.'),

  not_found: error(404, 'The path does not exist.'),
  unknown_endpoint: error(404, 'The endpoint does not exist.', 'Unknown endpoint'),
  file_not_found: error(404, 'The file does not exist.', 'File not found'),
  space_not_found: error(404, 'The space does not exist.', 'Space not found'),
  folder_not_found: error(404, 'The folder does not exist, or is empty.', 'Folder not found'),
  no_files_found: error(404, 'None of the requested files exists.', 'No files found'),
  version_not_found: error(404, 'The file has no such version.', 'Version not found'),
  trash_item_not_found: error(404, 'The item is not in the trash.', 'Not found'),
  tag_not_found: error(404, 'No file has this tag.', 'Tag not found'),
  redirect_not_found: error(404, 'The path has no redirect.', 'Redirect not found'),
  ticket_not_found: error(404, 'The download ticket does not exist, was used or has expired.'),
  upload_not_found: error(404, 'The resumable upload does not exist on this node, or has expired.'),
  job_not_found: error(404, 'The job does not exist.'),
  api_key_not_found: error(404, 'The API key does not exist.', 'API key not found'),
  session_not_found: error(404, 'Session not found.'),
  member_not_found: error(404, 'The account does not exist, or has no role here.', 'Member not found'),
  invitation_not_found: error(404, 'The invitation is unknown, used or expired.', 'Invitation not found'),
  webhook_not_found: error(404, 'The webhook does not exist.', 'Webhook not found'),
  not_processed: error(404, 'The variant of the video is not ready.', 'Not processed yet'),

  method_not_allowed: error(405, 'The endpoint does not support the method; `Allow` lists those that it does.'),
  request_timeout: error(408, 'The request or its body came too slowly.'),
  name_taken: error(409, 'Something else has this name.'),
  redirect_loop: error(409, 'A redirect would lead to itself, or to something below itself.'),
  too_many_redirects: error(409, 'There are too many redirects; the message has the limit.'),
  space_id_used: error(409, 'The id was that of a space that was deleted. Ids are used once.'),
  space_conflict: error(
    409,
    'Another space has the host or the folder, or the folder of a space would change; or a move would make more than 100 private folders of a space, or of the library in a space or outside of all.',
  ),
  older_node_running: error(409, 'A node of an older version runs, which does not know spaces.'),
  offset_mismatch: error(409, 'The offset of a resumable upload is wrong; the message has the right one.'),
  upload_incomplete: error(409, 'A resumable upload has no result before all bytes have arrived.'),
  webhook_conflict: error(409, 'The webhook is disabled, there are too many, or the delivery has not ended.'),
  two_factor_conflict: error(409, 'Two-factor authentication is enabled already, or not enabled.'),
  last_owner: error(409, 'The installation needs an owner, and this is the last one.'),
  account_exists: error(409, 'The e-mail address has an account or, for a change of the own one, an open invitation.'),
  too_many_invitations: error(409, 'Too many invitations are open; the message has the limit.'),
  setup_closed: error(409, 'The first account exists, or cannot be created now.'),
  precondition_failed: error(412, '`If-Match` or `If-Unmodified-Since` does not match.'),
  unsupported_tus_version: error(412, '`Tus-Resumable` names an unsupported version.'),
  payload_too_large: error(413, 'The body is too large; the message names the setting.'),
  range_not_satisfiable: error(416, 'The range lies outside the file.'),
  expectation_failed: error(417, 'The `Expect` of the request is something other than `100-continue`.'),
  unprocessable_media: error(422, 'The file cannot be decoded.'),
  transcode_failed: error(422, 'The job for the variant has failed.'),
  transcode_cancelled: error(422, 'The job for the variant was cancelled.'),
  upload_busy: error(423, 'Another request is writing to the resumable upload, or its file cannot be stored yet.'),

  rate_limited: error(429, 'The rate limit of the address, the session or the API key is used up.'),
  transfer_exceeded: error(429, 'The transfer of the space for this month is used up.'),
  too_many_sign_ins: error(429, 'Too many attempts to sign in.'),
  too_much_work: error(429, 'Renders or transcodes for this address have used up their budget.'),
  too_many_uploads: error(429, 'Too many uploads of this address wait for their signature, or are open.'),
  too_many_listeners: error(429, 'Too many clients of this address listen to events.'),
  headers_too_large: error(431, 'The request line and the headers are too long.'),

  internal_error: error(500, 'The service failed; its log has the reason.'),
  signing_not_configured: error(500, 'Signing needs the setting `API_SECRET`.', 'API_SECRET is not configured'),

  unavailable: error(503, 'Temporarily impossible, without a more specific code.'),
  queue_full: error(503, 'The queue is full.'),
  overloaded: error(503, 'Timed out waiting for capacity.'),
  render_failed: error(503, 'The render ended without a result.'),
  render_timeout: error(503, 'The render took too long.'),
  ffmpeg_missing: error(503, 'ffmpeg is not installed on the server, so videos cannot be transformed.'),
  storage_unavailable: error(503, 'The storage is unreachable.'),
  origin_unavailable: error(503, 'A file cannot be fetched from its previous host.'),
  origins_full: error(503, 'A file is not fetched from its previous host: fetched ones fill `ORIGINS_MAX_MB`.'),
  identity_provider_unavailable: error(503, 'The identity provider cannot be reached.'),
  database_unavailable: error(503, 'The database is unavailable.'),
  out_of_resources: error(503, 'The server is short of disk space or memory.'),
  stopping: error(503, 'The service is stopping.'),
  not_ready: error(503, 'The node should get no requests; the message has the reason.', 'Not ready'),

  quota_exceeded: error(507, 'The stored bytes of the space would exceed its quota.'),
} as const;

export type ErrorCode = keyof typeof ERRORS;

/**
 * Refusals under load, while stopping, beyond a quota, or for lack of a setting. No faults of the service, in spite of their 5xx
 * status.
 */
const EXPECTED: readonly ErrorCode[] = [
  'queue_full',
  'overloaded',
  'stopping',
  'ffmpeg_missing',
  'origins_full',
  'quota_exceeded',
  'signing_not_configured',
];

/** Codes of a status. */
type CodeOf<Status extends number> = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['status'] extends Status ? Code : never;
}[ErrorCode];

/** Overrides of the defaults of a code. */
interface ProblemOptions {
  /** The `error` field of the JSON body. */
  label?: string | undefined;
  /** Extra response headers, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>>;
  /** The `details` field of the JSON body: what the message says, for programs. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * Makes errors without stack traces until the returned function runs. For code in which Node makes thousands of
 * errors that no code reads.
 */
export function suppressStackTraces(): () => void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/** Error that is sent to a client: a stable code, a short label, and a message with what was expected and received. */
export class HttpProblem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** True if the service or a dependency has failed. */
  readonly isFault: boolean;
  /** Short stable label, the `error` field of the JSON body. */
  readonly label: string;
  /** Extra response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: ProblemOptions = {}) {
    const { status, label } = ERRORS[code];
    const { stackTraceLimit } = Error;
    // Refusals happen thousands of times a second and need no stack.
    const isFault = status >= 500 && (!EXPECTED.includes(code) || options.cause !== undefined);
    if (!isFault) Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpProblem';
    this.isFault = isFault;
    this.code = code;
    this.status = status;
    this.label = options.label ?? label;
    this.headers = options.headers ?? {};
    this.details = options.details;
  }
}

export const badRequest = (message: string, code: CodeOf<400> = 'bad_request', label?: string) =>
  new HttpProblem(code, message, { label });

/** 401 that requires an API key. */
export const unauthorized = (message: string, code: CodeOf<401> = 'unauthorized') =>
  new HttpProblem(code, message, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** 401 that requires a signed URL. */
export const unsigned = (message: string, code: CodeOf<401>) =>
  new HttpProblem(code, message, { headers: { 'WWW-Authenticate': 'Signature' } });

export const forbidden = (message: string, code: CodeOf<403> = 'forbidden') => new HttpProblem(code, message);

export const notFound = (message: string, code: CodeOf<404> = 'not_found', label?: string) =>
  new HttpProblem(code, message, { label });

export const conflict = (message: string, code: CodeOf<409>) => new HttpProblem(code, message);

export const payloadTooLarge = (message: string) => new HttpProblem('payload_too_large', message);

export const unprocessable = (message: string, code: CodeOf<422> = 'unprocessable_media', cause?: unknown) =>
  new HttpProblem(code, message, { cause });

/** 429 with the seconds after which to retry. */
export const tooManyRequests = (message: string, code: CodeOf<429>, retryAfterSeconds: number) =>
  new HttpProblem(code, message, { headers: { 'Retry-After': String(retryAfterSeconds) } });

/** 503 with the seconds after which to retry. */
export const unavailable = (
  message: string,
  code: CodeOf<503> = 'unavailable',
  retryAfterSeconds = 5,
  cause?: unknown,
) => new HttpProblem(code, message, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause });

export function isOverQuota(error: unknown): boolean {
  return error instanceof HttpProblem && error.code === 'quota_exceeded';
}

/** First code of a status; the most general 4xx or 5xx code for a status outside the table. */
export function codeOfStatus(status: number): ErrorCode {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return codes.find((code) => ERRORS[code].status === status) ?? (status < 500 ? 'bad_request' : 'internal_error');
}

/** Code of an error of Node or SQLite; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? '') : '';
}

/** True for errors of Node with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

/** Errors of a host that is short of resources, or whose disk fails. */
const SHORTAGES = ['ENOSPC', 'EDQUOT', 'EIO', 'SQLITE_FULL', 'ENOMEM', 'EAGAIN', 'EMFILE', 'ENFILE'];
const MAX_CAUSES = 5;

/** True if an error or its cause is a temporary shortage of the host, which says nothing about the processed file. */
export function isShortage(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if (hasCode(cause, ...SHORTAGES)) return true;
    ({ cause } = cause);
  }
  return false;
}
