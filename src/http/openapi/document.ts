import type { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { SESSION_COOKIE } from '../../auth/auth.ts';
import { INTRODUCTION } from './introduction.ts';
import { OPERATIONS, type Operation, TAGS } from './operations.ts';
import { describeResponses } from './responses.ts';
import type { RouteSchemas, RouteTable } from './route-table.ts';
import { type Json, SchemaWriter } from './schemas.ts';

/** Parameters in paths that no schema describes. */
const PATH_PARAMETERS: Readonly<Record<string, Json>> = {
  path: {
    description: 'Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.',
    'x-multi-segment': true,
    schema: { type: 'string' },
    example: 'trips/rome/a.jpg',
  },
  transformations: {
    description: 'Parameters joined by commas, or n_ and the name of a preset.',
    schema: { type: 'string' },
    example: 'w_400,h_300,c_fit',
  },
  signature: {
    description: 'HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters.',
    schema: { type: 'string' },
  },
  expires: { description: 'The Unix second up to which the URL is good.', schema: { type: 'integer' } },
};

/** The OpenAPI 3.1 document: the operations with the schemas that validate them. */
export function createDocument(routes: RouteTable): Json {
  const schemas = new SchemaWriter();
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    const [method = ''] = operation.route.split(' ');
    const described = describe(operation, routes.get(operation.route) ?? {}, schemas);
    paths[operation.path] = { ...paths[operation.path], [method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Darkroom',
      version: packageFile.version,
      summary: packageFile.description,
      description: INTRODUCTION,
      license: { name: packageFile.license, identifier: packageFile.license },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        header: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: "The admin's session." },
      },
    },
  };
}

function describe(operation: Operation, route: RouteSchemas, schemas: SchemaWriter): Json {
  const { id, access, path, summary, tag } = operation;
  const needsKey = access !== 'public' && access !== 'signed';
  const permission = access === 'presigned' ? 'upload' : access;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(needsKey && { description: describeAccess(access), 'x-permission': permission }),
    security: needsKey
      ? [{ bearer: [] }, { header: [] }, { session: [] }, ...(access === 'presigned' ? [{}] : [])]
      : [],
    parameters: [...pathParameters(path, route, schemas), ...queryParameters(route, schemas)],
    ...(route.body && { requestBody: bodyOf(route.body, route, schemas) }),
    responses: describeResponses(operation, route, schemas),
  };
}

function describeAccess(access: Operation['access']): string {
  return access === 'presigned'
    ? 'Needs the permission `upload`, or a presigned signature in the form.'
    : `Needs the permission \`${access}\`.`;
}

function pathParameters(path: string, { params }: RouteSchemas, schemas: SchemaWriter): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = params?.shape[name];
    const described = schema ? { schema: schemas.write(schema as z.ZodType, 'input') } : PATH_PARAMETERS[name];
    return { name, in: 'path', required: true, ...described };
  });
}

/** A query is text; the document shows what the text means, which is what the schemas make of it. */
function queryParameters({ querystring }: RouteSchemas, schemas: SchemaWriter): Json[] {
  return Object.entries(querystring?.shape ?? {}).map(([name, value]) => {
    const { description, ...schema } = schemas.write(value as z.ZodType, 'output');
    return {
      name,
      in: 'query',
      required: !(value as z.ZodType).safeParse(undefined).success,
      ...(description !== undefined && { description }),
      // Lists are separated by commas.
      ...(schema.type === 'array' && { style: 'form', explode: false }),
      schema,
    };
  });
}

function bodyOf(body: z.ZodType, { consumes = ['application/json'] }: RouteSchemas, schemas: SchemaWriter): Json {
  const schema = schemas.write(body, 'input');
  const content = Object.fromEntries(consumes.map((type) => [type, { schema }]));
  return { required: !body.safeParse(undefined).success, content };
}
