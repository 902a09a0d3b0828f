import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../errors.ts';
import type { Services } from '../../services.ts';
import type { RouteTraits } from '../admission/admission.ts';
import { guardOf } from '../admission/guards.ts';
import { check } from '../bodies/validation.ts';
import { rawPath } from '../transport/raw-path.ts';
import type { Endpoint } from './endpoint.ts';
import { hasLongList, JSON_TYPE, jsonInPieces } from './large-json.ts';

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A path of the router and an endpoint that answers there. */
interface Route {
  path: string;
  endpoint: Endpoint;
}

/** Matches every path without an endpoint of its own. Wrong methods there are for unknown endpoints, which are 404. */
const CATCH_ALL = '/*';

/**
 * Adds endpoints to the router, each with its guard, its validation and its HEAD. The other methods of their paths are
 * 405.
 */
export function registerEndpoints(app: FastifyInstance, endpoints: readonly Endpoint[], services: Services): void {
  const routes = routesOf(endpoints);
  const readsItself = ({ endpoint: { schemas } }: Route) => schemas?.form !== undefined || schemas?.file !== undefined;
  const paths = new Map<string, Endpoint[]>();
  for (const { path, endpoint } of routes) paths.set(path, [...(paths.get(path) ?? []), endpoint]);
  const registerIn = (scope: FastifyInstance, route: Route) =>
    register(scope, route, paths.get(route.path) ?? [], services);
  app.register(async (scope) => {
    for (const route of routes) if (!readsItself(route)) registerIn(scope, route);
  });
  app.register(async (scope) => {
    // A reader of forms knows best what is wrong with a body of another type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const route of routes) if (readsItself(route)) registerIn(scope, route);
  });
  for (const [path, here] of paths) if (path !== CATCH_ALL) refuseOtherMethods(app, path, here, services);
  app.addHook('preClose', async () => {
    for (const endpoint of endpoints) endpoint.close?.();
  });
}

/** Every path with every endpoint that answers there. */
function routesOf(endpoints: readonly Endpoint[]): Route[] {
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

/**
 * Pages of every site may read responses that anonymous clients may request within the limit, and those that a
 * signature admits.
 */
function traitsOf({ access, limit }: Endpoint): RouteTraits {
  const isCounted = limit === 'public';
  const isOpen = access === 'signed' || (access === 'public' && isCounted);
  return { isCounted, isOpen };
}

/** @param here all endpoints of the route's path */
function register(
  scope: FastifyInstance,
  { path: url, endpoint }: Route,
  here: readonly Endpoint[],
  services: Services,
): void {
  const { method, head = true, answersAt } = endpoint;
  const guard = guardOf(endpoint, services);
  // Before the body, which does not matter then.
  const refuse =
    answersAt &&
    (async (request: FastifyRequest) => {
      if (!answersAt(rawPath(request))) throw methodNotAllowed(request, here);
    });
  const onRequest = [guard, refuse].filter((hook) => hook !== undefined);
  const handler = handlerOf(endpoint);
  const config = traitsOf(endpoint);
  scope.route({ method, url, config, handler, exposeHeadRoute: head, ...(onRequest.length > 0 && { onRequest }) });
}

/** Validates a request by the schemas before it is handled. A missing body is null to them. */
function handlerOf(endpoint: Endpoint) {
  const { params, body, query } = endpoint.schemas ?? {};
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (endpoint.noStore) reply.header('Cache-Control', 'no-store');
    if (params) request.params = check(params, request.params, 'params');
    if (body) request.body = check(body, request.body ?? null, 'body');
    if (query) request.query = check(query, request.query, 'querystring');
    const answer = await endpoint.handle(request, reply);
    return hasLongList(answer) ? reply.type(JSON_TYPE).send(await jsonInPieces(answer)) : answer;
  };
}

function refuseOtherMethods(app: FastifyInstance, url: string, here: readonly Endpoint[], services: Services): void {
  const methods = methodsOf(here);
  const others = ALL_METHODS.filter((method) => !methods.includes(method));
  // Other methods must not reveal file names that are hidden from anonymous clients.
  const revealing = here.find(({ revealsFileNames }) => revealsFileNames);
  const guard = revealing && guardOf(revealing, services);
  const refuse = async (request: FastifyRequest) => {
    throw methodNotAllowed(request, here);
  };
  // A wrong method for a public path is treated as a right one.
  const open = here.find(({ access }) => access === 'public' || access === 'signed');
  const config = open ? traitsOf(open) : {};
  app.route({ method: others, url, config, onRequest: guard ? [guard, refuse] : [refuse], handler: refuse });
}

/** @param here the endpoints of the path that the request is for */
function methodNotAllowed(request: FastifyRequest, here: readonly Endpoint[]): HttpProblem {
  const raw = rawPath(request);
  const allowed = methodsOf(here.filter(({ answersAt }) => answersAt?.(raw) ?? true)).join(', ');
  return new HttpProblem('method_not_allowed', `Expected ${allowed}, received ${request.method}.`, {
    headers: { Allow: allowed },
  });
}

function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const methods = endpoints.flatMap(({ method, head = true }) =>
    method === 'GET' && head ? [method, 'HEAD'] : [method],
  );
  return [...new Set(methods)];
}
