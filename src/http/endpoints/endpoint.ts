import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { AuditAction, AuditEvent } from '../../audit/audit-entry.ts';
import type { Permission } from '../../auth/api-key.ts';
import type { Slots } from '../../concurrency.ts';
import type { Services } from '../../library-services.ts';
import type { StoragePath } from '../../path.ts';
import type { RequestSpace } from '../../spaces/rules.ts';
import type { ActivityLog } from '../../usage/activity.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { UploadCapacity } from '../bodies/upload-capacity.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import type { History } from '../observe/history.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ReadReadiness } from '../observe/readiness.ts';
import type { UsageTrail } from '../observe/usage-trail.ts';
import type { TAGS } from '../openapi/tags.ts';
import type { ResponseMemory } from '../transport/fast-path.ts';
import type { Page } from '../transport/html.ts';
import type { ListenerSlots } from '../transport/listener-slots.ts';

/** The methods of endpoints, in the order in which they are listed. Every GET answers HEAD as well. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Required access of an endpoint:
 * - `public`: none
 * - `own pages`: none, but browsers only from the service's own pages
 * - `signed`, `presigned`: a signature, which the handler checks
 * - `session`: the session of any person only
 * - `credentials`: an API key with whichever permissions, or the session of a person who may enter the space
 * - a permission: an API key that has it, or the session of a person whose role has it
 */
export type Access = 'public' | 'own pages' | 'signed' | 'presigned' | 'session' | 'credentials' | Permission;

/** The schemas of a request and of its responses. An invalid request gets a 400 that names the invalid part. */
export interface Schemas {
  params?: z.ZodObject;
  /** Values arrive as text: `wholeNumber` and `yesOrNo` read them. */
  query?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType;
  /** A multipart body. The handler reads it as it arrives; the schema only describes it. */
  form?: z.ZodObject;
  /** The body is the bytes of a file, of any type or of this one. The handler reads them as they arrive. */
  file?: true | `${string}/${string}`;
  /** JSON responses by their status. They are described and typed, but not validated. */
  response?: Readonly<Record<number, z.ZodType>>;
}

/**
 * The description of an endpoint in the OpenAPI document, beyond what follows from its access, its limit and its
 * schemas.
 */
export interface Operation {
  /** The name of the function in generated clients. It never changes. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  /** The path in the document, where the endpoint's own path is less specific: `/storage/{path}/move`. */
  path?: string;
  /** The JSON of its 200, where the operations of one endpoint differ in it. */
  answer?: z.ZodType;
  /** Statuses of errors. */
  errors?: readonly number[];
  /** The request headers that apply here. */
  headers?: Readonly<Record<string, string>>;
  /** Descriptions of its responses without a body, by their status. */
  bare?: Readonly<Record<number, string>>;
  /** The media types of its files, and their statuses (default 200). */
  media?: readonly string[];
  statuses?: readonly number[];
}

/** OPTIONS exists for a protocol that defines its own response to it. */
type Method = (typeof METHODS)[number] | 'OPTIONS';

/** The declaration of an endpoint, without its method and its path. */
interface Declaration<S extends Schemas> {
  /** More paths with the same handler. They are not documented. */
  alsoAt?: readonly string[];
  /** For a wildcard: it also matches the paths of other endpoints. A folder may be called `stats`. */
  coversEndpoints?: boolean;
  /**
   * For a wildcard that answers only some of its paths, such as `/storage/{path}/move`. Elsewhere its method is 405.
   * @param raw the part of the path that the wildcard stands for, percent-encoded as it arrived
   */
  answersAt?(raw: string): boolean;
  access: Access;
  /** The entry that each of its successful requests leaves in the audit log. */
  audit?: AuditAction;
  /**
   * What a request has done, for the audit log: by default the declared action, without a target. An entry that the
   * handler has written in the transaction of its change replaces it.
   * @param answer the JSON that the handler returned
   */
  outcome?(request: RequestOf<S>, answer: JsonOf<S>): Outcome | readonly Outcome[];
  /** The entry of a request that was refused, for an endpoint that verifies credentials. */
  refusal?(request: RequestOf<S>): AuditEvent;
  /** True if it reveals the names of files: where `DELIVERY_MODE` is `signed`, it requires the permission `read`. */
  revealsFileNames?: boolean;
  /** True if it belongs to the installation: in a space it is 403. */
  isForInstallation?: boolean;
  /** Its requests count towards the public rate limit of their client. Otherwise they are not counted. */
  limit?: 'public';
  /** False if its requests deliver nothing, so that they count for no limit of a space. By default counted ones do. */
  isDelivery?: boolean;
  /** One operation, or several that share a wildcard. */
  openapi: Operation | readonly Operation[] | 'hidden';
  schemas?: S;
  /** True if no cache may store its responses. */
  noStore?: boolean;
  /** False for a GET that has no HEAD. */
  head?: boolean;
  /**
   * Answers a request that was admitted and is valid.
   * @returns the JSON of a 200, or the reply once it has been sent
   */
  handle(request: RequestOf<S>, reply: ReplyOf<S>): AnswerOf<S> | Promise<AnswerOf<S>>;
  /** Ends long-lived responses of the endpoint. Called before the server waits for its connections. */
  close?(): void;
}

