import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { guardOf } from '../admission/guards.ts';
import { withRawBodies } from '../bodies/raw-bodies.ts';
import { check } from '../bodies/validation.ts';
import type { Endpoint } from './endpoint.ts';
import { hasLongList, JSON_TYPE, jsonInPieces } from './large-json.ts';
import { byPath, type Route, routesOf } from './route-table.ts';

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Takes every path that has no endpoint of its own. Wrong methods there are for unknown endpoints, which are 404. */
const CATCH_ALL = '/*';

/** Puts endpoints into the router, each with its guard, its checks and its HEAD. The other methods of their paths are 405. */
export function registerEndpoints(app: FastifyInstance, endpoints: readonly Endpoint[], services: Services): void {
  const routes = routesOf(endpoints);
  const readsItself = ({ endpoint: { schemas } }: Route) => schemas?.form !== undefined || schemas?.file !== undefined;
  app.register(async (scope) => {
    for (const route of routes) if (!readsItself(route)) register(scope, route, services);
  });
  app.register(async (scope) => {
    withRawBodies(scope);
    for (const route of routes) if (readsItself(route)) register(scope, route, services);
  });
  for (const [path, here] of byPath(routes)) if (path !== CATCH_ALL) refuseOtherMethods(app, path, here, services);
  app.addHook('preClose', async () => {
    for (const endpoint of endpoints) endpoint.close?.();
  });
}

function register(scope: FastifyInstance, { path: url, endpoint }: Route, services: Services): void {
  const { method, head = true } = endpoint;
  const guard = guardOf(endpoint, services);
  const handler = handlerOf(endpoint);
  scope.route({ method, url, handler, exposeHeadRoute: head, ...(guard && { onRequest: guard }) });
}

/** Checks a request by the schemas before it is handled. A body that did not come is null to them. */
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
  const methods = new Set(
    here.flatMap(({ method, head = true }) => (method === 'GET' && head ? [method, 'HEAD'] : [method])),
  );
  const others = ALL_METHODS.filter((method) => !methods.has(method));
  const allowed = [...methods].join(', ');
  // Where file names are kept from strangers, they learn nothing by another method either.
  const teller = here.find(({ tellsOfFiles }) => tellsOfFiles);
  const guard = teller && guardOf(teller, services);
  app.route({
    method: others,
    url,
    ...(guard && { onRequest: guard }),
    handler: (request) => {
      throw new HttpProblem('method_not_allowed', `Expected ${allowed}, received ${request.method}.`, {
        headers: { Allow: allowed },
      });
    },
  });
}
