/** A failed request to a target. The message is for the operator, and contains no secret. */
export class DeliveryFailure extends Error {
  override name = 'DeliveryFailure';
  /** Delay requested by the target, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Response of a target that did not accept a request. */
export interface Refusal {
  status: number;
  /** The raw header. */
  retryAfter: string | null | undefined;
  /** The beginning of the body. */
  text: string;
}

const MAX_QUOTED = 200;

/** Maximum requested delay that is applied, in ms. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** @param secrets parts of the request that must not be in an error */
export function failureOf({ status, retryAfter, text }: Refusal, secrets: readonly string[]): DeliveryFailure {
  const where = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return new DeliveryFailure(`status ${status}${where}${quoted(text, secrets)}`, readRetryAfter(retryAfter ?? ''));
}

/** Explains a missing connection by the code of a system or TLS error. Their messages may contain the request. */
export function causeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `no connection (${code})` : 'no connection';
}

/** Quotes the beginning of a response, which often gives the reason, on one line. */
function quoted(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const line = hidden.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, MAX_QUOTED)}`;
}

/** Parses `Retry-After`, in ms. */
function readRetryAfter(value: string): number | undefined {
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
