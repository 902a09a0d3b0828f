import type { FastifyReply, FastifyRequest } from 'fastify';

/** Passes the cookies of better-auth on to the client. No cache on the way may keep an answer with cookies. */
export function passCookies(
  request: FastifyRequest,
  { raw }: Pick<FastifyReply, 'raw'>,
  cookies: readonly string[],
): void {
  if (cookies.length === 0) return;
  // Behind a proxy that ends https, only the request says that the cookie has to stay on https.
  const isSecure = request.protocol === 'https';
  // They go to the response itself, because files are sent without the framework.
  raw.setHeader('Cache-Control', 'private, no-store');
  raw.setHeader(
    'Set-Cookie',
    cookies.map((cookie) => (isSecure ? secure(cookie) : cookie)),
  );
}

function secure(cookie: string): string {
  return /;\s*secure\b/i.test(cookie) ? cookie : `${cookie}; Secure`;
}
