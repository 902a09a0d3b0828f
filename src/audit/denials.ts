import { boundedCache } from '../bounded-cache.ts';

export interface DenialOptions {
  /** Entries of one client in a window. */
  perClient?: number;
  clientWindowMs?: number;
  /** Entries of all anonymous clients together in a window. */
  anonymous?: number;
  anonymousWindowMs?: number;
  /** Maximum of clients in memory. The least recently seen are evicted first. */
  maxClients?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

interface Window {
  count: number;
  endsAt: number;
  /** Refusals without an entry since the last entry. */
  omitted: number;
}

const MINUTE_MS = 60_000;

/**
 * Limits the entries about refused requests, so that no client can fill the log: ten in ten minutes per client, and for
 * anonymous clients together a thousand per hour and node.
 */
export function createDenials({
  perClient = 10,
  clientWindowMs = 10 * MINUTE_MS,
  anonymous = 1000,
  anonymousWindowMs = 60 * MINUTE_MS,
  maxClients = 10_000,
  now = () => performance.now(),
}: DenialOptions = {}) {
  const clients = boundedCache<string, Window>(maxClients);
  const all: Window = { count: 0, endsAt: 0, omitted: 0 };

  function hasCapacity(window: Window, max: number, lengthMs: number): boolean {
    if (window.endsAt <= now()) {
      window.count = 0;
      window.endsAt = now() + lengthMs;
    }
    return window.count < max;
  }

  return {
    /**
     * Counts a refusal.
     * @param client its network, or the id of its credentials
     * @returns the refusals of the client without an entry since its last one; undefined if this one gets no entry
     */
    admit(client: string, isAnonymous: boolean): number | undefined {
      const window = clients.get(client) ?? { count: 0, endsAt: 0, omitted: 0 };
      clients.set(client, window);
      const isAdmitted =
        hasCapacity(window, perClient, clientWindowMs) &&
        (!isAnonymous || hasCapacity(all, anonymous, anonymousWindowMs));
      if (!isAdmitted) {
        window.omitted++;
        return undefined;
      }
      window.count++;
      if (isAnonymous) all.count++;
      const { omitted } = window;
      window.omitted = 0;
      return omitted;
    },
  };
}
