import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { badRequest, HttpProblem } from '../errors.ts';
import type { Log } from '../log.ts';
import { quote } from '../path.ts';
import { http, https } from '../runtime/node-http.ts';
import type { MayReach } from './public-address.ts';

interface Address {
  address: string;
  family: number;
}

export interface Guard {
  mayReach: MayReach;
  /** Resolves a host name; the system's resolver by default. */
  resolve?: ((host: string) => Promise<readonly Address[]>) | undefined;
}

export interface GuardedRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** A URL has no permitted address: its name is unknown, or leads to others. */
export class Unreachable extends Error {
  override name = 'Unreachable';

  /** @param cause reason why the DNS lookup failed */
  constructor(cause?: Error) {
    super('The host has no permitted address.', { cause });
  }
}

/**
 * Sends a request to an address named by a client. The address is checked when the connection opens, so no name can
 * lead to a private one after the lookup. Redirects are responses like all others.
 * @returns the head of the response; the caller limits its body
 * @throws Unreachable; errors of Node without a response; the signal's reason
 */
export async function sendGuarded(
  url: URL,
  { body, ...request }: GuardedRequest,
  guard: Guard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = hostOf(url);
  // IP addresses are connected to without a lookup.
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

/** Text between the scheme and the path. */
const START = /^https?:[/\\]*([^/\\?#]*)/i;

/** No host name is longer, and encoding one in other scripts takes quadratic time. */
const MAX_HOST_LENGTH = 255;

/** Parses the URL of a request. @throws HttpProblem 400 */
export function parseOutgoingUrl(text: string, maxLength = 4096): URL {
  // The URL parser drops these characters anywhere.
  const host = START.exec(text.replaceAll(/[\0-\x20]/g, ''))?.[1] ?? '';
  const url = text.length <= maxLength && host.length <= MAX_HOST_LENGTH ? URL.parse(text) : null;
  const isPossible = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (isPossible) return url;
  throw badRequest(
    `Expected an http or https URL of at most ${maxLength} characters without user and password, received ${quote(text)}.`,
    'validation_failed',
  );
}

/** Checks that a URL leads to a permitted address now. @throws Unreachable */
export async function assertReachable(url: URL, guard: Guard): Promise<void> {
  const host = hostOf(url);
  if (isIP(host) === 0) await findAddresses(host, guard);
  else if (!guard.mayReach(host)) throw new Unreachable();
}

const NOT_PUBLIC = 'url_not_public';

/**
 * Makes the only error for an unreachable URL, for any reason: different errors would let clients probe names and ports
 * in the service's network. `logUnreachable` logs the reason.
 */
export function unreachable(url: URL, cause: unknown): HttpProblem {
  const message = `${quote(url.origin)} is not on the public internet, or does not answer. OUTGOING_PRIVATE_NETWORKS allows private networks; the log has the reason.`;
  return Object.assign(badRequest(message, NOT_PUBLIC), { cause });
}

/** Logs the reason for an unreachable URL; ignores other errors. */
export function logUnreachable(log: Pick<Log, 'info'>, error: unknown): void {
  if (error instanceof HttpProblem && error.code === NOT_PUBLIC) log.info({ err: error }, 'a URL cannot be reached');
}

/** Restricts connections to the addresses that it returns. */
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

/** Returns the permitted addresses of a name. @throws Unreachable if there are none, or the lookup fails */
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
