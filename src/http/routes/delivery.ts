import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Delivery, Visitor } from '../../delivery/deliver.ts';
import { unavailable } from '../../errors.ts';
import { mediaTypeOf } from '../../media.ts';
import type { Services } from '../../services.ts';
import { BlobNotFound, type BlobStat } from '../../storage/blob-store.ts';
import { type Admission, admitDelivery } from '../admission/admission.ts';
import { sendJson, sendProblem } from '../problem.ts';
import { evaluatePreconditions } from '../transport/conditional.ts';
import type { HotAnswers } from '../transport/hot-answers.ts';
import { leavingSignal, type Representation, send, sendNotModified } from '../transport/send.ts';

/** A variant may be evicted between being found and being opened; hardly ever so often. */
const MAX_ATTEMPTS = 4;

/** `GET /t/{transformations}/{path}` and `GET /authenticated/s--{sig}/{transformations}/{path}`: originals and variants. */
export function deliveryRoutes(app: FastifyInstance, services: Services, hotAnswers: HotAnswers): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, services, hotAnswers);
  for (const url of ['/t/*', '/authenticated/*']) app.route({ method: ['GET', 'HEAD'], url, handler });
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  hotAnswers: HotAnswers,
): Promise<FastifyReply> {
  // From here on the raw response is ours: bytes go out without a copy, and the framework adds nothing.
  reply.hijack();
  try {
    const admission = await admitDelivery(request, reply, services);
    await deliverAndSend(admission, request, reply.raw, services, hotAnswers);
  } catch (error) {
    sendProblem(reply.raw, error, request.log);
  }
  return reply;
}

async function deliverAndSend(
  { wanted, cacheControl, isForEveryone, statusUrl, client }: Admission,
  asked: FastifyRequest,
  response: ServerResponse,
  services: Services,
  hotAnswers: HotAnswers,
): Promise<void> {
  const request = asked.raw;
  const visitor: Visitor = {
    client,
    accept: request.headers.accept,
    signal: () => leavingSignal(response),
    holds: (key, modifiedAt) => evaluatePreconditions(request, { etag: `"${key}"`, modifiedAt }) === 'not modified',
    asks: 'visitor',
  };
  for (let attempt = 1; ; attempt++) {
    const delivery = await services.deliver(wanted, visitor);
    if (delivery.kind === 'pending') return sendPending(response, statusUrl ?? delivery.statusUrl);
    if (delivery.kind === 'unchanged') return sendNotModified(response, describeVariant(delivery, cacheControl));
    try {
      const representation = represent(delivery, services, cacheControl);
      if (isForEveryone) hotAnswers.remember(request, delivery, representation);
      return await send(request, response, representation);
    } catch (error) {
      // Once more, and it is rendered anew.
      if (!(error instanceof BlobNotFound)) throw error;
      if (attempt === MAX_ATTEMPTS) throw unavailable(`"${wanted.path}" is being removed again and again.`, 1);
    }
  }
}

/** 202: the variant is being made; `statusUrl` tells how far it is. */
function sendPending(response: ServerResponse, statusUrl: string): void {
  const message = 'The video is being processed: ask again, or follow statusUrl.';
  sendJson(response, 202, { 'Retry-After': '5' }, { status: 'processing', message, statusUrl });
}

function represent(
  delivery: Exclude<Delivery, { kind: 'unchanged' | 'pending' }>,
  services: Services,
  cacheControl: string,
): Representation {
  if (delivery.kind === 'variant') {
    const { variant, stat, isHit, isNegotiated } = delivery;
    const { headers, ...validators } = describeVariant({ key: variant.key, stat, isNegotiated }, cacheControl);
    return {
      ...validators,
      size: variant.size,
      body: variant.bytes ?? ((range, signal) => variant.open(range, signal)),
      headers: {
        ...headers,
        'Content-Type': mediaTypeOf(`x.${variant.format}`).mime,
        'X-Cache': isHit ? 'hit' : 'miss',
      },
    };
  }
  return representOriginal(delivery, services, cacheControl);
}

/** What is known of a variant before it is there. */
function describeVariant(
  { key, stat, isNegotiated }: { key: string; stat: BlobStat; isNegotiated: boolean },
  cacheControl: string,
) {
  const vary: Record<string, string> = isNegotiated ? { Vary: 'Accept' } : {};
  const headers = { 'Cache-Control': cacheControl, ...vary };
  return { etag: `"${key}"`, modifiedAt: stat.modifiedAt, headers };
}

function representOriginal(
  { path, type, stat, isFallback }: Extract<Delivery, { kind: 'original' }>,
  { originals }: Services,
  cacheControl: string,
): Representation {
  return {
    size: stat.size,
    etag: `"${stat.etag}"`,
    modifiedAt: stat.modifiedAt,
    body: (range, signal) => originals.store.open(path, { ...(range && { range }), etag: stat.etag, signal }),
    headers: {
      'Content-Type': type.mime,
      'Cache-Control': isFallback ? 'no-store' : cacheControl,
      ...(isFallback && { 'X-Transform-Fallback': 'original' }),
    },
  };
}
