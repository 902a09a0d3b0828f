import type { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { SESSION_COOKIE } from '../../auth/auth.ts';
import type { Access, Endpoint, Schemas } from '../endpoints/endpoint.ts';
import { INTRODUCTION } from './introduction.ts';
import { type DocumentedOperation, needsCredentials, operationsOf } from './operations.ts';
import { describeResponses } from './responses.ts';
import { BYTES, type Json, SchemaWriter } from './schemas.ts';
import { TAGS } from './tags.ts';

/** Parameters in paths that no schema describes. */
const PATH_PARAMETERS: Readonly<Record<string, Json>> = {
  path: {
    description: 'Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.',
    'x-multi-segment': true,
    schema: { type: 'string' },
    example: 'trips/rome/a.jpg',
  },
  tag: {
    description: 'A tag, percent-encoded.',
    schema: { type: 'string' },
    example: 'summer',
  },
  transformations: {
    description: 'Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.',
    schema: { type: 'string' },
    example: 'w_400,h_300,c_fit',
  },
  signature: {
    description: 'HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters.',
    schema: { type: 'string' },
  },
  imgproxySignature: {
    description: "imgproxy's signature, or a keyword instead: insecure, unsafe, _.",
    schema: { type: 'string' },
  },
  options: {
    description: "imgproxy's options, separated by slashes.",
    'x-multi-segment': true,
    schema: { type: 'string' },
  },
  source: {
    description: 'local:///path, s3://bucket/path or a URL below one of ORIGINS, optionally with @ and a format.',
    'x-multi-segment': true,
    schema: { type: 'string' },
  },
  id: { description: 'Id, as in the list.', schema: { type: 'string' } },
  expires: { description: 'Unix second at which the URL expires.', schema: { type: 'integer' } },
};

/** Builds the OpenAPI 3.1 document from the declarations of endpoints and the schemas that validate their requests. */
export function createDocument(endpoints: readonly Endpoint[]): Json {
  const schemas = new SchemaWriter();
  const paths: Record<string, Json> = {};
  for (const operation of operationsOf(endpoints)) {
    const method = operation.endpoint.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: describeOperation(operation, schemas) };
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
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'The session of a person.' },
      },
    },
  };
}

function describeOperation(operation: DocumentedOperation, schemas: SchemaWriter): Json {
  const { id, path, summary, tag, endpoint } = operation;
  const { access, schemas: shapes = {} } = endpoint;
  const description = [operation.description, describeAccess(access)].filter((text) => text !== undefined).join(' ');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== '' && { description }),
    ...permissionOf(access),
    security: securityOf(access),
    parameters: [
      ...pathParameters(path, shapes, schemas),
      ...queryParameters(shapes, schemas),
      ...headerParameters(operation),
    ],
    ...requestBody(shapes, schemas),
    responses: describeResponses(operation, schemas),
  };
}

function describeAccess(access: Access): string | undefined {
  if (!needsCredentials(access)) return undefined;
  if (access === 'session') return 'Needs a session.';
  if (access === 'credentials') return 'Needs any key, or a session.';
  return access === 'presigned'
    ? 'Needs the permission `upload`, or a presigned signature in the body.'
    : `Needs the permission \`${access}\`.`;
}

function permissionOf(access: Access): Json {
  if (!needsCredentials(access) || access === 'session' || access === 'credentials') return {};
  return { 'x-permission': access === 'presigned' ? 'upload' : access };
}

function securityOf(access: Access): Json[] {
  if (!needsCredentials(access)) return [];
  if (access === 'session') return [{ session: [] }];
  return [{ bearer: [] }, { header: [] }, { session: [] }, ...(access === 'presigned' ? [{}] : [])];
}

function pathParameters(path: string, { params }: Schemas, schemas: SchemaWriter): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = params?.shape[name];
    const described = schema ? { schema: schemas.write(schema as z.ZodType, 'input') } : PATH_PARAMETERS[name];
    return { name, in: 'path', required: true, ...described };
  });
}

/** Converts a query, which is text. The document shows the parsed values: the output of the schemas. */
function queryParameters({ query }: Schemas, schemas: SchemaWriter): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, value]) => {
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

function headerParameters({ headers = {} }: DocumentedOperation): Json[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } };
  });
}

function requestBody({ body, form, file }: Schemas, schemas: SchemaWriter): Json {
  if (file) {
    // Generated clients would send a wildcard type literally.
    const content = { [file === true ? 'application/octet-stream' : file]: { schema: BYTES } };
    return { requestBody: { required: file === true, content } };
  }
  const shape = form ?? body;
  if (shape === undefined) return {};
  const content = { [form ? 'multipart/form-data' : 'application/json']: { schema: schemas.write(shape, 'input') } };
  return { requestBody: { required: !shape.safeParse(undefined).success, content } };
}
