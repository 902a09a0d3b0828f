import { withoutSpacePrefix } from '../admission/space.ts';
import { API_PREFIX } from '../transport/raw-path.ts';
import { type Endpoint, METHODS } from './endpoint.ts';

export type RequestTargets = ReturnType<typeof createRequestTargets>;

/** Creates the functions that read a request target by the declared paths. */
export function createRequestTargets(endpoints: readonly Endpoint[]) {
  const paths = endpoints.flatMap(({ path, alsoAt = [] }) => [path, ...alsoAt]).map((path) => path.split('/'));
  /** Names below `/api` of endpoints that are declared there. */
  const prefixed = new Set(paths.filter(([, first]) => `/${first}` === API_PREFIX).map(([, , second]) => second));
  const families = new Set(paths.map(([, first = '']) => first).filter((name) => !/^[:*]/.test(name)));

  /**
   * Removes the origin and the prefix `/api`. Endpoints that are declared below `/api` answer there only; every other
   * one answers with and without it.
   */
  function withoutPrefix(url: string): string {
    const target = withoutOrigin(url);
    if (!target.startsWith(`${API_PREFIX}/`)) return target;
    const rest = target.slice(API_PREFIX.length);
    return prefixed.has(firstName(rest)) ? target : rest;
  }

  return {
    withoutPrefix,
    /** The first name of the path if an endpoint has it, else `other`, so that the number of families is bounded. */
    familyOf(url: string): string {
      const name = firstName(withoutPrefix(withoutSpacePrefix(url)));
      return name !== '' && families.has(name) ? name : 'other';
    },
    /** The methods of all endpoints, including HEAD. */
    methods: METHODS.filter((method) => endpoints.some((endpoint) => endpoint.method === method)).flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    ),
  };
}

function firstName(path: string): string {
  return /^\/([^/?#]*)/.exec(path)?.[1] ?? '';
}

/** A request line may hold the whole URL (RFC 9112, 3.2.2); only its path and query matter here. */
export function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
