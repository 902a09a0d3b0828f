/** Endpoints that need no credentials, each with everything below it: they are rate limited, and open to every origin. */
const PUBLIC_TREES = ['/t', '/download', '/download-folder', '/video-status'] as const;
const PUBLIC_PAGES: readonly string[] = ['/queue/events', '/health', '/limits'];

/** These need a key and count as well. */
const ALSO_LIMITED: readonly string[] = ['POST /upload', 'GET /health/database'];

/** A signed URL is open to every origin as well, and does not count. */
const SIGNED_TREE = '/authenticated/';

export type EndpointClass = 'public' | 'signed' | 'limited' | 'other';

/** @param url the request target as it arrived */
export function classify(method: string, url: string): EndpointClass {
  // Nearly all requests are these, and nothing else has to be known of them.
  if (url.startsWith('/t/')) return 'public';
  const path = plainPath(url);
  if (PUBLIC_PAGES.includes(path)) return 'public';
  if (PUBLIC_TREES.some((tree) => path === tree || path.startsWith(`${tree}/`))) return 'public';
  if (path.startsWith(SIGNED_TREE)) return 'signed';
  return ALSO_LIMITED.includes(`${method} ${path}`) ? 'limited' : 'other';
}

/** The path as the router will understand it: without origin, query and prefix, and decoded. */
function plainPath(url: string): string {
  const path = withoutPrefix(withoutOrigin(url)).split(/[?#]/, 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A request line may hold the whole URL (RFC 9112, 3.2.2); only its path and query matter here. */
export function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Endpoints that exist below `/api` only; every other one answers with and without the prefix. */
const API_ONLY = ['/api/version', '/api/auth/', '/api/openapi.json', '/api/docs'];

export function withoutPrefix(url: string): string {
  if (!url.startsWith('/api/') || API_ONLY.some((own) => url.startsWith(own))) return url;
  return url.slice('/api'.length);
}
