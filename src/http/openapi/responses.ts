import { z } from 'zod';
import { errorCode } from '../problem.ts';
import { type DocumentedOperation, needsCredentials } from './operations.ts';
import { BYTES, type Json, type SchemaWriter } from './schemas.ts';

const problem = z.object({
  error: z.string().describe('A short, stable label.'),
  message: z.string().optional().describe('What was expected and received.'),
  code: errorCode,
  details: z.unknown().optional(),
});
/** Every 429 with `Retry-After` has its seconds in its body. */
const refusal = problem.extend({ retryAfter: z.number().int().optional().describe('Seconds.') });
const processing = z.object({ status: z.literal('processing'), message: z.string(), statusUrl: z.string() });

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'The video is being processed.',
  206: 'A part of the file.',
  207: 'Some items succeeded, others failed.',
  304: 'Not modified.',
  400: 'The request is invalid.',
  401: 'The credentials are missing or invalid.',
  403: 'The credentials lack the permission.',
  404: 'Not found.',
  408: 'The body took too long to arrive.',
  409: 'Conflict with something that exists.',
  412: 'A precondition failed.',
  413: 'The body is too large.',
  416: 'The range is outside the file.',
  422: 'The media cannot be processed.',
  423: 'Locked by another operation.',
  429: 'Too many requests.',
  500: 'API_SECRET is not configured.',
  503: 'Temporarily unavailable.',
  507: 'The quota of the space is used up.',
};

/** Responses of an operation, by status. */
export function describeResponses(operation: DocumentedOperation, schemas: SchemaWriter): Json {
  const { media, statuses = [200], bare = {}, answer, endpoint } = operation;
  const response = endpoint.schemas?.response ?? {};
  const responses: Record<number, Json> = {};
  for (const status of media ? statuses : []) responses[status] = fileAnswer(status, media ?? [], schemas);
  for (const [status, description] of Object.entries(bare)) responses[Number(status)] = { description };
  for (const [status, schema] of Object.entries(response)) {
    const own = status === '200' ? (answer ?? schema) : schema;
    // One operation of several that share a wildcard sends a file instead.
    if (media && statuses.includes(Number(status))) continue;
    responses[Number(status)] = json(Number(status), schemas.write(own, 'output'));
  }
  const problemOf = (status: number) =>
    status === 429 ? schemas.name('Refusal', refusal) : schemas.name('Problem', problem);
  for (const status of errorsOf(operation)) {
    const own = response[status];
    // Some endpoints have an error schema in addition to the common one.
    const schema = own ? { anyOf: [problemOf(status), schemas.write(own, 'output')] } : problemOf(status);
    responses[status] = json(status, schema);
  }
  return responses;
}

/** Errors that an operation declares, and those that its endpoint implies. */
function errorsOf({ errors = [], endpoint: { access, limit, schemas = {} } }: DocumentedOperation): number[] {
  const { body, form, file } = schemas;
  const readsBody = body !== undefined || form !== undefined || file !== undefined;
  return [
    ...errors,
    // Every request may have an invalid Host header.
    400,
    ...(readsBody ? [408, 413] : []),
    ...(needsCredentials(access) ? [401, 403, 429] : []),
    ...(access === 'own pages' ? [403] : []),
    ...(limit === 'public' ? [429] : []),
  ];
}

function fileAnswer(status: number, media: readonly string[], schemas: SchemaWriter): Json {
  if (status === 202) return json(status, schemas.write(processing, 'output'));
  const description = status === 200 ? 'The file.' : MEANINGS[status];
  if (status === 304) return { description };
  const content = media.map((type) => [type, { schema: isText(type) ? { type: 'string' } : BYTES }]);
  return { description, content: Object.fromEntries(content) };
}

const isText = (type: string) => type.startsWith('text/');

function json(status: number, schema: Json): Json {
  return { description: MEANINGS[status], content: { 'application/json': { schema } } };
}
