import type { FastifyRequest } from 'fastify';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import type { Space } from '../../spaces/space.ts';
import { createAddressReader } from './client-address.ts';
import { createRateLimiter, quotaExceeded, type RateLimiter } from './rate-limit.ts';

/** Lifetime of the transfer of a month, in ms: counters reach the database as often by default. */
const TRANSFER_MS = 10_000;

/** Any address: all clients of a space share one window. */
const EVERYONE = '0.0.0.0';

interface Limiters {
  perAddress: RateLimiter | undefined;
  total: RateLimiter | undefined;
}

/** Creates the limits of requests and of transfer that spaces have beside those of the installation. */
export function createSpaceLimits({ config, usage, log }: Pick<Services, 'config' | 'usage' | 'log'>) {
  const limiters = new WeakMap<Space, Limiters>();
  const transfers = new WeakMap<Space, { bytes: Promise<number>; readAt: number }>();
  const { rateLimit, trustedProxies } = config.http;
  const readAddress = createAddressReader(trustedProxies);
  const { windowMs } = rateLimit;

  function limitersOf(space: Space): Limiters {
    const known = limiters.get(space);
    if (known) return known;
    const { perAddress, total } = space.rules.rateLimit ?? {};
    const created = {
      perAddress: perAddress === undefined ? undefined : createRateLimiter({ max: perAddress, windowMs, readAddress }),
      total: total === undefined ? undefined : createRateLimiter({ max: total, windowMs, readAddress: () => EVERYONE }),
    };
    limiters.set(space, created);
    return created;
  }

  /** While the database is unavailable, the last figure counts: delivery needs no database. */
  function transferOf(space: Space, now: number): Promise<number> {
    const known = transfers.get(space);
    if (known && now - known.readAt < TRANSFER_MS) return known.bytes;
    const bytes = usage.monthBytes(space.id).catch((err) => {
      log.warn({ err, space: space.id }, 'The transfer of a space cannot be read');
      return known?.bytes ?? 0;
    });
    transfers.set(space, { bytes, readAt: now });
    return bytes;
  }

  /** @throws HttpProblem 429 for a request beyond a limit of its space */
  return async ({ within, raw, method, routeOptions }: FastifyRequest): Promise<void> => {
    if (!within || !hasLimits(within.space) || !routeOptions.config.isCounted) return;
    // Uploads are limited by the installation alone.
    if (method !== 'GET' && method !== 'HEAD') return;
    const { space } = within;
    const { perAddress, total } = limitersOf(space);
    for (const limiter of [perAddress, total]) {
      const quota = await limiter?.count(raw);
      if (quota?.isOver) throw quotaExceeded(quota);
    }
    const { transferPerMonth } = space.rules.quota ?? {};
    const now = Date.now();
    if (transferPerMonth !== undefined && (await transferOf(space, now)) >= transferPerMonth)
      throw transferExceeded(transferPerMonth, now);
  };
}

/** True for a space whose requests have to be counted, so that the fast path may not answer them. */
export function hasLimits({ rules: { quota, rateLimit } }: Space): boolean {
  return quota?.transferPerMonth !== undefined || rateLimit !== undefined;
}

function transferExceeded(bytes: number, now: number): HttpProblem {
  const date = new Date(now);
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const message = `The transfer of this month, ${bytes} bytes, is used up.`;
  return tooManyRequests(message, 'transfer_exceeded', Math.ceil((nextMonth - now) / 1000));
}
