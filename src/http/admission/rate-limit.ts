import type { IncomingMessage } from 'node:http';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../bounded-cache.ts';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
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

/** Requests of a window, and the same as headers have it. */
interface Limit {
  max: number;
  text: string;
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
  const { max, classify, readAddress, readSession = () => undefined, shared } = options;
  const windows = createWindows(options);
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
      const { client, limit } = identify(request);
      return windows.count(client, limit);
    },

    /** What has to happen before a request can be counted, and perhaps again then; undefined when nothing has to. */
    waitFor(request: IncomingMessage): Promise<void> | undefined {
      if (!shared || max === 0 || !counts(request)) return undefined;
      const { client, limit } = identify(request);
      return windows.waitFor(client, limit);
    },

    /** Whether a request would count, and its address may still ask. */
    hasRoom(request: IncomingMessage): boolean {
      return counts(request) && (max === 0 || windows.hasRoom(networkOf(readAddress(request)), ofAddress));
    },

    /**
     * Counts a refused signature in the window of its client's public requests. Signed delivery has no limit otherwise.
     * @throws HttpProblem 429 when the window is used up
     */
    async countRefusal(request: IncomingMessage): Promise<void> {
      if (max > 0) await countRefusalIn(windows, identify(request));
    },
    close: () => shared?.close(),
  };
}

type Windows = ReturnType<typeof createWindows>;

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

    /** What a client's next request has to wait for, so that the nodes have added up. */
    waitFor(client: string, limit: Limit): Promise<void> | undefined {
      const window = windows.peek(client);
      // A request that will be refused need not wait.
      if (!window || window.used >= limit.max) return undefined;
      return shared?.waitFor(client, limit.max);
    },

    hasRoom(client: string, limit: Limit): boolean {
      const window = windows.get(client);
      return window === undefined || window.used < limit.max || window.endsAt <= now();
    },
  };
}

async function countRefusalIn(windows: Windows, { client, limit }: { client: string; limit: Limit }): Promise<void> {
  let waiting = windows.waitFor(client, limit);
  while (waiting !== undefined) {
    await waiting;
    waiting = windows.waitFor(client, limit);
  }
  const quota = windows.count(client, limit);
  if (quota.isOver) throw quotaExceeded(quota);
}

/** The 429 for a client whose window is used up. */
export function quotaExceeded({ retryAfter }: Pick<Quota, 'retryAfter'>): HttpProblem {
  const message = `Too many requests from this address: ask again in ${retryAfter} s.`;
  return tooManyRequests(message, 'rate_limited', retryAfter);
}

/**
 * @param leftMs until the window ends
 * @param unixNow Unix milliseconds
 */
function quotaOf(window: Window, limit: Limit, leftMs: number, unixNow: number): Quota {
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
