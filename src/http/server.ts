import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { HttpProblem } from '../errors.ts';
import type { Services } from '../services.ts';
import { createAddressReader } from './client-address.ts';
import { answerPreflight, corsHeaders } from './cors.ts';
import type { HotAnswers } from './hot-answers.ts';
import { KEEP_ALIVE_SECONDS } from './prepared-head.ts';
import { renderRefusal, sendJson } from './problem.ts';
import { classify } from './public-endpoints.ts';
import { type Count, createRateLimiter } from './rate-limit.ts';
import { REQUEST_ID_HEADER, type RequestLog } from './request-log.ts';
import { ALWAYS } from './security-headers.ts';

/** Headers fit into this many bytes, the request line among them. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** How often connections are looked through for those that are too slow. */
const CHECK_INTERVAL_MS = 1000;

export interface Front {
  services: Services;
  hotAnswers: HotAnswers;
  requestLog: RequestLog;
}

/**
 * Node's server with what stands before the framework: the rate limit, the headers of every answer, and the short way to cached
 * variants.
 */
export function createServer(front: Front, handler: http.RequestListener): http.Server {
  const { services, hotAnswers, requestLog } = front;
  const { config } = services;
  const { rateLimit, trustedProxies, headersTimeoutMs, socketTimeoutMs, maxConnections } = config.http;
  const limiter = createRateLimiter({ ...rateLimit, readAddress: createAddressReader(trustedProxies) });
  const server = http.createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
      // A large upload takes as long as its line is slow; whoever reads a body knows how long a client may pause.
      requestTimeout: 0,
    },
    (request, response) => {
      const count = limiter(request);
      // A server that stops closes its connections: the framework says so in its answers, the short way does not.
      if (count?.isOver !== true && server.listening && hotAnswers.tryAnswer(request, response, count?.headers)) {
        requestLog.hot(request, response.statusCode);
        return;
      }
      const allowed = prepare(request, response, count, config.http.corsOrigins);
      requestLog.watch(request, response);
      if (count?.isOver) return refuse(response, count);
      if (!answerPreflight(request, response, allowed)) handler(request, response);
    },
  );
  server.maxConnections = maxConnections;
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
  const id = requestId(request.headers[REQUEST_ID_HEADER]);
  // The framework takes it from here.
  request.headers[REQUEST_ID_HEADER] = id;
  const { method = '', url = '', headers } = request;
  const allowed = corsHeaders(classify(method, url), headers.origin, origins);
  for (const [name, value] of Object.entries({ ...ALWAYS, ...allowed })) response.setHeader(name, value);
  response.setHeader('X-Request-Id', id);
  const counted = count?.headers ?? [];
  for (let i = 0; i < counted.length; i += 2) response.setHeader(counted[i] ?? '', counted[i + 1] ?? '');
  return allowed;
}

/** A client or a proxy may bring an id along, to find the request again. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function refuse(response: ServerResponse, { retryAfter }: Count): void {
  const headers = { 'Retry-After': String(retryAfter) };
  const message = `Too many requests from this address: ask again in ${retryAfter} s.`;
  const { body, ...rendered } = renderRefusal(new HttpProblem(429, 'Too many requests', message, { headers }));
  sendJson(response, rendered.status, rendered.headers, { ...body, retryAfter });
}
