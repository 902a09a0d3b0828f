import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { notFound } from '../errors.ts';
import type { Services } from '../services.ts';
import { type Admit, createAdmission, type RouteTraits } from './admission/admission.ts';
import { createCors } from './admission/cors.ts';
import { requireHost } from './admission/host.ts';
import { createLimiter } from './admission/rate-limit.ts';
import { readJsonBodies } from './bodies/json-bodies.ts';
import { UploadCapacity } from './bodies/upload-capacity.ts';
import type { Endpoint, RouteContext, Routes } from './endpoints/endpoint.ts';
import { registerEndpoints } from './endpoints/register.ts';
import { createRequestTargets, type RequestTargets } from './endpoints/request-target.ts';
import { createReader, History } from './observe/history.ts';
import { createMetrics } from './observe/metrics.ts';
import { createRequestIds, REQUEST_ID_HEADER } from './observe/request-id.ts';
import { createRequestLog } from './observe/request-log.ts';
import { countSentBytes } from './observe/sent-bytes.ts';
import { noteProblem, refuseBrokenRequest, renderProblem } from './problem.ts';
import { ROUTES } from './routes/index.ts';
import { limitBodyTime } from './transport/body-time.ts';
import { FastPath } from './transport/fast-path.ts';
import { createServer, type Front, MAX_HEADER_BYTES } from './transport/server.ts';

/**
 * Creates the HTTP application; it does not listen yet.
 * @param routes its families of endpoints
 * @param leaving aborts when requests should go elsewhere: from then on, every response closes its connection
 */
export function createApp(
  services: Services,
  routes: readonly Routes[] = ROUTES,
  leaving: AbortSignal = new AbortController().signal,
): FastifyInstance {
  const { config, log } = services;
  const identify = createRequestIds();
  const limiter = createLimiter(services);
  const fastPath = new FastPath(services, limiter, identify);
  const isServing = () => app.server.listening && !leaving.aborted;
  const context: RouteContext = {
    services,
    fastPath,
    uploadCapacity: new UploadCapacity(config.upload, services.tempBudget),
    isServing,
    metrics: () => metrics,
    history: () => history,
    countRefusal: (request) => limiter.countRefusal(request),
    endpoints: () => endpoints,
  };
  const endpoints: readonly Endpoint[] = routes.flatMap((family) => family(context));
  const targets = createRequestTargets(endpoints);
  const metrics = createMetrics(services, targets);
  const requestLog = createRequestLog({ log, metrics, mode: config.log.requests });
  const admit = createAdmission(createCors(config.http.corsOrigins, targets.methods), limiter);
  const app = createFramework({ services, fastPath, identify, requestLog, isServing }, targets, admit);
  app.server.once('close', limiter.close);
  const history = new History({ read: createReader(services, metrics, countSentBytes(app.server)) });
  app.addHook('onRequest', (request, reply, done) => admit(request, reply, request.routeOptions.config, done));
  requireHost(app);
  // Before its body is read, which is not needed.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuseUnknown(request);
  });
  readJsonBodies(app, config.http.json);
  limitBodyTime(app, config.http.bodyTimeoutMs);
  registerEndpoints(app, endpoints, services);
  return app;
}

/** Malformed URLs have no route. They are treated as requests for a public one. */
const MALFORMED: RouteTraits = { isCounted: true, isOpen: true };

function createFramework(front: Front, { withoutPrefix }: RequestTargets, admit: Admit): FastifyInstance {
  const { config, log } = front.services;
  const app = fastify({
    serverFactory: (handler) => createServer(front, handler),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: REQUEST_ID_HEADER,
    ...(config.http.trustedProxies.length > 0 && { trustProxy: [...config.http.trustedProxies] }),
    // A request over an open connection while the service stops is answered, and then the connection is closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '/' }) => withoutPrefix(url),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request, reply: FastifyReply) => {
      admit(request, reply, MALFORMED, (refusal) => void replyWithProblem(refusal ?? error, request.log, reply));
    },
  });
  app.setErrorHandler((error, request, reply) => replyWithProblem(error, request.log, reply));
  app.setNotFoundHandler(refuseUnknown);
  return app;
}

function refuseUnknown({ method, url }: FastifyRequest): never {
  throw notFound(`There is no endpoint ${method} ${url.split('?')[0]}.`, 'unknown_endpoint');
}

function replyWithProblem(error: unknown, log: FastifyBaseLogger, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = renderProblem(error, log);
  noteProblem(reply.raw, body.code);
  return reply.code(status).headers(headers).send(body);
}
