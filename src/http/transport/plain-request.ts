import type { IncomingMessage } from 'node:http';
import { SPACE_PREFIX } from '../../spaces/rules.ts';
import { isPersistent } from './keep-alive.ts';
import { API_PREFIX } from './raw-path.ts';

const HOST = 'host';

/** Requests with one of these headers take the normal path. */
const EXCLUDED = [
  'range',
  'if-match',
  'if-unmodified-since',
  // The expectation may have to be refused.
  'expect',
  // The body may never end.
  'content-length',
  'transfer-encoding',
] as const;

/** The URL as the framework rewrites it: originals and variants are delivered below `/api` too, in spaces as well. */
export function rewritten(url: string): string {
  if (!url.startsWith(API_PREFIX)) return url;
  const start = API_PREFIX.length;
  return url.startsWith('/t/', start) || url.startsWith(SPACE_PREFIX, start) ? url.slice(start) : url;
}

/** True for a request that the fast path may answer, as far as its headers show. */
export function isPlain(request: IncomingMessage): boolean {
  const { method, headers } = request;
  return method === 'GET' && isPersistent(request) && EXCLUDED.every((name) => headers[name] === undefined);
}

/** True for two `Host` headers, which only the raw headers show. The normal path refuses them. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts > 1;
}
