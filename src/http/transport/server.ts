import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { tooManyRequests } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { createAddressReader } from '../admission/client-address.ts';
import { answerPreflight, corsHeaders } from '../admission/cors.ts';
import { learnSession, provenSession } from '../admission/proven-session.ts';
import { classify } from '../admission/public-endpoints.ts';
import { type Count, createRateLimiter } from '../admission/rate-limit.ts';
import { type IdentifyRequest, REQUEST_ID_HEADER } from '../observe/request-id.ts';
import type { RequestLog } from '../observe/request-log.ts';
import { renderRefusal, sendJson } from '../problem.ts';
import { limitConnections } from './connections.ts';
import type { HotAnswers } from './hot-answers.ts';
import { answerInTurn } from './pipelining.ts';
import { KEEP_ALIVE_SECONDS } from './prepared-head.ts';
import { closeAfterRefusal, hasBody } from './refused-bodies.ts';
import { ALWAYS } from './security-headers.ts';

/** Headers fit into this many bytes, the request line among them. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** How often connections are looked through for those that are too slow. */
const CHECK_INTERVAL_MS = 1000;

export interface Front {
  services: Services;
  hotAnswers: HotAnswers;
  identify: IdentifyRequest;
  requestLog: RequestLog;
}

/**
 * Node's server with what stands before the framework: the rate limit, the headers of every answer, and the short way to cached
 * variants.
 */
export function createServer(front: Front, handler: http.RequestListener): http.Server {
  const { services, hotAnswers, identify, requestLog } = front;
  const { config, sessions } = services;
  const { rateLimit, trustedProxies, headersTimeoutMs, socketTimeoutMs, maxConnections, maxPipelinedRequests } =
    config.http;
  const readAddress = createAddressReader(trustedProxies);
  const limiter = createRateLimiter({ ...rateLimit, readAddress, readSession: (one) => provenSession(one, sessions) });
  const server = http.createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
      // A large upload takes as long as its line is slow; whoever reads a body knows how long a client may pause.
      requestTimeout: 0,
      // Ours is looked at with what it says.
      requireHostHeader: false,
    },
    answerInTurn((request, response) => {
      const learning = learnSession(request, sessions, limiter.hasRoom);
      if (learning === undefined) answer(request, response);
      // A client that has left meanwhile is no longer told of by any event.
      else void learning.then(() => response.destroyed || answer(request, response));
    }, maxPipelinedRequests),
  );

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const count = limiter.count(request);
    // A server that stops closes its connections: the framework says so in its answers, the short way does not.
    if (count?.isOver !== true && server.listening) {
      const id = hotAnswers.tryAnswer(request, response, count?.headers);
      if (id !== undefined) {
        requestLog.hot(request, response.statusCode, id);
        return;
      }
    }
    request.headers[REQUEST_ID_HEADER] = identify(request.headers[REQUEST_ID_HEADER]?.toString());
    if (hasBody(request)) closeAfterRefusal(request, response, config.http.refusedBodyTimeoutMs);
    const allowed = prepare(request, response, count, config.http.corsOrigins);
    requestLog.watch(request, response);
    if (count?.isOver) refuse(response, count);
    else if (!answerPreflight(request, response, allowed)) handler(request, response);
  }

  server.maxConnections = maxConnections;
  limitConnections(server, { maxPerAddress: config.http.maxConnectionsPerAddress, trustedProxies });
  // No listener: Node itself ends a connection on which nothing has moved for so long, whatever it waits for.
  server.timeout = socketTimeoutMs;
  return server;
}

/** Sets the headers that every answer has, whoever gives it; the ones of CORS are given back. */
function prepare(
  request: IncomingMessage,
  response: ServerResponse,
  count: Count | undefined,
  origins: readonly string[],
): Readonly<Record<string, string>> {
  const { method = '', url = '', headers } = request;
  const allowed = corsHeaders(classify(method, url), headers.origin, origins);
  for (const [name, value] of Object.entries({ ...ALWAYS, ...allowed })) response.setHeader(name, value);
  response.setHeader('X-Request-Id', headers[REQUEST_ID_HEADER] ?? '');
  const counted = count?.headers ?? [];
  for (let i = 0; i < counted.length; i += 2) response.setHeader(counted[i] ?? '', counted[i + 1] ?? '');
  return allowed;
}

function refuse(response: ServerResponse, { retryAfter }: Count): void {
  const message = `Too many requests from this address: ask again in ${retryAfter} s.`;
  const { status, headers, body } = renderRefusal(tooManyRequests(message, retryAfter));
  sendJson(response, status, headers, body);
}
