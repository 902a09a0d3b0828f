import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
import type { MayReach } from './public-address.ts';

export interface Guard {
  mayReach: MayReach;
  /** Finds the addresses of a name; the system's way unless it is given. */
  resolve?: ((host: string) => Promise<readonly { address: string; family: number }[]>) | undefined;
}

export interface GuardedRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** A URL has no address that may be reached. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Sends a request to an address that somebody else has named. It is checked at the moment at which it is connected to, so that no name can
 * lead to a private one later than it was looked up. Redirects are answers like all others.
 * @returns the head of the answer; whoever reads the body has limits of his own
 * @throws Unreachable; what Node throws when there is no answer; the signal's reason
 */
export async function sendGuarded(
  url: URL,
  { body, ...request }: GuardedRequest,
  guard: Guard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = hostOf(url);
  // An address is connected to without being looked up.
  if (isIP(host) !== 0 && !guard.mayReach(host)) throw new Unreachable();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request: begin } = url.protocol === 'https:' ? https : http;
  const outgoing = begin(url, { ...request, agent: false, lookup: guardedLookup(guard) });
  const abort = () => outgoing.destroy();
  signal.addEventListener('abort', abort, { once: true });
  outgoing.on('response', resolve).on('error', reject);
  try {
    signal.throwIfAborted();
    outgoing.end(body);
    return await promise;
  } catch (error) {
    outgoing.destroy();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What stands between the scheme and the path. */
const START = /^\s*https?:[/\\]*([^/\\?#]*)/i;

/** No name is longer, and encoding one in other scripts takes quadratic time. */
const MAX_HOST_LENGTH = 255;

/** Reads the address of a request. @throws HttpProblem 400 */
export function parseOutgoingUrl(text: string, maxLength = 4096): URL {
  const host = START.exec(text)?.[1] ?? '';
  const url = text.length <= maxLength && host.length <= MAX_HOST_LENGTH ? URL.parse(text) : null;
  const isPossible = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (isPossible) return url;
  throw badRequest(
    `Expected an http or https URL of at most ${maxLength} characters without user and password, received ${quote(text)}.`,
    'validation_failed',
  );
}

/** Whether a URL leads to an address that may be reached, now. @throws what the look-up of its name throws */
export async function isReachable(url: URL, { mayReach, resolve = resolveBySystem }: Guard): Promise<boolean> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return mayReach(host);
  return (await resolve(host)).some(({ address }) => mayReach(address));
}

/** What a name leads to is not told: whoever asks could map a network with it. */
export function unreachable(url: URL) {
  const message = `Expected the URL of something on the public internet, received ${quote(url.origin)}, which leads elsewhere (OUTGOING_PRIVATE_NETWORKS).`;
  return badRequest(message, 'url_not_public');
}

/** Connections go to no other addresses than those that it gives. */
function guardedLookup({ mayReach, resolve = resolveBySystem }: Guard): LookupFunction {
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

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

function resolveBySystem(host: string) {
  return lookup(host, { all: true });
}
