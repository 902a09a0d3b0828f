import type { IncomingMessage } from 'node:http';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../bounded-cache.ts';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
import { INSTALLATION } from '../../installation.ts';
import type { Services } from '../../library-services.ts';
import { spaceOfMessage } from './actor.ts';
import { createAddressReader, networkOf, type ReadAddress } from './client-address.ts';
import { hasSignedSession, learnSession, recallSession } from './credentials.ts';
import { type CountedWindow, SharedWindows } from './shared-windows.ts';

export interface RateLimitOptions {
  /** Maximum of requests of an address in a window; 0 disables the limit. */
  max: number;
  windowMs: number;
  readAddress: ReadAddress;
  sessions?: SessionReader;
  /** Milliseconds of a monotonic clock, for measuring windows. */
  now?: () => number;
  /** Unix milliseconds, for the announced end of a window. */
  unixNow?: () => number;
  /** Counts together with other nodes. Its clock is `performance.now`. */
  shared?: SharedWindows<Window> | undefined;
  /** Maximum of clients in memory. The least recently seen are evicted first. */
  maxClients?: number;
}

/** Finds the session that a request belongs to. */
export interface SessionReader {
  /**
   * The name of a valid session that may enter the space; undefined for none, `null` for one that has to be looked up.
   */
  recall(request: IncomingMessage, space: string): string | null | undefined;
  /** True if the installation has signed the cookie of the request. It costs no look-up. */
  isSigned(request: IncomingMessage): boolean;
  /** Looks the session up, for the next `recall`. */
  learn(request: IncomingMessage): Promise<void>;
}

const NO_SESSIONS: SessionReader = { recall: () => undefined, isSigned: () => false, learn: async () => undefined };

/** Factor for sessions: a page of the library shows more images than an anonymous client may request. */
const SESSION_FACTOR = 100;

/** Rate-limit state of a client, as sent in the response headers. */
export interface Quota {
  isOver: boolean;
  /** Alternating names and values. */
  headers: readonly string[];
  /** Seconds until the window ends. */
  retryAfter: number;
}

interface Window extends CountedWindow {
  /** The end in Unix seconds, as announced. */
  unixEnd: number;
  reset: string;
}

/** Maximum of requests in a window, and the same as header text. */
interface Limit {
  max: number;
  text: string;
}

const NO_HEADERS: readonly string[] = [];

const MAX_CLIENTS = 100_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Creates the rate limiter of the service from its settings. */
export function createLimiter({ config, sessions, requestWindows, log }: Services): RateLimiter {
  const { rateLimit, trustedProxies } = config.http;
  const { max, windowMs, syncMs } = rateLimit;
  return createRateLimiter({
    max,
    windowMs,
    readAddress: createAddressReader(trustedProxies),
    sessions: {
      recall: ({ headers }, space) => recallSession(headers, sessions, space),
      isSigned: ({ headers }) => hasSignedSession(headers, sessions),
      learn: ({ headers }) => learnSession(headers, sessions),
    },
    shared: requestWindows && new SharedWindows({ windows: requestWindows, intervalMs: syncMs, log }),
  });
}

/**
 * Counts requests by client, in fixed windows that begin with a client's first request. A valid session has a window of
 * its own, 100 times as large, from any address, where it may enter the space of the request.
 *
 * The windows are in a bounded LRU table, because every cached response passes here: it takes 0.1 microseconds. The
 * usual limiter library answers with a promise, and holds a timer per client without a bound: 370 MB for a million
 * addresses.
 */
