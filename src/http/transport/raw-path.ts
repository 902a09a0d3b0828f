import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../errors.ts';
import { parseUrlPath, ROOT, type StoragePath } from '../../path.ts';

/** Every endpoint answers below this path too. */
export const API_PREFIX = '/api';

/** The part after the first name in the path of a URL, percent-encoded as it arrived: the router would decode "%2F". */
export function rawPath(request: FastifyRequest): string {
  const [path = ''] = (request.raw.url ?? '').split('?');
  const slash = path.indexOf('/', 1);
  return slash < 0 ? '' : path.slice(slash + 1);
}

/** Reads the path of a file or folder below the root. @throws HttpProblem 400 */
export function requirePath(raw: string): StoragePath {
  const path = parseUrlPath(raw);
  if (path === ROOT) throw badRequest('Expected the path of a file or folder, received none.', 'missing_input');
  return path;
}

/** The values of a query parameter, percent-encoded as they arrived. */
export function rawQuery(request: FastifyRequest, name: string): string[] {
  const query = (request.raw.url ?? '').split('?').slice(1).join('?');
  return query
    .split('&')
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replaceAll('+', '%20'));
}
