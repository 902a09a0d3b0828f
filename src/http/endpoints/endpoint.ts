import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Permission } from '../../auth/api-key.ts';
import type { TAGS } from '../openapi/tags.ts';

/** The methods of endpoints, in the order in which they are listed. Every GET answers HEAD as well. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Who may use an endpoint:
 * - `public`: everybody
 * - `own pages`: everybody, but in a browser only our own pages
 * - `signed`, `presigned`: the holder of a signature, which the handler checks
 * - `session`: the admin's session and nobody else
 * - a permission: an API key that has it, or the admin's session
 */
export type Access = 'public' | 'own pages' | 'signed' | 'presigned' | 'session' | Permission;

/** The shapes of a request and of its answers. A request that does not fit is 400, which says where. */
export interface Schemas {
  params?: z.ZodObject;
  /** Values arrive as text: `wholeNumber` and `yesOrNo` read them. */
  query?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType;
  /** A multipart form. The handler reads it as it comes; the schema only describes it. */
  form?: z.ZodObject;
  /** The body is the bytes of a file, of any type, or of one. The handler reads them as they come. */
  file?: true | `${string}/${string}`;
  /** JSON answers by their status. They are described and typed, but not checked. */
  response?: Readonly<Record<number, z.ZodType>>;
}

/** What the OpenAPI document says of an endpoint, beyond what follows from its access, its limit and its schemas. */
export interface Operation {
  /** The name of the function in generated clients. It never changes. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  /** The path as the document shows it, where the endpoint's own does not say it: `/storage/{path}/move`. */
  path?: string;
  /** The JSON of its 200, where the operations of one endpoint differ in it. */
  answer?: z.ZodType;
  /** Statuses of errors. */
  errors?: readonly number[];
  /** The headers of requests that mean something here. */
  headers?: Readonly<Record<string, string>>;
  /** What its answers without a body say, by their status. */
  bare?: Readonly<Record<number, string>>;
  /** The media types of its files, and the statuses that come with them (default 200). */
  media?: readonly string[];
  statuses?: readonly number[];
}

/** OPTIONS is where a protocol has an answer of its own to it. */
type Method = (typeof METHODS)[number] | 'OPTIONS';

/** What an endpoint declares, beyond its method and its path. */
interface Declaration<S extends Schemas> {
  /** More paths with the same handler. They are not documented. */
  alsoAt?: readonly string[];
  /** For a wildcard: it also takes the paths of other endpoints. A folder may be called `stats`. */
  coversEndpoints?: boolean;
  /**
   * For a wildcard that answers only at some of its paths, such as `/storage/{path}/move`. Elsewhere its method is 405.
   * @param raw the part of the path that the wildcard stands for, percent-encoded as it arrived
   */
  answersAt?(raw: string): boolean;
  access: Access;
  /** It gives away the names of files: where `DELIVERY_MODE` is `signed`, it needs the permission `read`. */
  tellsOfFiles?: boolean;
  /** Its requests count for the public rate limit of their client. Otherwise they count for nothing. */
  limit?: 'public';
  /** One operation, or several that share a wildcard. */
  openapi: Operation | readonly Operation[] | 'hidden';
  schemas?: S;
  /** No cache may keep its answers. */
  noStore?: boolean;
  /** False for a GET that has no HEAD. */
  head?: boolean;
  /**
   * Answers a request that was let in and fits the schemas.
   * @returns the JSON of a 200, or the reply once it has been sent
   */
  handle(request: RequestOf<S>, reply: ReplyOf<S>): AnswerOf<S> | Promise<AnswerOf<S>>;
  /** Ends what the endpoint keeps open. It is called before the server waits for its connections. */
  close?(): void;
}

/** One method of one path: everything that the service knows of it. */
export interface Endpoint<S extends Schemas = Schemas> extends Declaration<S> {
  method: Method;
  path: string;
}

type Checked<S, Part extends string> = S extends Record<Part, infer T extends z.ZodType> ? z.output<T> : unknown;

/** A request whose parts are what the schemas make of them. */
export type RequestOf<S extends Schemas> = FastifyRequest<{
  Params: Checked<S, 'params'>;
  Querystring: Checked<S, 'query'>;
  Body: Checked<S, 'body'>;
}>;

type ReplyOf<S extends Schemas> =
  S extends Record<'response', infer R extends Record<number, z.ZodType>>
    ? FastifyReply<{ Reply: { [Status in keyof R]: z.output<R[Status]> } }>
    : FastifyReply;

type AnswerOf<S extends Schemas> =
  S extends Record<'response', { 200: infer T extends z.ZodType }> ? z.output<T> | FastifyReply : unknown;

/**
 * Declares an endpoint. The types of its handler follow from its schemas.
 * @param route its method, and its path as the router writes it, without the prefix `/api`: `GET /queue/jobs/:jobId`, `PATCH /storage/*`
 */
export function defineEndpoint<S extends Schemas = Schemas>(
  route: `${Method} /${string}`,
  declaration: Declaration<S>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string];
  const endpoint: Endpoint<S> = { method, path, ...declaration };
  return endpoint;
}
