/** Error response, or no response at all (status 0). */
export class ApiError extends Error {
  readonly status: number;
  /** Stable error code. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number | undefined;
  /** What the message says, for programs. */
  readonly details: unknown;

  constructor(
    status: number,
    message: string,
    more: { code?: string; requestId?: string | undefined; retryAfter?: number | undefined; details?: unknown } = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code ?? 'unreachable';
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
    this.details = more.details;
  }

  /** True for errors that a retry may fix. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 423 || this.status === 429 || this.status === 503;
  }
}

/** Parses an error response; the body may come from a proxy. */
export function errorOf(status: number, header: (name: string) => string | null, text: string): ApiError {
  const body = parse(text);
  const seconds = Number(header('Retry-After') ?? Number.NaN);
  const message = body.message ?? body.error ?? `The service answered with the status ${status}.`;
  return new ApiError(status, message, {
    code: body.code ?? 'unknown',
    requestId: header('X-Request-Id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    details: body.details,
  });
}

function parse(text: string): { message?: string; error?: string; code?: string; details?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
