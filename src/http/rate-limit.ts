import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { networkOf, type ReadAddress } from './client-address.ts';
import { classify, type EndpointClass } from './public-endpoints.ts';

export interface RateLimitOptions {
  /** Requests in a window; 0 switches the limit off. */
  max: number;
  windowMs: number;
  readAddress: ReadAddress;
  /** Unix milliseconds. */
  now?: () => number;
  /** How many clients are remembered at once; those who have not asked for longest are forgotten first. */
  maxClients?: number;
}

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
  reset: string;
}

const MAX_CLIENTS = 100_000;

const COUNTED: readonly EndpointClass[] = ['public', 'limited'];

export type RateLimiter = (request: IncomingMessage) => Count | undefined;

/**
 * Counts the requests to public endpoints by client, in fixed windows that begin with a client's first request. Undefined for what
 * does not count.
 *
 * Windows in an LRU table, because each cached picture passes here: 0.1 microseconds, at once, and a bound. The usual limiter library
 * answers with a promise, and keeps a timer for each client without any bound: 370 MB for a million addresses.
 */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { max, readAddress, now = Date.now } = options;
  if (max === 0) return () => undefined;
  const windows = new LRUCache<string, Window>({ max: options.maxClients ?? MAX_CLIENTS });
  const limit = String(max);

  function countOne(client: string, at: number): Window {
    const window = windows.get(client);
    if (window !== undefined && window.endsAt > at) {
      window.used++;
      return window;
    }
    const endsAt = at + options.windowMs;
    const fresh = { used: 1, endsAt, reset: String(Math.ceil(endsAt / 1000)) };
    windows.set(client, fresh);
    return fresh;
  }

  return (request) => {
    const { method = 'GET', url = '/' } = request;
    // A preflight is the browser's question, not the visitor's.
    if (method === 'OPTIONS' || !COUNTED.includes(classify(method, url))) return undefined;
    const at = now();
    const window = countOne(networkOf(readAddress(request)), at);
    const left = Math.max(0, max - window.used);
    return {
      isOver: window.used > max,
      headers: ['X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', String(left), 'X-RateLimit-Reset', window.reset],
      retryAfter: Math.max(1, Math.ceil((window.endsAt - at) / 1000)),
    };
  };
}
