import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';

/** The schemas of a route, as it validates by them. */
export interface RouteSchemas {
  body?: z.ZodType;
  querystring?: z.ZodObject;
  params?: z.ZodObject;
  response?: Readonly<Record<number, z.ZodType>>;
  /** Where the operations of one route answer differently: what each answers with 200, by its id. */
  answers?: Readonly<Record<string, z.ZodType>>;
  consumes?: readonly string[];
}

export type RouteTable = ReadonlyMap<string, RouteSchemas>;

/** Notes the routes and their schemas as they are added, for the document. */
export function collectRoutes(app: FastifyInstance): RouteTable {
  const routes = new Map<string, RouteSchemas>();
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema && 'hide' in schema) return;
    // What zod does not check is no schema of ours.
    for (const one of [method].flat()) routes.set(`${one} ${url}`, (schema ?? {}) as RouteSchemas);
  });
  app.decorate('routeTable', routes);
  return routes;
}
