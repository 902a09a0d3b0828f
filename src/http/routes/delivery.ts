import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Delivery } from '../../delivery/deliver.ts';
import { readDeliveryUrl } from '../../delivery/url.ts';
import { notFound } from '../../errors.ts';
import { mediaTypeOf } from '../../media.ts';
import type { Services } from '../../services.ts';
import { BlobNotFound } from '../../storage/blob-store.ts';
import type { HotAnswers } from '../hot-answers.ts';
import { sendProblem } from '../problem.ts';
import { leavingSignal, type Representation, send } from '../send.ts';

const PREFIX = '/t/';
const MAX_ATTEMPTS = 2;

/** `GET /t/{transformations}/{path}`: originals and variants. */
export function deliveryRoutes(app: FastifyInstance, services: Services, hotAnswers: HotAnswers): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, services, hotAnswers);
  app.route({ method: ['GET', 'HEAD'], url: '/t/*', handler });
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
    await deliverAndSend(request.raw, reply.raw, services, hotAnswers);
  } catch (error) {
    sendProblem(reply.raw, error, request.log);
  }
  return reply;
}

async function deliverAndSend(
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
  hotAnswers: HotAnswers,
): Promise<void> {
  // The router's own reading of the path decodes "%2F"; the raw text keeps what the client wrote.
  const url = request.url ?? '';
  // The router also finds "/%74/".
  if (!url.startsWith(PREFIX)) throw notFound(`There is no endpoint ${url}.`, 'Unknown endpoint');
  const query = url.indexOf('?');
  const wanted = readDeliveryUrl(url.slice(PREFIX.length, query < 0 ? undefined : query), services.config.limits);
  const visitor = { accept: request.headers.accept, signal: () => leavingSignal(response) };
  for (let attempt = 1; ; attempt++) {
    const delivery = await services.deliver(wanted, visitor);
    try {
      const representation = represent(delivery, services);
      hotAnswers.remember(request, delivery, representation);
      return await send(request, response, representation);
    } catch (error) {
      // A variant can be evicted between being found and being opened; once more then, and it is rendered anew.
      if (attempt === MAX_ATTEMPTS || !(error instanceof BlobNotFound)) throw error;
    }
  }
}

function represent(delivery: Delivery, { originals, config }: Services): Representation {
  const { cacheControl } = config.http;
  if (delivery.kind === 'variant') {
    const { variant, stat, isHit, isNegotiated } = delivery;
    return {
      size: variant.size,
      etag: `"${variant.key}"`,
      modifiedAt: stat.modifiedAt,
      body: variant.bytes ?? ((range, signal) => variant.open(range, signal)),
      headers: {
        'Content-Type': mediaTypeOf(`x.${variant.format}`).mime,
        'Cache-Control': cacheControl,
        'X-Cache': isHit ? 'hit' : 'miss',
        ...(isNegotiated && { Vary: 'Accept' }),
      },
    };
  }
  const { path, type, stat, isFallback } = delivery;
  return {
    size: stat.size,
    etag: `"${stat.etag}"`,
    modifiedAt: stat.modifiedAt,
    body: (range, signal) => originals.store.open(path, { ...(range && { range }), signal }),
    headers: {
      'Content-Type': type.mime,
      'Cache-Control': isFallback ? 'no-store' : cacheControl,
      ...(isFallback && { 'X-Transform-Fallback': 'original' }),
    },
  };
}
