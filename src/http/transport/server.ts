import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import type { Services } from '../../library-services.ts';
import { http } from '../../runtime/node-http.ts';
import { createForwardedReader } from '../admission/forwarded.ts';
import { type IdentifyRequest, REQUEST_ID_HEADER } from '../observe/request-id.ts';
import type { RequestLog } from '../observe/request-log.ts';
import { createResponseClass } from './closing-response.ts';
import { limitConnections } from './connections.ts';
import type { FastPath, NormalPath } from './fast-path.ts';
import { closeIdleConnections, isPersistent, KEEP_ALIVE } from './keep-alive.ts';
import { answerInOrder, isAnswering } from './pipelining.ts';
import { ALWAYS } from './security-headers.ts';

/** Maximum of the request line and the headers together. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Interval of the check for clients that are too slow. */
const CHECK_INTERVAL_MS = 1000;

export interface Front {
  services: Services;
  fastPath: FastPath;
  identify: IdentifyRequest;
  requestLog: RequestLog;
  /** True while this node should receive requests; otherwise every response closes its connection. */
  isServing(): boolean;
}

/**
 * Creates Node's server with everything in front of the framework: the limits on connections, the fast path and the
 * headers of every response.
 */
export function createServer(front: Front, handler: RequestListener): Server {
  const { http: limits } = front.services.config;
  const server = http.createServer(serverOptions(limits));
  server.maxConnections = limits.maxConnections;
  const { maxConnectionsPerAddress: maxPerAddress, trustedProxies, maxPipelinedRequests } = limits;
  const connectionsOf = limitConnections(server, { maxPerAddress, trustedProxies });
  const listener = answerInOrder(createListener(front, handler), maxPipelinedRequests, connectionsOf);
  server.on('request', listener);
  // Node would refuse these requests itself, without a message.
  server.on('checkExpectation', listener);
  closeIdleConnections(server, { timeoutMs: limits.socketTimeoutMs, isAnswering });
  return server;
}

function serverOptions({ headersTimeoutMs, refusedBodyTimeoutMs }: Config['http']): ServerOptions {
  return {
    ServerResponse: createResponseClass(refusedBodyTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
    // Requests without a body get a stream that has ended, for which Node runs no events: 3 of 20 microseconds of a
    // hit.
    optimizeEmptyRequests: true,
    // A large upload takes as long as its line is slow; the readers of bodies limit the pauses of a client.
    requestTimeout: 0,
    // The check in `host.ts` validates the text too.
    requireHostHeader: false,
  };
}

/** Creates the listener that answers a request on the fast path, or hands it to the framework. */
function createListener(
  { services: { config }, fastPath, identify, requestLog, isServing }: Front,
  handler: RequestListener,
): RequestListener {
  const readForwarded = createForwardedReader(config.http.trustedProxies);

  /** @param isOpen true if the connection may stay open after the response */
  function passOn(request: IncomingMessage, response: ServerResponse, isOpen: boolean): void {
    readForwarded(request);
    const id = identify(request.headers[REQUEST_ID_HEADER]?.toString());
    request.headers[REQUEST_ID_HEADER] = id;
    if (!isOpen) response.setHeader('Connection', 'close');
    else if (isPersistent(request)) response.setHeader('Keep-Alive', KEEP_ALIVE);
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    response.setHeader('X-Request-Id', id);
    handler(request, response);
  }

  const normal: NormalPath = {
    watch: requestLog.watch,
    countDiskHit: requestLog.countDiskHit,
    passOn: (request, response) => passOn(request, response, isServing()),
  };
  return (request, response) => {
    const isOpen = isServing();
    const answered = isOpen ? fastPath.tryAnswer(request, response, normal) : undefined;
    if (answered === 'watched') return;
    if (answered) {
      requestLog.logFastPath(response.statusCode, answered.id, answered.loggedUrl);
      return;
    }
    requestLog.watch(request, response);
    passOn(request, response, isOpen);
  };
}
