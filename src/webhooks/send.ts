import { addAbortSignal } from 'node:stream';
import { causeOf, failureOf } from '../outbox/failure.ts';
import { readBeginning } from '../outbox/outgoing-request.ts';
import { type Guard, sendGuarded, Unreachable } from '../outgoing/guarded-request.ts';
import { signedHeaders } from './signature.ts';

/** A message, its destination and its secrets. */
export interface Message {
  url: string;
  /** Keys of its signatures. */
  secrets: readonly string[];
  id: string;
  payload: string;
}

/** Result of an attempt. */
export interface Reply {
  /** Undefined without a response. */
  status: number | undefined;
  /** Reason of a failure, without secrets; undefined on success. */
  error: string | undefined;
  /** Delay requested by the receiver, in ms. */
  retryAfterMs: number | undefined;
}

export interface SendOptions {
  guard: Guard;
  /** Timeout of the whole response, in ms. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Bytes read of a refusing response; the rest is not awaited. */
const MAX_ANSWER_BYTES = 4096;

/** Sends one message, once. Every response but 2xx means that it was not received. @throws the signal's reason */
export async function sendMessage({ url, secrets, id, payload }: Message, options: SendOptions): Promise<Reply> {
  const { guard, timeoutMs, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Darkroom',
    'content-length': String(Buffer.byteLength(payload)),
    ...signedHeaders(id, Date.now(), payload, secrets),
  };
  let status: number | undefined;
  try {
    const response = await sendGuarded(new URL(url), { method: 'POST', headers, body: payload }, guard, either);
    status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) {
      response.destroy();
      return { status, error: undefined, retryAfterMs: undefined };
    }
    const text = await readBeginning(addAbortSignal(either, response), MAX_ANSWER_BYTES);
    const { message, retryAfterMs } = failureOf({ status, retryAfter: response.headers['retry-after'], text }, secrets);
    return { status, error: message, retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    return {
      status,
      error: timeout.aborted ? `no answer within ${timeoutMs} ms` : whyNot(error),
      retryAfterMs: undefined,
    };
  }
}

const whyNot = (error: unknown) =>
  error instanceof Unreachable ? 'its host has no address on the public internet' : causeOf(error);
