import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { badRequest, HttpProblem } from '../errors.ts';
import type { Log } from '../log.ts';
import { quote } from '../path.ts';
import type { MayReach } from './public-address.ts';

interface Address {
  address: string;
  family: number;
}

export interface Guard {
  mayReach: MayReach;
  /** Finds the addresses of a name; the system's way unless it is given. */
  resolve?: ((host: string) => Promise<readonly Address[]>) | undefined;
}

export interface GuardedRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** A URL has no address that requests may go to: its name is not known, or leads to others. */
export class Unreachable extends Error {
  override name = 'Unreachable';

  /** @param cause why the look-up of its name failed */
  constructor(cause?: Error) {
    super('The host has no address that requests may go to.', { cause });
  }
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
const START = /^https?:[/\\]*([^/\\?#]*)/i;

/** No name is longer, and encoding one in other scripts takes quadratic time. */
const MAX_HOST_LENGTH = 255;

/** Reads the address of a request. @throws HttpProblem 400 */
export function parseOutgoingUrl(text: string, maxLength = 4096): URL {
  // The parser of URLs drops these characters wherever they are.
  const host = START.exec(text.replaceAll(/[\0-\x20]/g, ''))?.[1] ?? '';
  const url = text.length <= maxLength && host.length <= MAX_HOST_LENGTH ? URL.parse(text) : null;
  const isPossible = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (isPossible) return url;
  throw badRequest(
    `Expected an http or https URL of at most ${maxLength} characters without user and password, received ${quote(text)}.`,
    'validation_failed',
  );
}

/** Checks that a URL leads to an address that may be reached, now. @throws Unreachable */
export async function assertReachable(url: URL, guard: Guard): Promise<void> {
  const host = hostOf(url);
  if (isIP(host) === 0) await findAddresses(host, guard);
  else if (!guard.mayReach(host)) throw new Unreachable();
}

const NOT_PUBLIC = 'url_not_public';

/**
 * Makes the one error for a URL that cannot be reached, whatever the reason: with different errors a client could find out which names
 * and ports there are in the network of the service. `logUnreachable` logs the reason.
 */
export function unreachable(url: URL, cause: unknown): HttpProblem {
  const message = `${quote(url.origin)} is not on the public internet, or does not answer. OUTGOING_PRIVATE_NETWORKS allows private networks; the log has the reason.`;
  return Object.assign(badRequest(message, NOT_PUBLIC), { cause });
}

/** Logs why a URL cannot be reached; other errors are not logged. */
export function logUnreachable(log: Pick<Log, 'info'>, error: unknown): void {
  if (error instanceof HttpProblem && error.code === NOT_PUBLIC) log.info({ err: error }, 'a URL cannot be reached');
}

/** Connections go to no other addresses than those that it gives. */
function guardedLookup(guard: Guard): LookupFunction {
  return (host, { all }, done) => {
    findAddresses(host, guard).then(
      ([first, ...others]) => {
        if (all) done(null, [first, ...others]);
        else done(null, first.address, first.family);
      },
      (error: Unreachable) => done(error, ''),
    );
  };
}

/** Finds the addresses of a name that may be reached. @throws Unreachable when there are none, or the look-up fails */
async function findAddresses(
  host: string,
  { mayReach, resolve = resolveBySystem }: Guard,
): Promise<[Address, ...Address[]]> {
  const found = await resolve(host).catch((cause: Error) => {
    throw new Unreachable(cause);
  });
  const [first, ...others] = found.filter(({ address }) => mayReach(address));
  if (!first) throw new Unreachable();
  return [first, ...others];
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

function resolveBySystem(host: string) {
  return lookup(host, { all: true });
}
