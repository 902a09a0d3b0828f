import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { badRequest, type HttpProblem } from '../errors.ts';
import { quote } from '../path.ts';
import type { MayReach } from './public-address.ts';

export interface Opening {
  mayReach: MayReach;
  /** Names the service to whoever is asked. */
  userAgent: string;
  /** How long it may take until the head of the answer is there, redirects included, in milliseconds. */
  timeoutMs?: number;
  /** Finds the addresses of a name; the system's way unless it is given. */
  resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

/** An answer whose body is still to be read. */
export interface OpenedUrl {
  /** Where it came from, after redirects. */
  url: URL;
  response: IncomingMessage;
}

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;
const MAX_LENGTH = 4096;

/**
 * Asks for what lies at an address of the public internet. Every address is checked at the moment at which it is connected to, that of
 * each redirect too, so that no name can lead to a private one later than it was looked up.
 * @throws HttpProblem 400 for a URL that is none, one that leads elsewhere, no answer, and every answer but 200; the signal's reason
 */
export async function openUrl(text: string, opening: Opening, signal: AbortSignal): Promise<OpenedUrl> {
  const { timeoutMs = TIMEOUT_MS } = opening;
  const timeout = AbortSignal.timeout(timeoutMs);
  let url = parseUrl(text);
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, opening, { signal, timeout, timeoutMs });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return { url, response };
    response.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) {
      throw unfetched(url, `it answered with the status ${statusCode}`);
    }
    if (redirects === MAX_REDIRECTS) throw unfetched(parseUrl(text), `it redirects more than ${MAX_REDIRECTS} times`);
    url = parseUrl(URL.parse(headers.location, url.href)?.href ?? headers.location);
  }
}

function parseUrl(text: string): URL {
  const url = text.length <= MAX_LENGTH ? URL.parse(text) : null;
  const isPossible = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (isPossible) return url;
  throw badRequest(
    `Expected an http or https URL of at most ${MAX_LENGTH} characters without user and password, received ${quote(text)}.`,
    'validation_failed',
  );
}

interface Terms {
  signal: AbortSignal;
  timeout: AbortSignal;
  timeoutMs: number;
}

/** Resolves with the head of the answer. */
async function ask(url: URL, opening: Opening, { signal, timeout, timeoutMs }: Terms): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address is connected to without being looked up.
  if (isIP(host) !== 0 && !opening.mayReach(host)) throw unreachable(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? https : http).get(url, {
    agent: false,
    headers: { 'user-agent': opening.userAgent, accept: '*/*', 'accept-encoding': 'identity' },
    lookup: guardedLookup(opening),
  });
  // Until the head is there; whoever reads the body has limits of his own.
  const abort = () => request.destroy();
  for (const one of [signal, timeout]) one.addEventListener('abort', abort, { once: true });
  request.on('response', resolve).on('error', reject);
  try {
    signal.throwIfAborted();
    return await promise;
  } catch (error) {
    request.destroy();
    signal.throwIfAborted();
    if (timeout.aborted) throw unfetched(url, `it gave no answer within ${timeoutMs} ms`);
    if (error instanceof Unreachable) throw unreachable(url);
    throw unfetched(url, `there is no connection to it${codeOf(error)}`);
  } finally {
    for (const one of [signal, timeout]) one.removeEventListener('abort', abort);
  }
}

/** A name has no address that may be reached. */
class Unreachable extends Error {
  override name = 'Unreachable';
}

/** Connections go to no other addresses than those that it gives. */
function guardedLookup({ mayReach, resolve = resolveBySystem }: Opening): LookupFunction {
  return (host, { all }, done) => {
    resolve(host).then(
      (found) => {
        const addresses = found.filter(({ address }) => mayReach(address));
        const [first] = addresses;
        if (!first) done(new Unreachable(), '');
        else if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

function resolveBySystem(host: string) {
  return lookup(host, { all: true });
}

/** What a name leads to is not told: whoever asks could map a network with it. */
function unreachable(url: URL) {
  const message = `Expected the URL of something on the public internet, received ${quote(url.origin)}, which leads elsewhere.`;
  return badRequest(message, 'url_not_public');
}

/** The error of what lies there and cannot be had. @param why after a colon */
export function unfetched(url: URL, why: string): HttpProblem {
  return badRequest(`${quote(url.href)} cannot be fetched: ${why}.`, 'url_not_fetched');
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? ` (${code})` : '';
}
