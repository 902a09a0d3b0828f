/** A problem that a client is told about: its HTTP status, a short label, and what was expected and received. */
export class HttpProblem extends Error {
  readonly status: number;
  /** Short stable label, the `error` field of the JSON body. */
  readonly label: string;
  /** Extra response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    label: string,
    message?: string,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    const { stackTraceLimit } = Error;
    // What the client did wrong is answered thousands of times a second, and nobody asks where in the code it was noticed.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message ?? label, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpProblem';
    this.status = status;
    this.label = label;
    this.headers = options.headers ?? {};
  }
}

export const badRequest = (message: string, label = 'Bad request') => new HttpProblem(400, label, message);
export const unauthorized = (message: string) =>
  new HttpProblem(401, 'Unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
export const forbidden = (message: string) => new HttpProblem(403, 'Forbidden', message);
export const notFound = (message: string, label = 'Not found') => new HttpProblem(404, label, message);
export const conflict = (message: string) => new HttpProblem(409, 'Conflict', message);
export const payloadTooLarge = (message: string) => new HttpProblem(413, 'Payload too large', message);
export const unprocessable = (message: string, cause?: unknown) =>
  new HttpProblem(422, 'Unprocessable media', message, { cause });

/** 429 with the seconds after which asking again makes sense. */
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new HttpProblem(429, 'Too many requests', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });

/** 503 with the seconds after which asking again makes sense. */
export const unavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new HttpProblem(503, 'Service unavailable', message, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  });

/** True for errors of Node's file system with one of the given codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** What a machine runs out of for a while, and a disk that fails. */
const SHORTAGES = ['ENOSPC', 'EDQUOT', 'EIO', 'SQLITE_FULL', 'ENOMEM', 'EAGAIN', 'EMFILE', 'ENFILE'];
const MAX_CAUSES = 5;

/** Whether an error, or what caused it, is the machine's fault and may pass, whatever the machine was working on. */
export function isShortage(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if (hasCode(cause, ...SHORTAGES)) return true;
    ({ cause } = cause);
  }
  return false;
}
