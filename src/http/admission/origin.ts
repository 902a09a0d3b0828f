import type { FastifyRequest } from 'fastify';
import { forbidden } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { quote } from '../../path.ts';
import { FORWARDED_HOST } from './forwarded.ts';

const CHANGES_NOTHING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Requires that a request which changes something by the right of a cookie comes from the service's own pages: a
 * browser also sends its cookies with requests that other sites cause.
 * @throws HttpProblem 403
 */
export function requireOwnOrigin(request: FastifyRequest, services: Pick<Services, 'config'>): void {
  if (CHANGES_NOTHING.includes(request.method)) return;
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request, origin, services)) return;
  const received = origin === undefined ? 'none' : quote(origin);
  throw forbidden(
    `A request with a session cookie needs the "Origin" of this service, ${namedOrigins(request, services)}, received ${received}. Behind a proxy, PUBLIC_URL says what it is.`,
    'foreign_origin',
  );
}

/**
 * Refuses pages of other sites, which must neither end a session nor begin one. Programs that are no browsers send
 * neither header.
 * @throws HttpProblem 403
 */
export function requireOwnPage(request: FastifyRequest, services: Pick<Services, 'config'>): void {
  const { origin, cookie } = request.headers;
  if (origin !== undefined || cookie !== undefined) requireOwnOrigin(request, services);
}

/** The origin by which the browser of this request knows the service. */
export function ownOrigin(request: FastifyRequest, services: Pick<Services, 'config'>): string {
  const { origin } = request.headers;
  if (origin !== undefined && isOwnOrigin(request, origin, services)) return origin;
  return services.config.http.publicUrl ?? `${request.protocol}://${request.host}`;
}

/**
 * True for the service's own origins: the public URL's, and the one that the request was sent to, because a cookie goes
 * to no other host. A page that came over http is not trusted where https is in use: anyone on the network path could
 * have written it.
 */
export function isOwnOrigin(request: FastifyRequest, origin: string, services: Pick<Services, 'config'>): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: plain } = new URL(origin);
  if (plain !== origin.toLowerCase()) return false;
  return ownOrigins(request, services).includes(plain);
}

function ownOrigins(request: FastifyRequest, services: Pick<Services, 'config'>): string[] {
  const { publicUrl } = services.config.http;
  const requested = requestedOrigin(request, services);
  const origins = publicUrl === undefined ? [requested] : [new URL(publicUrl).origin, requested];
  return [...new Set(origins)].filter((origin) => origin !== '');
}

/**
 * The service's own origins for a message. A client may have written the host that a proxy forwards, so it is not
 * repeated.
 */
function namedOrigins(request: FastifyRequest, services: Pick<Services, 'config'>): string {
  if (request.headers[FORWARDED_HOST] === undefined) return ownOrigins(request, services).join(' or ');
  const { publicUrl } = services.config.http;
  return publicUrl === undefined ? 'that of the forwarded host' : new URL(publicUrl).origin;
}

/** The origin that the request was sent to. For its own host, the public URL knows the scheme better than a proxy. */
function requestedOrigin({ host, protocol }: FastifyRequest, { config }: Pick<Services, 'config'>): string {
  const url = `${protocol}://${host}`;
  if (!URL.canParse(url)) return '';
  const { publicUrl } = config.http;
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  const requested = new URL(url);
  return own !== undefined && own.host === requested.host ? own.origin : requested.origin;
}
