import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { networkOf, type ReadAddress } from './client-address.ts';
import { classify, type EndpointClass } from './public-endpoints.ts';

export interface RateLimitOptions {
  /** Requests of an address in a window; 0 switches the limit off. */
  max: number;
  windowMs: number;
  readAddress: ReadAddress;
  /** The name of the session that a request is proven to belong to. */
  readSession?: (request: IncomingMessage) => string | undefined;
  /** Milliseconds of a clock that nobody sets: windows are measured with it. */
  now?: () => number;
  /** Unix milliseconds, for telling when a window ends. */
  unixNow?: () => number;
  /** How many clients are remembered at once; those who have not asked for longest are forgotten first. */
  maxClients?: number;
}

/** A page of the library shows more pictures than a stranger may ask for. */
const SESSION_FACTOR = 100;

/** What a request that counts is told. */
export interface Count {
  isOver: boolean;
  /** Names and values in turn. */
  headers: string[];
  /** Seconds until the window ends. */
  retryAfter: number;
}

interface Window {
  used: number;
  endsAt: number;
  /** The end in Unix seconds, and as it is told. */
  unixEnd: number;
  reset: string;
}

const MAX_CLIENTS = 100_000;

const COUNTED: readonly EndpointClass[] = ['public', 'limited'];

export interface RateLimiter {
  /** Counts a request; undefined when it is none that counts. */
  count(request: IncomingMessage): Count | undefined;
  /** Whether a request counts and its address may still ask, before it is counted. */
  hasRoom(request: IncomingMessage): boolean;
}

/**
 * Counts the requests to public endpoints by client, in fixed windows that begin with a client's first request. A proven session has
 * a window of its own, 100 times as large, wherever its requests come from.
 *
 * Windows in an LRU table, because each cached picture passes here: 0.1 microseconds, at once, and a bound. The usual limiter library
 * answers with a promise, and keeps a timer for each client without any bound: 370 MB for a million addresses.
 */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const {
    max,
    readAddress,
    readSession = () => undefined,
    now = () => performance.now(),
    unixNow = Date.now,
  } = options;
  const windows = new LRUCache<string, Window>({ max: options.maxClients ?? MAX_CLIENTS });
  const ofAddress = { max, text: String(max) };
  const ofSession = { max: max * SESSION_FACTOR, text: String(max * SESSION_FACTOR) };

  function countOne(client: string, at: number): Window {
    const window = windows.get(client);
    if (window !== undefined && window.endsAt > at) {
      window.used++;
      return window;
    }
    const endsAt = at + options.windowMs;
    const fresh = { used: 1, endsAt, unixEnd: 0, reset: '' };
    windows.set(client, fresh);
    return fresh;
  }

  /** Told anew where the system's clock was set meanwhile; else the same all the time, though two clocks never agree quite. */
  function resetOf(window: Window, leftMs: number): string {
    const unixEnd = Math.ceil((unixNow() + leftMs) / 1000);
    if (Math.abs(unixEnd - window.unixEnd) > 1) {
      window.unixEnd = unixEnd;
      window.reset = String(unixEnd);
    }
    return window.reset;
  }

  return {
    count(request) {
      if (max === 0 || !counts(request)) return undefined;
      const at = now();
      const session = readSession(request);
      const limit = session === undefined ? ofAddress : ofSession;
      const window = countOne(session ?? networkOf(readAddress(request)), at);
      const left = Math.max(0, limit.max - window.used);
      const leftMs = window.endsAt - at;
      const reset = resetOf(window, leftMs);
      return {
        isOver: window.used > limit.max,
        headers: ['X-RateLimit-Limit', limit.text, 'X-RateLimit-Remaining', String(left), 'X-RateLimit-Reset', reset],
        retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
      };
    },

    hasRoom(request) {
      if (!counts(request)) return false;
      const window = max === 0 ? undefined : windows.get(networkOf(readAddress(request)));
      return window === undefined || window.used < max || window.endsAt <= now();
    },
  };
}

/** A preflight is the browser's question, not the visitor's. */
function counts({ method = 'GET', url = '/' }: IncomingMessage): boolean {
  return method !== 'OPTIONS' && COUNTED.includes(classify(method, url));
}
