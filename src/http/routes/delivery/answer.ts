import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { cacheTagsOf } from '../../../delivery/cache-tags.ts';
import {
  type Delivered,
  type Delivery,
  type FollowedRedirect,
  previousPathsOf,
  type Visitor,
} from '../../../delivery/deliver.ts';
import type { AdmitFile } from '../../../delivery/file-access.ts';
import { MissingOriginal } from '../../../delivery/not-found.ts';
import { writeDeliveryUrl } from '../../../delivery/url.ts';
import { HttpProblem, unavailable } from '../../../errors.ts';
import type { Services } from '../../../library-services.ts';
import { mimeOfVariant } from '../../../media.ts';
import type { StoragePath } from '../../../path.ts';
import { createRoot } from '../../../spaces/rooted/root.ts';
import { BlobNotFound, type BlobStat } from '../../../storage/blob-store.ts';
import { describeSpan, tracedRequest } from '../../../tracing.ts';
import { type DeliveryPermit, PRIVATE } from '../../admission/delivery-mode.ts';
import { isLimitedAt } from '../../admission/space-limits.ts';
import type { RouteContext } from '../../endpoints/endpoint.ts';
import { maskedFile } from '../../observe/masked-url.ts';
import { noteFile } from '../../observe/sent-bytes.ts';
import { sendJson } from '../../problem.ts';
import { evaluatePreconditions } from '../../transport/conditional.ts';
import { sendPlaylist } from '../../transport/playlist.ts';
import { leavingSignal, type Representation, send, sendNotModified } from '../../transport/send.ts';

/** A variant may be evicted after it was found and before it is opened, but hardly ever so often. */
const MAX_ATTEMPTS = 4;

type Headers = Readonly<Record<string, string>>;

type Context = Pick<RouteContext, 'services' | 'fastPath' | 'metrics' | 'countForSpace'>;

/**
 * Delivers and sends the file, as far as the client may have it.
 * @throws HttpProblem as `Deliver`
 */
export function deliverAndSend(
  permit: DeliveryPermit,
  incoming: FastifyRequest,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { path, segment } = permit.delivery;
  const attributes = { path: maskedFile(path), transformation: segment, 'request.id': incoming.id };
  return tracedRequest('deliver', incoming.headers, attributes, () => answer(permit, incoming, response, context));
}

async function answer(
  permit: DeliveryPermit,
  incoming: FastifyRequest,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { services, fastPath, metrics } = context;
  const { delivery: requested, statusUrl, client, foreign } = permit;
  const request = incoming.raw;
  const { isCounted = false } = incoming.routeOptions.config;
  const visitor: Visitor = {
    client,
    admit: createAdmit(permit, incoming, context),
    accept: request.headers.accept,
    signal: () => leavingSignal(response),
    holds: (key, modifiedAt) => evaluatePreconditions(request, { etag: `"${key}"`, modifiedAt }) === 'not modified',
    priority: 'visitor',
  };
  const mayRepeat = (paths: readonly StoragePath[]) =>
    isForEveryone(permit) && !paths.some((path) => isLimitedAt(incoming, services.spaces, path));
  for (let attempt = 1; ; attempt++) {
    const { changes } = fastPath;
    const delivery = await services.deliver(requested, visitor).catch((error) => {
      const isRepeatable = mayRepeat([requested.path]) && !foreign && !services.fetchMissing;
      if (isRepeatable && error instanceof MissingOriginal)
        fastPath.rememberMissing(request, error, { isCounted, changes });
      throw error;
    });
    describeSpan({ kind: delivery.kind, ...('isHit' in delivery && { hit: delivery.isHit }) });
    if (delivery.kind === 'pending') {
      const { pathBase } = services.config.http;
      return sendPending(response, pathBase + (statusUrl ?? delivery.statusUrl), foreign?.headers);
    }
    if (attempt === 1) metrics().delivered(delivery);
    const { path, redirect } = delivery;
    const files = filesOf(delivery);
    noteFile(response, path);
    const caching = {
      'Cache-Control': permit.files?.isPrivate ? PRIVATE : permit.cacheControl,
      ...foreign?.headers,
      ...(redirect && canonicalLink(delivery, redirect, permit, incoming, services)),
      ...(isForEveryone(permit) && forSharedCaches(services, incoming, files)),
    };
    if (delivery.kind === 'playlist')
      return sendPlaylist(request, response, delivery, { caching, uriOf: permit.uriOf });
    if (delivery.kind === 'unchanged') return sendNotModified(response, describeVariant(delivery, caching));
    try {
      const representation = represent(delivery, services, caching);
      if (mayRepeat(files)) {
        const usage = services.usage.counterOf(path);
        fastPath.remember(request, delivery, representation, { isCounted, isStill: foreign?.isStill, usage, changes });
      }
      return await send(request, response, representation);
    } catch (error) {
      throwUnlessEvicted(error, attempt, requested.path);
    }
  }
}

