import type { IncomingMessage } from 'node:http';
import { badRequest, type HttpProblem } from '../errors.ts';
import { quote } from '../path.ts';
import { type Guard, parseOutgoingUrl, sendGuarded, unreachable } from './guarded-request.ts';

export interface Opening extends Guard {
  /** Whether a redirect is followed; without it all are. */
  mayFollow?: (to: URL) => boolean;
  /** Names the service to whoever is asked. */
  userAgent: string;
  /** How long it may take until the head of the answer is there, redirects included, in milliseconds. */
  timeoutMs?: number;
}

/** An answer whose body is still to be read. */
export interface OpenedUrl {
  /** Where it came from, after redirects. */
  url: URL;
  response: IncomingMessage;
}

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;

/**
 * Asks for what lies at an address of the public internet, and checks that of each redirect too.
 * @throws HttpProblem 400 for a URL that is none, for one that cannot be reached, whatever the reason, and for every answer but 200; the
 * signal's reason
 */
export async function openUrl(text: string, opening: Opening, signal: AbortSignal): Promise<OpenedUrl> {
  const { timeoutMs = TIMEOUT_MS, mayFollow = () => true } = opening;
  const timeout = AbortSignal.timeout(timeoutMs);
  let url = parseOutgoingUrl(text);
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, opening, { signal, timeout, timeoutMs });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return { url, response };
    response.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) {
      throw unfetched(url, `it answered with the status ${statusCode}`, new OtherStatus(statusCode));
    }
    if (redirects === MAX_REDIRECTS)
      throw unfetched(parseOutgoingUrl(text), `it redirects more than ${MAX_REDIRECTS} times`);
    const to = parseOutgoingUrl(URL.parse(headers.location, url.href)?.href ?? headers.location);
    if (!mayFollow(to)) throw unfetched(url, 'it redirects to another place');
    url = to;
  }
}

interface Terms {
  signal: AbortSignal;
  timeout: AbortSignal;
  timeoutMs: number;
}

/** Resolves with the head of the answer. */
async function ask(url: URL, opening: Opening, { signal, timeout, timeoutMs }: Terms): Promise<IncomingMessage> {
  const headers = { 'user-agent': opening.userAgent, accept: '*/*', 'accept-encoding': 'identity' };
  try {
    return await sendGuarded(url, { method: 'GET', headers }, opening, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, timeout.aborted ? new Error(`There was no answer within ${timeoutMs} ms.`) : error);
  }
}

/** The error of what lies there and cannot be had. @param why after a colon */
export function unfetched(url: URL, why: string, cause?: Error): HttpProblem {
  const problem = badRequest(`${quote(url.href)} cannot be fetched: ${why}.`, 'url_not_fetched');
  return cause ? Object.assign(problem, { cause }) : problem;
}

/** An answer that is not the file. */
class OtherStatus extends Error {
  override name = 'OtherStatus';
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** With which status an address has answered, from the error of `openUrl`; undefined where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OtherStatus ? cause.status : undefined;
}
