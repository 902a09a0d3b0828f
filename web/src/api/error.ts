/** An answer that is an error, or none at all: then the status is 0. */
export class ApiError extends Error {
  readonly status: number;
  /** The stable word of the error. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Seconds after which it may go better. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    more: { code?: string; requestId?: string | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code ?? 'unreachable';
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
  }

  /** Whether the same request can go well a moment later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 423 || this.status === 429 || this.status === 503;
  }
}

/** Reads the error of an answer whose body is text; some bodies are not ours, but a proxy's. */
export function errorOf(status: number, header: (name: string) => string | null, text: string): ApiError {
  const body = parse(text);
  const seconds = Number(header('Retry-After') ?? Number.NaN);
  const message = body.message ?? body.error ?? `The service answered with the status ${status}.`;
  return new ApiError(status, message, {
    code: body.code ?? 'unknown',
    requestId: header('X-Request-Id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function parse(text: string): { message?: string; error?: string; code?: string } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
