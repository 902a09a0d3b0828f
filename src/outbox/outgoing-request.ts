import { causeOf, DeliveryFailure, failureOf } from './failure.ts';

export interface OutgoingRequest {
  /** http or https, without user and password. */
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface OutgoingOptions {
  /** Parts of the request that must not be in an error. */
  secrets: readonly string[];
  signal: AbortSignal;
  /** Timeout of the response, in ms. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Bytes read of a response; the rest is not awaited. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Sends a request to an address that the operator has configured, which may be a private one. Follows no redirect: it
 * could lead anywhere, and the token with it.
 * @returns the beginning of the response, whose status is 2xx
 * @throws DeliveryFailure for any other response, and for none; the reason of the signal when it aborts
 */
export async function sendRequest(request: OutgoingRequest, options: OutgoingOptions): Promise<string> {
  const { secrets, signal, timeoutMs = TIMEOUT_MS } = options;
  const { url, ...init } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) });
    text = await readBeginning(response.body ?? [], MAX_ANSWER_BYTES);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new DeliveryFailure(
      timeout.aborted ? `no answer within ${timeoutMs} ms` : causeOf((error as { cause?: unknown }).cause),
    );
  }
  if (response.ok) return text;
  throw failureOf({ status: response.status, retryAfter: response.headers.get('retry-after'), text }, secrets);
}

/** Returns the first bytes of a response as text, without waiting for the rest. */
export async function readBeginning(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
}
