import type { IncomingMessage } from 'node:http';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../bounded-cache.ts';
import type { Classify } from '../endpoints/lookup.ts';
import { networkOf, type ReadAddress } from './client-address.ts';
import type { CountedWindow, SharedWindows } from './shared-windows.ts';

export interface RateLimitOptions {
  /** Requests of an address in a window; 0 switches the limit off. */
  max: number;
  windowMs: number;
  classify: Classify;
  readAddress: ReadAddress;
  /** The name of the session that a request is proven to belong to. */
  readSession?: (request: IncomingMessage) => string | undefined;
  /** Milliseconds of a clock that nobody sets, for measuring windows. */
  now?: () => number;
  /** Unix milliseconds, for telling when a window ends. */
  unixNow?: () => number;
  /** Counts together with other nodes. Its clock is `performance.now`. */
  shared?: SharedWindows<Window> | undefined;
  /** How many clients are remembered at once. The ones whose last request is the oldest are forgotten first. */
  maxClients?: number;
}

/** A page of the library shows more pictures than a stranger may ask for. */
const SESSION_FACTOR = 100;

/** How much of its limit a client has used, as its answer says. */
export interface Quota {
  isOver: boolean;
  /** Names and values in turn. */
  headers: string[];
  /** Seconds until the window ends. */
  retryAfter: number;
}

export interface Window extends CountedWindow {
  /** The end in Unix seconds, and as it is told. */
  unixEnd: number;
  reset: string;
}

const MAX_CLIENTS = 100_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Counts the requests to public endpoints by client, in fixed windows that begin with a client's first request. A proven session has
 * a window of its own, 100 times as large, wherever its requests come from.
 *
 * The windows are in an LRU table, because each cached picture passes here: it takes 0.1 microseconds, waits for nothing and has a
 * bound. The usual limiter library answers with a promise, and keeps a timer for each client without any bound: 370 MB for a million
 * addresses.
 */
export function createRateLimiter(options: RateLimitOptions) {
  const { max, windowMs, classify, readAddress, readSession = () => undefined } = options;
  const { shared, now = () => performance.now(), unixNow = Date.now } = options;
  const windows = boundedCache<string, Window>(options.maxClients ?? MAX_CLIENTS);
  const ofAddress = { max, text: String(max) };
  const ofSession = { max: max * SESSION_FACTOR, text: String(max * SESSION_FACTOR) };

  const identify = (request: IncomingMessage) => {
    const session = readSession(request);
    return { client: session ?? networkOf(readAddress(request)), limit: session === undefined ? ofAddress : ofSession };
  };

  /** A preflight is the browser's question, not the visitor's. */
  const counts = ({ method = 'GET', url = '/' }: IncomingMessage) =>
    method !== 'OPTIONS' && classify(method, url).isCounted;

  return {
    /** Counts a request; undefined for one that does not count. */
    count(request: IncomingMessage): Quota | undefined {
      if (max === 0 || !counts(request)) return undefined;
      const at = now();
      const { client, limit } = identify(request);
      const window = countIn(windows, client, at, windowMs);
      shared?.note(client, window);
      return quotaOf(window, limit, window.endsAt - at, unixNow());
    },

    /** What has to happen before a request can be counted, and perhaps again then; undefined when nothing has to. */
    waitFor(request: IncomingMessage): Promise<void> | undefined {
      if (!shared || max === 0 || !counts(request)) return undefined;
      const { client, limit } = identify(request);
      const window = windows.peek(client);
      // A request that will be refused need not wait.
      if (!window || window.used >= limit.max) return undefined;
      return shared.waitFor(client, limit.max);
    },

    /** Whether a request would count, and its address may still ask. */
    hasRoom(request: IncomingMessage): boolean {
      if (!counts(request)) return false;
      const window = max === 0 ? undefined : windows.get(networkOf(readAddress(request)));
      return window === undefined || window.used < max || window.endsAt <= now();
    },
  };
}

/**
 * @param leftMs until the window ends
 * @param unixNow Unix milliseconds
 */
function quotaOf(window: Window, limit: { max: number; text: string }, leftMs: number, unixNow: number): Quota {
  const left = String(Math.max(0, limit.max - window.used));
  const reset = tellEnd(window, Math.ceil((unixNow + leftMs) / 1000));
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

/** The end stays the same for a whole window, though two clocks never quite agree, unless the system's clock was set. */
function tellEnd(window: Window, unixEnd: number): string {
  if (Math.abs(unixEnd - window.unixEnd) > 1) {
    window.unixEnd = unixEnd;
    window.reset = String(unixEnd);
  }
  return window.reset;
}
