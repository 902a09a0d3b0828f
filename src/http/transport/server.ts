import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { HttpProblem } from '../../errors.ts';
import { quote } from '../../path.ts';
import type { Services } from '../../services.ts';
import { createCors } from '../admission/cors.ts';
import { createForwardedReader } from '../admission/forwarded.ts';
import { learnSession } from '../admission/proven-session.ts';
import { type Quota, quotaExceeded, type RateLimiter } from '../admission/rate-limit.ts';
import type { EndpointLookup } from '../endpoints/lookup.ts';
import { type IdentifyRequest, REQUEST_ID_HEADER } from '../observe/request-id.ts';
import type { RequestLog } from '../observe/request-log.ts';
import { noteProblem, renderRefusal, sendJson } from '../problem.ts';
import { createResponseClass } from './closing-response.ts';
import { limitConnections } from './connections.ts';
import type { HotAnswers } from './hot-answers.ts';
import { closeIdleConnections, isPersistent, KEEP_ALIVE } from './keep-alive.ts';
import { answerInTurn, isAnswering } from './pipelining.ts';
import { ALWAYS } from './security-headers.ts';

/** The most that the request line and the headers may have together. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** How often connections are checked for clients that are too slow. */
const CHECK_INTERVAL_MS = 1000;

/** Requests that expect what this server does not do. */
const unmet = new WeakSet<IncomingMessage>();

export interface Front {
  services: Services;
  lookup: EndpointLookup;
  limiter: RateLimiter;
  hotAnswers: HotAnswers;
  identify: IdentifyRequest;
  requestLog: RequestLog;
  /** Whether requests should come here; otherwise every answer closes its connection. */
  isServing(): boolean;
}

/**
 * Node's server with everything in front of the framework: the rate limit, the headers of every answer, and the short way to
 * cached variants.
 */
export function createServer(front: Front, handler: http.RequestListener): http.Server {
  const { limiter } = front;
  const { config, sessions } = front.services;
  const { trustedProxies, socketTimeoutMs, maxConnections, maxPipelinedRequests } = config.http;
  const answer = createAnswerer(front, handler);
  /** Answers, or has the request wait first. No event tells of a client that has left meanwhile. */
  function count(request: IncomingMessage, response: ServerResponse): void {
    const waiting = limiter.waitFor(request);
    if (waiting === undefined) answer(request, response);
    else void waiting.then(() => response.destroyed || count(request, response));
  }
  const inTurn = answerInTurn((request, response) => {
    const learning = learnSession(request, sessions, limiter.hasRoom);
    if (learning === undefined) count(request, response);
    else void learning.then(() => response.destroyed || count(request, response));
  }, maxPipelinedRequests);
  const server = http.createServer(serverOptions(config.http), inTurn);
  // Node tells these requests from others, and would answer them without a word.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    inTurn(request, response);
  });
  server.once('close', limiter.close);
  server.maxConnections = maxConnections;
  limitConnections(server, { maxPerAddress: config.http.maxConnectionsPerAddress, trustedProxies });
  closeIdleConnections(server, { timeoutMs: socketTimeoutMs, isAnswering });
  return server;
}

function serverOptions({ headersTimeoutMs, refusedBodyTimeoutMs }: Config['http']): http.ServerOptions {
  return {
    ServerResponse: createResponseClass(refusedBodyTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
    // A large upload takes as long as its line is slow; the readers of bodies know how long a client may pause.
    requestTimeout: 0,
    // Our own check looks at its text too.
    requireHostHeader: false,
  };
}

/** Makes the function that counts a request, and answers it from memory, with a refusal, or by the framework. */
function createAnswerer(
  { services: { config }, lookup, limiter, hotAnswers, identify, requestLog, isServing }: Front,
  handler: http.RequestListener,
) {
  const cors = createCors(lookup, config.http.corsOrigins);
  const readForwarded = createForwardedReader(config.http.trustedProxies);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const quota = limiter.count(request);
    const isOpen = isServing();
    if (isOpen && quota?.isOver !== true) {
      const answered = hotAnswers.tryAnswer(request, response, quota?.headers);
      if (answered) {
        requestLog.hot(response.statusCode, answered.id, answered.loggedUrl);
        return;
      }
    }
    readForwarded(request);
    request.headers[REQUEST_ID_HEADER] = identify(request.headers[REQUEST_ID_HEADER]?.toString());
    if (!isOpen) response.setHeader('Connection', 'close');
    else if (isPersistent(request)) response.setHeader('Keep-Alive', KEEP_ALIVE);
    const allowed = cors.headersFor(request);
    prepare(request, response, { ...ALWAYS, ...allowed }, quota);
    requestLog.watch(request, response);
    if (quota?.isOver) refuse(response, quotaExceeded(quota));
    else if (unmet.has(request)) refuse(response, expectationFailed(request));
    else if (!cors.answerPreflight(request, response, allowed)) handler(request, response);
  };
}

/** Sets the headers that every answer has, whoever gives it. */
function prepare(
  { headers }: IncomingMessage,
  response: ServerResponse,
  always: Readonly<Record<string, string>>,
  quota: Quota | undefined,
): void {
  for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
  response.setHeader('X-Request-Id', headers[REQUEST_ID_HEADER] ?? '');
  const counted = quota?.headers ?? [];
  for (let i = 0; i < counted.length; i += 2) response.setHeader(counted[i] ?? '', counted[i + 1] ?? '');
}

function refuse(response: ServerResponse, problem: HttpProblem): void {
  const { status, headers, body } = renderRefusal(problem);
  noteProblem(response, body.code);
  sendJson(response, status, headers, body);
}

function expectationFailed({ headers: { expect = '' } }: IncomingMessage): HttpProblem {
  const message = `Expected "100-continue" or nothing as "Expect", received ${quote(expect)}.`;
  return new HttpProblem('expectation_failed', message);
}
