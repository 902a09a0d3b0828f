/** A target was not told. The message is for the operator, and has no secret in it. */
export class DeliveryFailure extends Error {
  override name = 'DeliveryFailure';
  /** How long the target wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer of a target that has not accepted what it was told. */
export interface Refusal {
  status: number;
  /** The header, as it came. */
  retryAfter: string | null | undefined;
  /** The beginning of the body. */
  text: string;
}

const MAX_QUOTED = 200;

/** A target that asks for more patience than this is asked sooner, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** @param secrets whatever of the request must not be seen in an error */
export function failureOf({ status, retryAfter, text }: Refusal, secrets: readonly string[]): DeliveryFailure {
  const where = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return new DeliveryFailure(`status ${status}${where}${quoted(text, secrets)}`, readRetryAfter(retryAfter ?? ''));
}

/** Says why there is no connection, by the code of a system or TLS error. Messages may have the request in them. */
export function causeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `no connection (${code})` : 'no connection';
}

/** The beginning of an answer, which often says what is wrong, on one line. */
function quoted(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const line = hidden.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, MAX_QUOTED)}`;
}

/** What `Retry-After` asks for, in milliseconds. */
function readRetryAfter(value: string): number | undefined {
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
