import type { Schema } from './schema-text.ts';
import type { Json } from './schemas.ts';

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Json;
  example?: unknown;
  'x-multi-segment'?: true;
}

export type Content = Record<string, { schema: Json }>;

/** The part of an operation that its example depends on. */
export interface Operation {
  parameters: readonly Parameter[];
  security?: readonly Json[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export interface Exemplified {
  method: string;
  path: string;
  operation: Operation;
}

/** Deeper values are left out: an example is no schema. */
const MAX_DEPTH = 3;

/** Writes a request of an operation for a shell. `DARKROOM` is the address of the service, `KEY` an API key. */
export function curlOf({ method, path, operation }: Exemplified, schemas: Record<string, Json>): string {
  const url = `"$DARKROOM${pathOf(path, operation.parameters)}${queryOf(operation.parameters)}"`;
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const body = bodies.find(([type]) => type === 'application/json') ?? bodies[0];
  const words = [
    'curl',
    method === 'get' ? '' : `-X ${method.toUpperCase()}`,
    credentialsOf(operation.security ?? []),
    ...operation.parameters
      .filter((one) => one.in === 'header' && one.required)
      .map(({ name, schema, example }) => `-H '${name}: ${example ?? exampleOf(schema as Schema, name, {})}'`),
    body === undefined ? '' : bodyOf(body, schemas),
    isBytes(operation) ? '-O' : '',
    url,
  ];
  return words.filter((word) => word !== '').join(' ');
}

/** Values that a browser needs to open a GET; undefined for what it cannot open, and for streams, which never end. */
export function fieldsOf({ method, operation }: Exemplified): readonly Parameter[] | undefined {
  const fields = operation.parameters.filter(({ required }) => required);
  const streams = Object.values(operation.responses).some(({ content }) => content && 'text/event-stream' in content);
  const canSend = method === 'get' && fields.every((field) => field.in === 'path' || field.in === 'query');
  return canSend && !streams ? fields : undefined;
}

/** Path of a GET without such values, with a query as an example. */
export function openablePath(entry: Exemplified): string | undefined {
  return fieldsOf(entry)?.length === 0 ? entry.path + queryOf(entry.operation.parameters) : undefined;
}

function pathOf(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.example;
    return example === undefined ? whole : String(example);
  });
}

function queryOf(parameters: readonly Parameter[]): string {
  const exampleIn = ({ schema }: Parameter) => (schema as { examples?: unknown[] }).examples?.[0];
  const shown = parameters.filter((one) => one.in === 'query' && (one.required || exampleIn(one) !== undefined));
  const values = shown.map((parameter) => {
    const { name, schema, example } = parameter;
    const value = example ?? exampleIn(parameter) ?? exampleOf(schema as Schema, name, {});
    return `${name}=${encodeURIComponent([value].flat().join(','))}`;
  });
  return values.length === 0 ? '' : `?${values.join('&')}`;
}

function credentialsOf(security: readonly Json[]): string {
  if (security.length === 0) return '';
  const isForSession = security.every((one) => 'session' in one);
  return isForSession ? '-H "cookie: $COOKIE" -H "origin: $DARKROOM"' : '-H "x-api-key: $KEY"';
}

function bodyOf([type, { schema }]: [string, { schema: Json }], schemas: Record<string, Json>): string {
  if (type === 'application/json') {
    const json = JSON.stringify(exampleOf(schema as Schema, 'body', schemas));
    return `-H 'content-type: application/json' -d '${json.replaceAll("'", "'\\''")}'`;
  }
  if (type === 'multipart/form-data') {
    const { properties = {} } = schema as Schema;
    const [field = 'files'] = Object.keys(properties);
    return field === 'files' ? '-F files=@photo.jpg' : `-F ${field}=${textOf(field, undefined)}`;
  }
  return `-H 'content-type: ${type}' --data-binary @photo.jpg`;
}

/** True for answers that are files. */
function isBytes({ responses }: Operation): boolean {
  const types = Object.keys(responses['200']?.content ?? {});
  return types.length > 0 && types.every((type) => !/json|^text\//.test(type));
}

/** A value of a schema with its required properties. */
function exampleOf(schema: Schema, name: string, schemas: Record<string, Json>, depth = 0): unknown {
  const { $ref, anyOf, enum: words, const: only, type, items } = schema;
  if ($ref) return exampleOf((schemas[$ref.split('/').at(-1) ?? ''] ?? {}) as Schema, name, schemas, depth + 1);
  if (schema.example !== undefined) return schema.example;
  if (only !== undefined) return only;
  if (words) return words[0];
  if (anyOf?.[0]) return exampleOf(anyOf[0], name, schemas, depth);
  if (schema.default !== undefined) return schema.default;
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'array') return items && depth < MAX_DEPTH ? [exampleOf(items, name, schemas, depth + 1)] : [];
  if (kind === 'object') return objectOf(schema, schemas, depth);
  if (kind === 'integer' || kind === 'number') return Math.max(1, schema.minimum ?? 1);
  if (kind === 'boolean') return true;
  return textOf(name, schema.format);
}

function objectOf({ properties = {}, required = [] }: Schema, schemas: Record<string, Json>, depth: number): Json {
  // A change without a field changes nothing.
  const shown = required.length > 0 || depth > 0 ? required : Object.keys(properties).slice(0, 1);
  const known = shown.filter((one) => one in properties && depth < MAX_DEPTH);
  return Object.fromEntries(known.map((one) => [one, exampleOf(properties[one] ?? {}, one, schemas, depth + 1)]));
}

/** Texts that say what belongs there. */
const TEXTS: Readonly<Record<string, string>> = {
  path: 'trips/rome/a.jpg',
  paths: 'trips/rome/a.jpg',
  from: 'trips/rome/a.jpg',
  to: 'trips/rome/b.jpg',
  folder: 'trips/rome',
  destination: 'trips/rome',
  email: 'ada@example.com',
  name: 'Ada',
  url: 'https://example.com/a.jpg',
  tag: 'summer',
  tags: 'summer',
  transformation: 'w_400,h_300',
  'Tus-Resumable': '1.0.0',
  'Upload-Length': '1000',
  'Upload-Offset': '0',
  'Upload-Metadata': 'filename cGhvdG8uanBn',
};

function textOf(name: string, format: string | undefined): string {
  if (format === 'email') return 'ada@example.com';
  if (format === 'uri') return 'https://example.com/a.jpg';
  return TEXTS[name] ?? `<${name}>`;
}
