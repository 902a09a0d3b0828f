import type { Services } from '../../services.ts';
import { createAddressReader } from './client-address.ts';
import { learnSession, recallSession } from './credentials.ts';
import { createRateLimiter, type RateLimiter, type Window } from './rate-limit.ts';
import { SharedWindows } from './shared-windows.ts';

/** Creates the rate limiter of the service from its settings. */
export function createLimiter({ config, sessions, requestWindows, log }: Services): RateLimiter {
  const { rateLimit, trustedProxies } = config.http;
  const { max, windowMs, syncMs } = rateLimit;
  return createRateLimiter({
    max,
    windowMs,
    readAddress: createAddressReader(trustedProxies),
    sessions: {
      recall: ({ headers }) => recallSession(headers, sessions),
      learn: ({ headers }) => learnSession(headers, sessions),
    },
    shared: requestWindows && new SharedWindows<Window>({ windows: requestWindows, intervalMs: syncMs, log }),
  });
}
