import { type Client, TRUSTED } from '../client.ts';
import type { Deliver, Delivery, Visitor } from '../delivery/deliver.ts';
import { type DeliveryMode, refuseUnsigned, type StreamRules } from '../delivery/delivery-mode.ts';
import type { AdmitFile, Wanted } from '../delivery/file-access.ts';
import { acceptedFormats } from '../delivery/transcodes.ts';
import {
  type DeliveryRequest,
  encodeSegment,
  readTransformation,
  type Transformation,
  type UrlRules,
} from '../delivery/url.ts';
import { badRequest, HttpProblem } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Log } from '../log.ts';
import { type MediaType, mediaTypeOf } from '../media.ts';
import { encodePath, quote, type StoragePath } from '../path.ts';
import { MAX_TRANSFORMATION_BYTES } from '../transformation/limits.ts';

export interface Prewarming {
  deliver: Deliver;
  rules: StreamRules;
  deliveryMode: DeliveryMode;
  deliveryRules?: {
    /** Returns the refusal of a request without credentials; undefined if everyone may have the file. */
    refusalOf(path: StoragePath, wanted: Wanted, requested: DeliveryRequest): HttpProblem | undefined;
  };
  /** Prefix of URLs, before their `/t/`. If empty, they are relative to the root of the client's host. */
  publicUrl: string;
  log: Log;
  /** Aborts when no client waits for the response any more. */
  signal?: AbortSignal | undefined;
}

/** Result of the transformations of one uploaded file. */
export interface Prewarmed {
  prewarmedUrls: string[];
  prewarmErrors: string[];
  queuedTransformationUrls: string[];
  queueErrors: string[];
}

const MAX_TRANSFORMATIONS = 20;
/** Limit of the characters of all of them together, with their separators. */
const MAX_LENGTH = MAX_TRANSFORMATIONS * MAX_TRANSFORMATION_BYTES;

/** Accept values: one request for each format that negotiation can choose. */
const NEGOTIATED = ['image/avif', 'image/webp', undefined] as const;
/** Browsers that accept AVIF accept WebP as well, which affects the choice. */
const BEST = ['image/avif,image/webp', ...NEGOTIATED] as const;

/**
 * Reads the transformations of an upload in all the ways in which clients write lists into fields: repeated fields, a
 * JSON array, one text split on newlines or `;`. The parts of a URL around a transformation are dropped.
 * @throws HttpProblem 400 for more than 20, or for JSON that is no list of texts
 */
export function parseTransformations(values: readonly string[]): string[] {
  const length = values.reduce((sum, value) => sum + value.length, 0);
  if (length > MAX_LENGTH) {
    const message = `Expected transformations of at most ${MAX_LENGTH} characters together, received ${length}.`;
    throw badRequest(message, 'too_many_items');
  }
  const texts = values.flatMap((value) =>
    value.trimStart().startsWith('[') ? parseJsonList(value) : value.split(/[\n;]/),
  );
  const segments = texts.map((text) =>
    text
      .trim()
      .replace(/^\/?(t\/)?/, '')
      .replace(/\/$/, ''),
  );
  const transformations = [...new Set(segments.filter((segment) => segment !== ''))];
  if (transformations.length > MAX_TRANSFORMATIONS) {
    const message = `Expected at most ${MAX_TRANSFORMATIONS} transformations, received ${transformations.length}.`;
    throw badRequest(message, 'too_many_items');
  }
  return transformations;
}

/**
 * @throws HttpProblem 400 for a segment that is no transformation, or has a value out of range, for one of the file
 * types
 */
export function checkTransformations(segments: readonly string[], types: readonly MediaType[], rules: UrlRules): void {
  for (const segment of segments) for (const type of new Set(types)) requireTransformation(segment, type, rules);
}

/**
 * Requests the transformations of a stored file as clients will, so that these hit the cache: images are rendered now,
 * transcodes are queued. A failure does not affect the others.
 * @param client is charged for them. An untrusted one gets no more than it could request with their URLs.
 * @param mayRead true for a client that may read all files. Layers of others are files that everyone may have.
 * @throws the signal's reason
 */