/** Admits the request to each file, layers too, and counts it for the space of each. */
function createAdmit({ files }: DeliveryPermit, incoming: FastifyRequest, { countForSpace }: Context): AdmitFile {
  return async (path, wanted) => {
    await files?.admit(path, wanted);
    await countForSpace(incoming, path);
  };
}

/** True if the URL alone gives access, to all files that were needed. */
function isForEveryone({ isForEveryone: isUrlEnough, files }: DeliveryPermit): boolean {
  return isUrlEnough && !files?.isPrivate;
}

/** Returns where a variant was evicted after it was found: the next attempt renders it again. */
function throwUnlessEvicted(error: unknown, attempt: number, path: StoragePath): void {
  if (!(error instanceof BlobNotFound)) throw error;
  if (attempt === MAX_ATTEMPTS) throw unavailable(`"${path}" is being removed again and again.`, 'overloaded', 1);
}

/** The files that a response consists of, and the paths from which redirects have led to them. */
function filesOf(delivery: Delivered): StoragePath[] {
  const layers = delivery.kind === 'original' ? [] : delivery.layers;
  return [delivery.path, ...layers.map((layer) => layer.path), ...previousPathsOf(delivery)];
}

/** Names the URL of a file that was requested by a previous path. A signature is over the path in its URL. */
function canonicalLink(
  { path }: Delivered,
  { segment }: FollowedRedirect,
  permit: DeliveryPermit,
  { raw }: FastifyRequest,
  { config: { http, limits } }: Services,
): Headers {
  try {
    const uri = permit.uriOf(writeDeliveryUrl(path, segment === '' ? undefined : segment, limits));
    return { Link: `<${http.linkBase}${new URL(uri, `http://host${raw.url}`).pathname}>; rel="canonical"` };
  } catch (error) {
    // No URL of its own can mean the file.
    if (error instanceof HttpProblem) return {};
    throw error;
  }
}

/**
 * Headers for shared caches in front of the service, for public files; none unless configured. Tags are those of paths
 * of the library, as purges name them, at whichever URL a file is delivered.
 */
function forSharedCaches(
  { config: { http } }: Services,
  { within }: FastifyRequest,
  paths: readonly StoragePath[],
): Headers {
  const { hasTags, cacheControl } = http.cdn;
  const outer = hasTags && within ? paths.map(createRoot(within.space.folder).toOuter) : paths;
  const tags = hasTags ? [...new Set(outer.flatMap(cacheTagsOf))] : [];
  return {
    ...(cacheControl !== undefined && { 'CDN-Cache-Control': cacheControl, 'Surrogate-Control': cacheControl }),
    ...(hasTags && { 'Cache-Tag': tags.join(','), 'Surrogate-Key': tags.join(' ') }),
  };
}

/** Sends 202: the variant is being rendered, and `statusUrl` reports its progress. */
function sendPending(response: ServerResponse, statusUrl: string, headers: Headers = {}): void {
  const message = 'The video is being processed. Retry, or follow statusUrl.';
  sendJson(response, 202, { ...headers, 'Retry-After': '5' }, { status: 'processing', message, statusUrl });
}

function represent(
  delivery: Exclude<Delivery, { kind: 'unchanged' | 'pending' | 'playlist' }>,
  services: Services,
  caching: Headers,
): Representation {
  if (delivery.kind === 'variant') {
    const { variant, stat, isHit, isNegotiated } = delivery;
    const { headers, ...validators } = describeVariant({ key: variant.key, stat, isNegotiated }, caching);
    return {
      ...validators,
      size: variant.size,
      body: variant.bytes ?? ((range, signal) => variant.open(range, signal)),
      headers: {
        ...headers,
        'Content-Type': mimeOfVariant(variant.format),
        'X-Cache': isHit ? 'hit' : 'miss',
      },
    };
  }
  return representOriginal(delivery, services, caching);
}

/** Describes a variant before it exists. */
function describeVariant(
  { key, stat, isNegotiated }: { key: string; stat: BlobStat; isNegotiated: boolean },
  caching: Headers,
) {
  const vary: Record<string, string> = isNegotiated ? { Vary: 'Accept' } : {};
  const headers = { ...caching, ...vary };
  return { etag: `"${key}"`, modifiedAt: stat.modifiedAt, headers };
}

function fallbackHeaders({ Link }: Headers): Headers {
  return { 'Cache-Control': 'no-store', 'X-Transform-Fallback': 'original', ...(Link !== undefined && { Link }) };
}

function representOriginal(
  { path, type, stat, isFallback }: Extract<Delivery, { kind: 'original' }>,
  { originals }: Services,
  caching: Headers,
): Representation {
  return {
    size: stat.size,
    etag: `"${stat.etag}"`,
    modifiedAt: stat.modifiedAt,
    body: (range, signal) => originals.store.open(path, { ...(range && { range }), etag: stat.etag, signal }),
    headers: {
      'Content-Type': type.mime,
      ...(isFallback ? fallbackHeaders(caching) : caching),
    },
  };
}
