import type { Endpoint } from './endpoint.ts';

/** A path of the router and an endpoint that answers there. */
export interface Route {
  path: string;
  endpoint: Endpoint;
}

/** Every path with every endpoint that answers there. */
export function routesOf(endpoints: readonly Endpoint[]): Route[] {
  const declared = endpoints.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.alsoAt ?? [])].map((path) => ({ path, endpoint })),
  );
  const covering = endpoints.filter(({ coversEndpoints }) => coversEndpoints);
  return [...declared, ...covering.flatMap((endpoint) => coveredBy(endpoint, declared))];
}

/** The paths below a wildcard where other endpoints answer, and none with its method. */
function coveredBy(endpoint: Endpoint, declared: readonly Route[]): Route[] {
  const tree = endpoint.path.slice(0, -1);
  const below = declared.filter(({ path }) => path.startsWith(tree) && !/[:*]/.test(path));
  const taken = below.filter((route) => route.endpoint.method === endpoint.method).map(({ path }) => path);
  const free = new Set(below.map(({ path }) => path)).difference(new Set(taken));
  return [...free].map((path) => ({ path, endpoint }));
}

/** The endpoints by their paths. */
export function byPath(routes: readonly Route[]): Map<string, Endpoint[]> {
  const paths = new Map<string, Endpoint[]>();
  for (const { path, endpoint } of routes) paths.set(path, [...(paths.get(path) ?? []), endpoint]);
  return paths;
}