export async function prewarm(
  prewarming: Prewarming,
  client: Client,
  path: StoragePath,
  segments: readonly string[],
  mayRead = false,
): Promise<Prewarmed> {
  const result: Prewarmed = { prewarmedUrls: [], prewarmErrors: [], queuedTransformationUrls: [], queueErrors: [] };
  const type = mediaTypeOf(path);
  for (const segment of segments) {
    const transformation = requireTransformation(segment, type, prewarming.rules);
    const isQueued = transformation.kind === 'transcode' || transformation.kind === 'playlist';
    try {
      const request = { path, type, segment, transformation };
      requireAllowed(request, client, prewarming);
      const admit = mayRead ? undefined : admitLayers(request, prewarming);
      const deliveries = await Promise.all(
        requestsFor(transformation).map((accept) =>
          prewarming.deliver(request, { ...visitor(client, accept, prewarming.signal), admit }),
        ),
      );
      requireVariants(deliveries);
      const isPending = deliveries.some(({ kind }) => kind === 'pending');
      const urls = isPending ? result.queuedTransformationUrls : result.prewarmedUrls;
      urls.push(`${prewarming.publicUrl}/t/${encodeSegment(segment)}/${encodePath(path)}`);
    } catch (error) {
      prewarming.signal?.throwIfAborted();
      (isQueued ? result.queueErrors : result.prewarmErrors).push(`${segment}: ${reasonOf(error, prewarming.log)}`);
    }
  }
  return result;
}

function requireTransformation(segment: string, type: MediaType, rules: UrlRules): Transformation {
  const transformation = readTransformation(segment, type, rules);
  if (!transformation)
    throw badRequest(`Expected a transformation, received ${quote(segment)}.`, 'invalid_transformation');
  return transformation;
}

/** Returns the `Accept` headers with which all formats of a transformation are requested. */
function requestsFor(transformation: Transformation): readonly (string | undefined)[] {
  if (transformation.kind === 'transcode') return acceptedFormats(transformation.options);
  if (transformation.kind !== 'picture') return [undefined];
  const { format = 'auto' } = transformation.options;
  if (format === 'best') return BEST;
  return format === 'auto' ? NEGOTIATED : [undefined];
}

function visitor(client: Client, accept: string | undefined, signal: AbortSignal | undefined): Visitor {
  return { accept, signal: () => signal, holds: () => false, priority: 'upload', client };
}

/**
 * Runs before any file lookup, so that the refusal does not depend on the files of a layer. @throws HttpProblem 401,
 * 403
 */
function requireAllowed(request: DeliveryRequest, client: Client, { deliveryMode, rules }: Prewarming): void {
  if (client === TRUSTED) return;
  const refusal = refuseUnsigned(request, deliveryMode, rules);
  if (refusal) throw refusal;
}

/**
 * Admits the uploaded file, and of others those that everyone may have: what is made of them, and the errors, would
 * show whether they exist.
 */
function admitLayers(request: DeliveryRequest, { deliveryMode, deliveryRules, rules }: Prewarming): AdmitFile {
  return async (path, wanted) => {
    if (path === request.path) return;
    const refusal = refuseUnsigned(request, deliveryMode, rules) ?? deliveryRules?.refusalOf(path, wanted, request);
    if (refusal) throw refusal;
  };
}

function requireVariants(deliveries: readonly Delivery[]): void {
  if (deliveries.some(({ kind }) => kind === 'original'))
    throw badRequest('The image cannot be decoded.', 'undecodable_picture');
}

function reasonOf(error: unknown, log: Log): string {
  if (error instanceof HttpProblem && error.status !== 500) return error.message;
  log.error({ err: error }, 'prewarming failed');
  return 'The variant could not be made.';
}

function parseJsonList(text: string): string[] {
  const list = parseJson(text);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw badRequest(`Expected a JSON array of transformations, received ${quote(text)}.`, 'validation_failed');
}