export function createRateLimiter(options: RateLimitOptions) {
  const { max, readAddress, sessions = NO_SESSIONS, shared } = options;
  const windows = createWindows(options);
  /** Quotas of requests that were counted before the normal path got them. */
  const counted = new WeakMap<IncomingMessage, Quota>();
  const ofAddress = { max, text: String(max) };
  const ofSession = { max: max * SESSION_FACTOR, text: String(max * SESSION_FACTOR) };

  const recall = (request: IncomingMessage) => sessions.recall(request, spaceOfMessage(request));

  const identify = (request: IncomingMessage, session: string | null | undefined) =>
    typeof session === 'string'
      ? { client: session, limit: ofSession }
      : { client: networkOf(readAddress(request)), limit: ofAddress };

  /**
   * True if a session may be looked up: its address may send requests, or its cookie is ours. Anonymous clients cause no
   * look-ups beyond their limit.
   */
  const mayLookUp = (request: IncomingMessage) =>
    max === 0 || windows.hasCapacity(networkOf(readAddress(request)), ofAddress) || sessions.isSigned(request);

  /** Counts a request, after the nodes have added up if they must. */
  function countKnown(request: IncomingMessage): Quota | undefined | Promise<Quota | undefined> {
    if (max === 0) return undefined;
    const { client, limit } = identify(request, recall(request));
    const waiting = windows.waitFor(client, limit);
    return waiting ? waiting.then(() => countKnown(request)) : windows.count(client, limit);
  }

  return {
    /**
     * Counts a request, immediately unless its session has to be looked up or the nodes have to add up; undefined
     * without a limit.
     */
    count(request: IncomingMessage): Quota | undefined | Promise<Quota | undefined> {
      const earlier = counted.get(request);
      if (earlier) return earlier;
      const mustLearn = recall(request) === null && mayLookUp(request);
      return mustLearn ? sessions.learn(request).then(() => countKnown(request)) : countKnown(request);
    },

    /**
     * Counts a request that can be counted immediately and is within its limit.
     * @param space the space of the request; empty for the library
     * @returns the headers of its response, alternating names and values; undefined if the request was not counted
     */
    tryCount(request: IncomingMessage, space = INSTALLATION): readonly string[] | undefined {
      if (max === 0) return NO_HEADERS;
      const session = sessions.recall(request, space);
      if (session === null) return undefined;
      const { client, limit } = identify(request, session);
      if (!windows.hasCapacity(client, limit) || windows.waitFor(client, limit) !== undefined) return undefined;
      return windows.count(client, limit).headers;
    },

    /**
     * Makes `count` return the quota of a request that `tryCount` has counted, instead of counting it again.
     * @param headers as from `tryCount`
     */
    noteCounted(request: IncomingMessage, headers: readonly string[]): void {
      if (max > 0) counted.set(request, { isOver: false, headers, retryAfter: 0 });
    },

    /**
     * Counts a refused signature in the window of its client's public requests. Signed delivery has no limit otherwise.
     * @throws HttpProblem 429 when the window is used up
     */
    async countRefusal(request: IncomingMessage): Promise<void> {
      const quota = await countKnown(request);
      if (quota?.isOver) throw quotaExceeded(quota);
    },
    close: () => shared?.close(),
  };
}

/** Creates the table of windows, by client. */
function createWindows({ windowMs, shared, maxClients = MAX_CLIENTS, ...clocks }: RateLimitOptions) {
  const { now = () => performance.now(), unixNow = Date.now } = clocks;
  const windows = boundedCache<string, Window>(maxClients);
  return {
    count(client: string, limit: Limit): Quota {
      const at = now();
      const window = countIn(windows, client, at, windowMs);
      shared?.note(client, window);
      return quotaOf(window, limit, window.endsAt - at, unixNow());
    },

    /** The promise that a client's next request awaits, so that the nodes have added up. */
    waitFor(client: string, limit: Limit): Promise<void> | undefined {
      const window = windows.peek(client);
      // A request that will be refused need not wait.
      if (!window || window.used >= limit.max) return undefined;
      return shared?.waitFor(client, limit.max);
    },

    hasCapacity(client: string, limit: Limit): boolean {
      const window = windows.get(client);
      return window === undefined || window.used < limit.max || window.endsAt <= now();
    },
  };
}

/** The 429 for a client whose window is used up. */
export function quotaExceeded({ retryAfter }: Pick<Quota, 'retryAfter'>): HttpProblem {
  const message = `Too many requests. Retry in ${retryAfter} s.`;
  return tooManyRequests(message, 'rate_limited', retryAfter);
}

/**
 * @param leftMs until the window ends
 * @param unixNow Unix milliseconds
 */
function quotaOf(window: Window, limit: Limit, leftMs: number, unixNow: number): Quota {
  const left = String(Math.max(0, limit.max - window.used));
  const reset = resetHeader(window, Math.ceil((unixNow + leftMs) / 1000));
  return {
    isOver: window.used > limit.max,
    headers: ['X-RateLimit-Limit', limit.text, 'X-RateLimit-Remaining', left, 'X-RateLimit-Reset', reset],
    retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
  };
}

function countIn(windows: LRUCache<string, Window>, client: string, at: number, windowMs: number): Window {
  const window = windows.get(client);
  if (window !== undefined && window.endsAt > at) {
    window.used++;
    return window;
  }
  const fresh = { used: 1, endsAt: at + windowMs, unixEnd: 0, reset: '' };
  windows.set(client, fresh);
  return fresh;
}

/**
 * The end stays the same for a whole window unless the system clock was set, although the two clocks drift slightly.
 */
function resetHeader(window: Window, unixEnd: number): string {
  if (Math.abs(unixEnd - window.unixEnd) > 1) {
    window.unixEnd = unixEnd;
    window.reset = String(unixEnd);
  }
  return window.reset;
}
