import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import type { StoragePath } from '../../path.ts';
import type { SpaceRegistry } from '../../spaces/registry.ts';
import type { Space } from '../../spaces/space.ts';
import type { UsageMeter } from '../../usage/usage-meter.ts';
import { createAddressReader } from './client-address.ts';
import { createRateLimiter, quotaExceeded, type RateLimiter } from './rate-limit.ts';

/** Any address: all clients of a space share one window. */
const EVERYONE = '0.0.0.0';

/** A file, or the files and folders of an archive. */
type Delivered = { path: StoragePath } | { paths: readonly StoragePath[] };

interface Limiters {
  perAddress: RateLimiter | undefined;
  total: RateLimiter | undefined;
}

/** Creates the limits of requests and of transfer that spaces have beside those of the installation. */
export function createSpaceLimits({
  config,
  spaces,
  usage,
  log,
}: Pick<Services, 'config' | 'spaces' | 'log'> & { usage: Pick<UsageMeter, 'monthBytes'> }) {
  const limiters = new WeakMap<Space, Limiters>();
  const transfers = new WeakMap<Space, { bytes: Promise<number>; readAt: number }>();
  /** Requests by the spaces for which they were counted. */
  const counted = new WeakMap<IncomingMessage, Set<Space>>();
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

  /**
   * Reads the transfer of all nodes, as often as they write it. While the database is unavailable, the last figure
   * counts: delivery needs no database.
   */
  function transferOf(space: Space, now: number): Promise<number> {
    const known = transfers.get(space);
    if (known && now - known.readAt < config.usage.flushMs) return known.bytes;
    const bytes = usage.monthBytes(space.id).catch((err) => {
      log.warn({ err, space: space.id }, 'The transfer of a space cannot be read');
      return known?.bytes ?? 0;
    });
    transfers.set(space, { bytes, readAt: now });
    return bytes;
  }

  async function count({ raw, routeOptions }: FastifyRequest, space: Space): Promise<void> {
    if (!hasLimits(space)) return;
    counted.set(raw, (counted.get(raw) ?? new Set()).add(space));
    if (!routeOptions.config.isSigned) await countRequest(raw, limitersOf(space));
    const { transferPerMonth } = space.rules.quota ?? {};
    const now = Date.now();
    if (transferPerMonth !== undefined && (await transferOf(space, now)) >= transferPerMonth)
      throw transferExceeded(transferPerMonth, now);
  }

  /**
   * Counts a request in a space, or one in the library for the spaces of what it delivers.
   * @param delivered what the handler is about to deliver; undefined before it is called
   * @throws HttpProblem 429 for a request beyond a limit of a space
   */
  return async (request: FastifyRequest, delivered?: Delivered): Promise<void> => {
    const { within } = request;
    if (!delivered) {
      if (within && isDelivery(request)) await count(request, within.space);
      return;
    }
    if (spaces.size === 0) return;
    // Several files may be tried for one URL, and requests in a space are mostly counted already.
    const others = (within ? [within.space] : spacesOf(delivered, spaces)).filter(
      (space) => !counted.get(request.raw)?.has(space),
    );
    for (const space of others) await count(request, space);
  };
}

/** True for requests that deliver, by their route. Uploads are limited by the installation alone. */
function isDelivery({ method, routeOptions }: FastifyRequest): boolean {
  const { isCounted, isSigned, isDelivery: delivers = true } = routeOptions.config;
  return delivers && (isCounted || isSigned) === true && (method === 'GET' || method === 'HEAD');
}

function spacesOf(delivered: Delivered, spaces: SpaceRegistry): readonly Space[] {
  if ('paths' in delivered) return spaces.touching(delivered.paths);
  const space = spaces.containing(delivered.path);
  return space ? [space] : [];
}

/** @throws HttpProblem 429 */
async function countRequest(request: IncomingMessage, { perAddress, total }: Limiters): Promise<void> {
  for (const limiter of [perAddress, total]) {
    const quota = await limiter?.count(request);
    if (quota?.isOver) throw quotaExceeded(quota);
  }
}

/** Returns the space of a file that a request in the library leads to. Requests in a space were counted before. */
function outerSpaceOf({ within }: FastifyRequest, spaces: SpaceRegistry, path: StoragePath): Space | undefined {
  return within ? undefined : spaces.containing(path);
}

/** True if requests for a file have to be counted for its space, so that the fast path may not answer them. */
export function isLimitedAt(request: FastifyRequest, spaces: SpaceRegistry, path: StoragePath): boolean {
  const space = outerSpaceOf(request, spaces, path);
  return space !== undefined && hasLimits(space);
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
