import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import type { RouteTraits } from '../admission/admission.ts';
import { check } from '../bodies/validation.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import { rawPath } from '../transport/raw-path.ts';
import type { Endpoint } from './endpoint.ts';
import { hasLongList, JSON_TYPE, jsonInPieces } from './large-json.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A path of the router and an endpoint that answers there. */
interface Route {
  path: string;
  endpoint: Endpoint;
}

/** The routes of the library, and the tables of all sets of services. */
interface Tables {
  /** Records the actions of endpoints; undefined for none. */
  trail: AuditTrail | undefined;
  /** Position of each endpoint, which is the same in all tables. */
  positions: ReadonlyMap<Endpoint, number>;
  library: RouteTable;
  /** Returns the table of a request. */
  of(request: FastifyRequest): RouteTable;
}

/** Matches every path without an endpoint of its own. Wrong methods there are for unknown endpoints, which are 404. */
const CATCH_ALL = '/*';

export interface RegisterOptions {
  /** Records the actions of the endpoints; undefined for none. */
  trail?: AuditTrail;
  /** Returns the endpoints that answer a request instead of these; they have the same positions. */
  tableOf?(request: FastifyRequest): RouteTable | undefined;
}

/**
 * Adds endpoints to the router, each with its guard, its validation and its HEAD. The other methods of their paths are
 * 405.
 */
export function registerEndpoints(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  services: Services,
  { trail, tableOf = () => undefined }: RegisterOptions = {},
): void {
  const routes = routesOf(endpoints);
  const library = createRouteTable(endpoints, services);
  const positions = new Map(endpoints.map((endpoint, position) => [endpoint, position]));
  const tables: Tables = { trail, positions, library, of: (request) => tableOf(request) ?? library };
  const readsItself = ({ endpoint: { schemas } }: Route) => schemas?.form !== undefined || schemas?.file !== undefined;
  const paths = new Map<string, Endpoint[]>();
  for (const { path, endpoint } of routes) paths.set(path, [...(paths.get(path) ?? []), endpoint]);
  const registerIn = (scope: FastifyInstance, route: Route) =>
    register(scope, route, paths.get(route.path) ?? [], tables);
  app.register(async (scope) => {
    for (const route of routes) if (!readsItself(route)) registerIn(scope, route);
  });
  app.register(async (scope) => {
    // A reader of forms knows best what is wrong with a body of another type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const route of routes) if (readsItself(route)) registerIn(scope, route);
  });
  for (const [path, here] of paths) if (path !== CATCH_ALL) refuseOtherMethods(app, path, here, tables);
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
function traitsOf({ access, limit, isDelivery = true, isForInstallation = false }: Endpoint): RouteTraits {
  const isCounted = limit === 'public';
  const isOpen = access === 'signed' || (access === 'public' && isCounted);
  return { isCounted, isOpen, isDelivery, isSigned: access === 'signed', isForInstallation };
}

/** @param here all endpoints of the route's path */
function register(
  scope: FastifyInstance,
  { path: url, endpoint }: Route,
  here: readonly Endpoint[],
  tables: Tables,
): void {
  const { method, head = true, answersAt } = endpoint;
  const guard = guardIn(tables, endpoint);
  // Before the body, which does not matter then.
  const refuse =
    answersAt &&
    (async (request: FastifyRequest) => {
      if (!answersAt(rawPath(request))) throw methodNotAllowed(request, here);
    });
  const onRequest = [guard, refuse].filter((hook) => hook !== undefined);
  const handler = handlerOf(endpoint, tables);
  const config = traitsOf(endpoint);
  scope.route({ method, url, config, handler, exposeHeadRoute: head, ...(onRequest.length > 0 && { onRequest }) });
}

/** @throws Error for an endpoint without a position, at the start */
function positionOf({ positions }: Tables, endpoint: Endpoint): number {
  const position = positions.get(endpoint);
  if (position === undefined) throw new Error(`${endpoint.method} ${endpoint.path} has no position.`);
  return position;
}

/** @throws Error for none: in a space, the endpoint of the library must not answer instead */
function endpointAt({ endpoints }: RouteTable, position: number): Endpoint {
  const endpoint = endpoints[position];
  if (!endpoint) throw new Error(`There is no endpoint at position ${position}.`);
  return endpoint;
}

/**
 * Returns the hook that calls the guard of a request's table; undefined where no table has one. Names of files may be
 * hidden in one space only.
 */
function guardIn(tables: Tables, endpoint: Endpoint) {
  const position = positionOf(tables, endpoint);
  if (!tables.library.guards[position] && !endpoint.revealsFileNames) return undefined;
  return async (request: FastifyRequest, reply: FastifyReply) => tables.of(request).guards[position]?.(request, reply);
}

/** Validates a request by the schemas before it is handled. A missing body is null to them. */
function handlerOf(endpoint: Endpoint, tables: Tables) {
  const { params, body, query } = endpoint.schemas ?? {};
  const position = positionOf(tables, endpoint);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (endpoint.noStore) reply.header('Cache-Control', 'no-store');
    if (params) request.params = check(params, request.params, 'params');
    if (body) request.body = check(body, request.body ?? null, 'body');
    if (query) request.query = check(query, request.query, 'querystring');
    const answer = await audited(endpointAt(tables.of(request), position), request, reply, tables.trail);
    return hasLongList(answer) ? reply.type(JSON_TYPE).send(await jsonInPieces(answer)) : answer;
  };
}

/** Handles a request, and records what it has done or tried. */
async function audited(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  trail: AuditTrail | undefined,
): Promise<unknown> {
  const { audit: action, outcome, refusal } = endpoint;
  try {
    const handle = () => endpoint.handle(request, reply);
    const answer = await (action && trail ? trail.during(request, handle) : handle());
    if (action && reply.statusCode < 400) {
      const outcomes = outcome?.(request, answer) ?? {};
      trail?.done(
        request,
        [outcomes].flat().map((one) => ({ action, ...one })),
      );
    }
    return answer;
  } catch (error) {
    if (refusal && error instanceof HttpProblem && error.status < 500) trail?.failed(request, refusal(request));
    throw error;
  }
}

function refuseOtherMethods(app: FastifyInstance, url: string, here: readonly Endpoint[], tables: Tables): void {
  const methods = methodsOf(here);
  const others = ALL_METHODS.filter((method) => !methods.includes(method));
  // Other methods must not reveal file names that are hidden from anonymous clients.
  const revealing = here.find(({ revealsFileNames }) => revealsFileNames);
  const guard = revealing && guardIn(tables, revealing);
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
