import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { SESSION_COOKIE } from '../../auth/auth.ts';
import { classify } from '../public-endpoints.ts';
import { OPERATIONS, type Operation } from './operations.ts';

/** The schemas of a route, as it validates by them. */
export interface RouteSchemas {
  body?: z.ZodType;
  querystring?: z.ZodObject;
  params?: z.ZodObject;
  response?: Readonly<Record<number, z.ZodType>>;
  consumes?: readonly string[];
}

export type RouteTable = ReadonlyMap<string, RouteSchemas>;

type Json = Record<string, unknown>;

const problem = z.object({ error: z.string(), message: z.string().optional(), details: z.unknown().optional() });
/** By the public limit, which says when to come back; the limit of a key does not. */
const refusal = problem.extend({ retryAfter: z.number().int().optional() });
const processing = z.object({ status: z.literal('processing'), message: z.string(), statusUrl: z.string() });

const PATH_MEANINGS: Readonly<Record<string, string>> = {
  path: 'Path relative to the storage root; each name percent-encoded, "/" between them.',
  transformations: 'Parameters such as w_400,h_300,c_fit, or n_ and the name of a preset.',
  signature: 'HMAC-SHA256 in hexadecimal, all of it or its first 16 characters.',
  expires: 'The Unix second up to which the URL is good.',
};

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

/** The OpenAPI 3.1 document: the operations with the schemas that validate them. */
export function createDocument(routes: RouteTable): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    const [method = ''] = operation.route.split(' ');
    const schemas = routes.get(operation.route) ?? {};
    paths[operation.path] = { ...paths[operation.path], [method.toLowerCase()]: describe(operation, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Darkroom',
      version: packageFile.version,
      description: packageFile.description,
      license: { name: packageFile.license, identifier: packageFile.license },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: toJson(problem, 'output'), Refusal: toJson(refusal, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        header: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: "The admin's session." },
      },
    },
  };
}

function describe(operation: Operation, schemas: RouteSchemas): Json {
  const { access, path, summary, tag } = operation;
  const needsKey = access !== 'public' && access !== 'signed';
  const permission = access === 'presigned' ? 'upload' : access;
  return {
    operationId:
      operation.route.split(' ')[0]?.toLowerCase() + path.replace(/\W+(\w?)/g, (_, next) => next.toUpperCase()),
    tags: [tag],
    summary,
    ...(needsKey && { description: `Needs the permission "${permission}".`, 'x-permission': permission }),
    security: needsKey
      ? [{ bearer: [] }, { header: [] }, { session: [] }, ...(access === 'presigned' ? [{}] : [])]
      : [],
    parameters: parametersOf(path, schemas),
    ...(schemas.body && { requestBody: bodyOf(schemas) }),
    responses: responsesOf(operation, schemas, needsKey),
  };
}

function parametersOf(path: string, { params, querystring }: RouteSchemas): Json[] {
  const shape = params?.shape ?? {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(PATH_MEANINGS[name] && { description: PATH_MEANINGS[name] }),
    schema: shape[name] ? toJson(shape[name] as z.ZodType, 'input') : { type: 'string' },
  }));
  const inQuery = Object.entries(querystring?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: toJson(schema as z.ZodType, 'input'),
  }));
  return [...inPath, ...inQuery];
}

function bodyOf({ body, consumes = ['application/json'] }: RouteSchemas): Json {
  if (!body) return {};
  const content = Object.fromEntries(consumes.map((type) => [type, { schema: toJson(body, 'input') }]));
  return { required: !body.safeParse(undefined).success, content };
}

function responsesOf(operation: Operation, schemas: RouteSchemas, needsKey: boolean): Json {
  const { media, statuses = [200], path, route } = operation;
  const [method = ''] = route.split(' ');
  const responses: Record<number, Json> = {};
  const isLimited = ['public', 'limited'].includes(classify(method, path));
  const checksInput = Boolean(schemas.body || schemas.querystring || schemas.params);
  const errors = [
    ...(operation.errors ?? []),
    ...(checksInput ? [400] : []),
    ...(schemas.body ? [408, 413] : []),
    ...(needsKey ? [401, 403, 429] : []),
    ...(isLimited ? [429] : []),
  ];
  for (const status of media ? statuses : []) responses[status] = fileAnswer(status, media ?? []);
  for (const [status, schema] of Object.entries(schemas.response ?? {})) {
    responses[Number(status)] = json(Number(status) < 400 ? 'Done.' : 'An error.', toJson(schema, 'output'));
  }
  for (const status of errors) responses[status] = errorAnswer(status, isLimited, schemas.response?.[status]);
  return responses;
}

/** Some endpoints have an error of their own form beside the usual one. */
function errorAnswer(status: number, isLimited: boolean, own: z.ZodType | undefined): Json {
  const usual = { $ref: `#/components/schemas/${status === 429 && isLimited ? 'Refusal' : 'Problem'}` };
  return json('An error.', own ? { anyOf: [usual, toJson(own, 'output')] } : usual);
}

function fileAnswer(status: number, media: readonly string[]): Json {
  if (status === 202) return json('The video is being processed.', toJson(processing, 'output'));
  if (status === 304) return { description: 'The client has it already.' };
  const content = Object.fromEntries(media.map((type) => [type, {}]));
  return { description: status === 206 ? 'A part of the file.' : 'The file.', content };
}

function json(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function toJson(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
