import { DeliveryFailure } from './failure.ts';

export interface OutgoingRequest {
  /** http or https, without user and password. */
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface OutgoingOptions {
  /** Whatever of the request must not be seen in an error. */
  secrets: readonly string[];
  signal: AbortSignal;
  /** How long it may take until the answer is there, in milliseconds. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** What is read of an answer; the rest is not waited for. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_QUOTED = 200;

/** A target that asks for more patience than this is asked sooner, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Sends a request to an address that the operator has written into the configuration, which may be a private one. No redirect is
 * followed: it could lead anywhere, and the token with it.
 * @returns the beginning of the answer, whose status is 2xx
 * @throws DeliveryFailure for every other answer, and for none; the reason of the signal when it aborts
 */
export async function sendRequest(request: OutgoingRequest, options: OutgoingOptions): Promise<string> {
  const { secrets, signal, timeoutMs = TIMEOUT_MS } = options;
  const { url, ...init } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) });
    text = await readBeginning(response);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new DeliveryFailure(timeout.aborted ? `no answer within ${timeoutMs} ms` : causeOf(error));
  }
  if (response.ok) return text;
  const where = response.status >= 300 && response.status < 400 ? ', a redirect, which is not followed' : '';
  throw new DeliveryFailure(`status ${response.status}${where}${quoted(text, secrets)}`, retryAfter(response));
}

async function readBeginning({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString();
}

/** The code of a system or TLS error. The messages of the library may have the request in them. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `no connection (${cause.code})` : 'no connection';
}

/** The beginning of an answer, which often says what is wrong, on one line. */
function quoted(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const line = hidden.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? '' : `: ${line.slice(0, MAX_QUOTED)}`;
}

/** What `Retry-After` asks for, in milliseconds. */
function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after') ?? '';
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