/** An entry of the audit log, by default of the declared action. */
export type Outcome = Partial<AuditEvent>;

/** One method of one path, with everything that the service knows of it. */
export interface Endpoint<S extends Schemas = Schemas> extends Declaration<S> {
  method: Method;
  path: string;
}

type Checked<S, Part extends string> = S extends Record<Part, infer T extends z.ZodType> ? z.output<T> : unknown;

/** A request whose parts are the results of the schemas. */
export type RequestOf<S extends Schemas> = FastifyRequest<{
  Params: Checked<S, 'params'>;
  Querystring: Checked<S, 'query'>;
  Body: Checked<S, 'body'>;
}>;

type ReplyOf<S extends Schemas> =
  S extends Record<'response', infer R extends Record<number, z.ZodType>>
    ? FastifyReply<{ Reply: { [Status in keyof R]: z.output<R[Status]> } }>
    : FastifyReply;

type JsonOf<S extends Schemas> =
  S extends Record<'response', { 200: infer T extends z.ZodType }> ? z.output<T> : unknown;

type AnswerOf<S extends Schemas> = unknown extends JsonOf<S> ? unknown : JsonOf<S> | FastifyReply;

/**
 * Declares an endpoint. The types of its handler follow from its schemas.
 * @param route its method, and its path in the router's syntax, without the prefix `/api`: `GET /queue/jobs/:jobId`,
 * `PATCH /storage/*`
 */
export function defineEndpoint<S extends Schemas = Schemas>(
  route: `${Method} /${string}`,
  declaration: Declaration<S>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string];
  const endpoint: Endpoint<S> = { method, path, ...declaration };
  return endpoint;
}

/** The dependencies of the handlers of endpoints. */
export interface RouteContext {
  services: Services;
  /** Stores responses that the fast path may repeat. */
  fastPath: ResponseMemory;
  /** The capacity for temporary files of all uploads together. */
  uploadCapacity: UploadCapacity;
  /** Slots for fetches of URLs, of the library and of all spaces together. */
  urlFetches: Slots;
  /** Slots for clients that listen to events, of the library and of all spaces together. */
  listenerSlots: ListenerSlots;
  /** Reports if this node should receive requests, with checks that the library and all spaces share. */
  readReadiness: ReadReadiness;
  metrics(): Metrics;
  history(): History;
  activity(): ActivityLog;
  /**
   * Counts a refused signature against the client's rate limit.
   * @throws HttpProblem 429 when that is used up
   */
  countRefusal: RateLimiter['countRefusal'];
  /** Counts a request for the space of a file, within its limits; once for each space. @throws HttpProblem 429 */
  countForSpace(request: FastifyRequest, path: StoragePath): Promise<void>;
  /** As `countForSpace`, for all spaces that these files and folders lie in or contain. */
  countForArchive(request: FastifyRequest, paths: readonly StoragePath[]): Promise<void>;
  /** The only place that writes to the audit log. */
  trail: AuditTrail;
  /** Counts what requests use. */
  usageTrail: UsageTrail;
  /** The API reference, which is the same in all spaces: the OpenAPI document, and its page. */
  reference: {
    text(): Buffer;
    page(): Page;
    /** Path and query of a GET with values of its parameters. @throws HttpProblem 400 */
    pathOf(operationId: unknown, values: Readonly<Record<string, unknown>>): string;
  };
  /** Returns the services of a space. */
  servicesIn(within: RequestSpace): Services;
}

/** A family of endpoints. */
export type Routes = (context: RouteContext) => readonly Endpoint[];
