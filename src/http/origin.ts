import type { FastifyRequest } from 'fastify';
import { forbidden } from '../errors.ts';
import { quote } from '../path.ts';
import type { Services } from '../services.ts';

const CHANGES_NOTHING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A browser sends its cookies along with what other sites make it ask for. What changes something on the strength of a cookie has
 * to come from a page of our own.
 * @throws HttpProblem 403
 */
export function requireOwnOrigin(request: FastifyRequest, services: Pick<Services, 'config'>): void {
  if (CHANGES_NOTHING.includes(request.method)) return;
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request, origin, services)) return;
  throw forbidden(
    `A request with a session cookie needs the "Origin" of this service, received ${origin === undefined ? 'none' : quote(origin)}.`,
  );
}

/** The origin by which the browser of this request knows the service. */
export function ownOrigin(request: FastifyRequest, services: Pick<Services, 'config'>): string {
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request, origin, services)) return origin;
  return services.config.http.publicUrl ?? `${request.protocol}://${request.host}`;
}

/** Our own is the public URL's origin, and the host that the request itself was sent to: a cookie goes to no other one. */
export function isOwnOrigin(
  { host }: FastifyRequest,
  origin: string,
  { config: { http } }: Pick<Services, 'config'>,
): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: originHost, origin: plain } = new URL(origin);
  if (plain !== origin.toLowerCase()) return false;
  return (
    originHost === normaliseHost(host) || (http.publicUrl !== undefined && plain === new URL(http.publicUrl).origin)
  );
}

/** Lower case, and without a port that its scheme implies. */
function normaliseHost(host: string): string {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).host : '';
}
