import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SESSION_COOKIE } from '../auth/auth.ts';
import { isPreset } from '../delivery/presets.ts';
import { type DeliveryRequest, readDeliveryUrl } from '../delivery/url.ts';
import { forbidden, HttpProblem, notFound } from '../errors.ts';
import { quote } from '../path.ts';
import type { Services } from '../services.ts';
import { requirePermission } from './guards.ts';
import { readSignedUrl } from './signed-url.ts';

/** What a visitor may have, and for how long. */
export interface Admission {
  wanted: DeliveryRequest;
  cacheControl: string;
  /** Whether whoever knows the URL may have it, for good. */
  isForEveryone: boolean;
}

const OPEN = '/t/';
const SIGNED = '/authenticated/';

/** For answers that took a key or a session: nothing between may keep them. */
const PRIVATE = 'private, no-cache';

/**
 * Judges a request for an original or a variant by `DELIVERY_MODE`. Where a URL alone does not open the door, a key with the
 * permission "read" or a session does.
 * @throws HttpProblem 400 for a URL that cannot be, 401 and 403
 */
export async function admitDelivery(request: FastifyRequest, services: Services): Promise<Admission> {
  const { limits, http } = services.config;
  // The router's own reading of the path decodes "%2F"; the raw text keeps what the client wrote.
  const [url = ''] = (request.raw.url ?? '').split('?', 1);
  if (url.startsWith(SIGNED)) return admitSigned(url.slice(SIGNED.length), services);
  // The router also finds "/%74/".
  if (!url.startsWith(OPEN)) throw notFound(`There is no endpoint ${url}.`, 'Unknown endpoint');
  const wanted = readDeliveryUrl(url.slice(OPEN.length), limits);
  const refusal = refuseUnsigned(wanted, services);
  if (refusal === undefined) return { wanted, cacheControl: http.cacheControl, isForEveryone: true };
  if (!presentsCredentials(request)) throw refusal;
  await requirePermission(services, 'read')(request);
  return { wanted, cacheControl: PRIVATE, isForEveryone: false };
}

/** What ends is not to be kept beyond its end. */
function admitSigned(rest: string, { config: { auth, limits, http } }: Services): Admission {
  const { raw, expires } = readSignedUrl(rest, auth.secret, limits);
  const wanted = readDeliveryUrl(raw, limits);
  if (expires === undefined) return { wanted, cacheControl: http.cacheControl, isForEveryone: true };
  const seconds = Math.max(0, expires - Math.floor(Date.now() / 1000));
  return { wanted, cacheControl: `private, max-age=${seconds}`, isForEveryone: false };
}

function refuseUnsigned(wanted: DeliveryRequest, { config: { http, limits } }: Services): HttpProblem | undefined {
  if (http.deliveryMode === 'signed') {
    const message = 'This service delivers signed URLs only: /authenticated/s--<signature>/...';
    return new HttpProblem(401, 'Signature required', message, { headers: { 'WWW-Authenticate': 'Signature' } });
  }
  if (http.deliveryMode === 'open' || !wanted.transformation || isPreset(wanted.segment, limits.presets))
    return undefined;
  const names = Object.keys(limits.presets).map((name) => `n_${name}`);
  return forbidden(`Expected one of the presets ${names.join(', ')}, received ${quote(wanted.segment)}.`);
}

function presentsCredentials({ headers }: FastifyRequest): boolean {
  if (headers['x-api-key'] !== undefined || headers.authorization?.startsWith('Bearer')) return true;
  return headers.cookie?.includes(`${SESSION_COOKIE}=`) ?? false;
}

/** Where originals are delivered to signed URLs only, they are not to be downloaded without a key either. */
export function guardDownloads(app: FastifyInstance, services: Services): void {
  if (services.config.http.deliveryMode !== 'signed') return;
  const requireRead = requirePermission(services, 'read');
  app.addHook('onRequest', async (request) => {
    if (/^\/download(-folder)?(\/|$)/.test(request.routeOptions.url ?? '')) await requireRead(request);
  });
}
