import type { IncomingMessage } from 'node:http';
import type { Services } from '../../services.ts';
import type { Classify } from '../endpoints/lookup.ts';
import { createAddressReader } from './client-address.ts';
import { provenSession } from './proven-session.ts';
import { createRateLimiter, type RateLimiter, type Window } from './rate-limit.ts';
import { SharedWindows } from './shared-windows.ts';

/** Creates the rate limiter of the service, from its settings. */
export function createLimiter({ config, sessions, requestWindows, log }: Services, classify: Classify): RateLimiter {
  const { rateLimit, trustedProxies } = config.http;
  const { max, windowMs, syncMs } = rateLimit;
  return createRateLimiter({
    max,
    windowMs,
    classify,
    readAddress: createAddressReader(trustedProxies),
    readSession: (request: IncomingMessage) => provenSession(request, sessions),
    shared: requestWindows && new SharedWindows<Window>({ windows: requestWindows, intervalMs: syncMs, log }),
  });
}
