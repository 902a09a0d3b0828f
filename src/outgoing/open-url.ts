import type { IncomingMessage } from 'node:http';
import { badRequest, type HttpProblem } from '../errors.ts';
import { quote } from '../path.ts';
import { type Guard, parseOutgoingUrl, sendGuarded, unreachable } from './guarded-request.ts';

export interface Opening extends Guard {
  /** Decides whether to follow a redirect; follows all by default. */
  mayFollow?: (to: URL) => boolean;
  /** Identifies the service to the requested host. */
  userAgent: string;
  /** Time limit for the head of the response, redirects included, in ms. */
  timeoutMs?: number;
}

/** A response whose body is still to be read. */
export interface OpenedUrl {
  /** Final URL, after redirects. */
  url: URL;
  response: IncomingMessage;
}

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;

/**
 * Requests a URL on the public internet, and checks the address of each redirect too.
 * @throws HttpProblem 400 for an invalid URL, for an unreachable one for any reason, and for every status but 200; the
 * signal's reason
 */
export async function openUrl(text: string, opening: Opening, signal: AbortSignal): Promise<OpenedUrl> {
  const { timeoutMs = TIMEOUT_MS, mayFollow = () => true } = opening;
  const timeout = AbortSignal.timeout(timeoutMs);
  let url = parseOutgoingUrl(text);
  for (let redirects = 0; ; redirects++) {
    const response = await request(url, opening, { signal, timeout, timeoutMs });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return { url, response };
    response.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) {
      throw unfetched(url, `it answered with the status ${statusCode}`, new OtherStatus(statusCode));
    }
    if (redirects === MAX_REDIRECTS)
      throw unfetched(parseOutgoingUrl(text), `it redirects more than ${MAX_REDIRECTS} times`);
    const to = parseOutgoingUrl(URL.parse(headers.location, url.href)?.href ?? headers.location);
    if (!mayFollow(to)) throw unfetched(url, 'it redirects to another location');
    url = to;
  }
}

interface Terms {
  signal: AbortSignal;
  timeout: AbortSignal;
  timeoutMs: number;
}

/** Resolves with the head of the response. */
async function request(url: URL, opening: Opening, { signal, timeout, timeoutMs }: Terms): Promise<IncomingMessage> {
  const headers = { 'user-agent': opening.userAgent, accept: '*/*', 'accept-encoding': 'identity' };
  try {
    return await sendGuarded(url, { method: 'GET', headers }, opening, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, timeout.aborted ? new Error(`No response within ${timeoutMs} ms.`) : error);
  }
}

/** Makes the error for a URL that could not be fetched. @param why reason after a colon */
export function unfetched(url: URL, why: string, cause?: Error): HttpProblem {
  const problem = badRequest(`${quote(url.href)} cannot be fetched: ${why}.`, 'url_not_fetched');
  return cause ? Object.assign(problem, { cause }) : problem;
}

/** A response other than the file. */
class OtherStatus extends Error {
  override name = 'OtherStatus';
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** Returns the status of the response from an error of `openUrl`; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OtherStatus ? cause.status : undefined;
}
