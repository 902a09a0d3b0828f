import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Adds cookies to a response, after those that it has: of two with one name, browsers keep the last. Shared caches must
 * not store a response with cookies.
 */
export function passCookies(
  request: FastifyRequest,
  { raw }: Pick<FastifyReply, 'raw'>,
  cookies: readonly string[],
): void {
  if (cookies.length === 0) return;
  // Behind a proxy that ends https, only the request shows that the cookie must be `Secure`.
  const isSecure = request.protocol === 'https';
  // Set on the raw response, because files are sent without the framework.
  raw.setHeader('Cache-Control', 'private, no-store');
  raw.appendHeader(
    'Set-Cookie',
    cookies.map((cookie) => (isSecure ? secure(cookie) : cookie)),
  );
}

function secure(cookie: string): string {
  return /;\s*secure\b/i.test(cookie) ? cookie : `${cookie}; Secure`;
}
