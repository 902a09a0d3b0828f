import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointClass } from './public-endpoints.ts';

const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Cache',
  'X-Transform-Fallback',
  'X-Request-Id',
  'ETag',
  'Content-Length',
  'Content-Range',
  'Content-Disposition',
].join(', ');

/** Public answers may be read by the pages of every site. */
export const ANY_ORIGIN: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
};

const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, X-Api-Key, Content-Type, Range, If-Match, If-None-Match, If-Modified-Since',
  'Access-Control-Max-Age': '7200',
  'Content-Length': '0',
};

/**
 * The headers by which browsers let pages of other sites read an answer. Credentials are never among what they may send along: a
 * session is for our own pages, others bring a key.
 * @param origins whose pages may use the endpoints that need a key; `*` is any
 */
export function corsHeaders(
  endpoint: EndpointClass,
  origin: string | undefined,
  origins: readonly string[],
): Readonly<Record<string, string>> {
  if (endpoint === 'public' || endpoint === 'signed' || origins.includes('*')) return ANY_ORIGIN;
  if (origins.length === 0) return {};
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' };
  return { ...ANY_ORIGIN, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
}

/** Answers a browser's question before the request itself; false when it is none, or none that may be answered with yes. */
export function answerPreflight(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  allowed: Readonly<Record<string, string>>,
): boolean {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  if (allowed['Access-Control-Allow-Origin'] === undefined) return false;
  response.writeHead(204, { ...PREFLIGHT, ...allowed });
  response.end();
  return true;
}
