import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  LogController,
} from 'fastify';
import { HttpProblem, notFound } from '../errors.ts';
import type { Services } from '../services.ts';
import { guardTelltales } from './admission/admission.ts';
import { requireHost } from './admission/host.ts';
import { withoutOrigin, withoutPrefix } from './admission/public-endpoints.ts';
import { readJsonBodies } from './bodies/json-bodies.ts';
import { createMetrics } from './observe/metrics.ts';
import { createRequestIds, REQUEST_ID_HEADER } from './observe/request-id.ts';
import { createRequestLog } from './observe/request-log.ts';
import { collectRoutes } from './openapi/route-table.ts';
import { refuseBrokenRequest, renderProblem } from './problem.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { authRoutes } from './routes/auth.ts';
import { deliveryRoutes } from './routes/delivery.ts';
import { downloadRoutes } from './routes/download.ts';
import { eventRoutes } from './routes/events.ts';
import { folderRoutes } from './routes/folders.ts';
import { healthRoutes } from './routes/health.ts';
import { invalidateRoutes } from './routes/invalidate.ts';
import { limitsRoutes } from './routes/limits.ts';
import { openapiRoutes } from './routes/openapi.ts';
import { queueRoutes } from './routes/queue.ts';
import { rootRoutes } from './routes/root.ts';
import { statsRoutes } from './routes/stats.ts';
import { storageRoutes } from './routes/storage.ts';
import { uploadRoutes } from './routes/upload.ts';
import { videoStatusRoutes } from './routes/video-status.ts';
import { limitBodyTime } from './transport/body-time.ts';
import { HotAnswers } from './transport/hot-answers.ts';
import { createServer, MAX_HEADER_BYTES } from './transport/server.ts';

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Puts the HTTP face together; it does not listen yet. */
export function createApp(services: Services): FastifyInstance {
  const { config, log } = services;
  const identify = createRequestIds();
  const hotAnswers = new HotAnswers(services.originals, services.variants, identify);
  const metrics = createMetrics(services);
  const requestLog = createRequestLog({ log, metrics, mode: config.log.requests });
  const app = fastify({
    serverFactory: (handler) => createServer({ services, hotAnswers, identify, requestLog }, handler),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: REQUEST_ID_HEADER,
    ...(config.http.trustedProxies.length > 0 && { trustProxy: [...config.http.trustedProxies] }),
    // What arrives over an open connection while the service stops is answered, and then the connection is closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '/' }) => withoutPrefix(withoutOrigin(url)),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request, reply: FastifyReply) => {
      replyWithProblem(error, request.log, reply);
    },
  });
  app.setErrorHandler((error, request, reply) => replyWithProblem(error, request.log, reply));
  app.setNotFoundHandler((request) => {
    throw notFound(`There is no endpoint ${request.method} ${request.url.split('?')[0]}.`, 'Unknown endpoint');
  });

  requireHost(app);
  readJsonBodies(app, config.http.json);
  limitBodyTime(app, config.http.bodyTimeoutMs);
  guardTelltales(app, services);
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsOf.set(url, methods);
  });
  const routeTable = collectRoutes(app);
  healthRoutes(app, services, metrics);
  openapiRoutes(app, routeTable);
  for (const routes of [
    rootRoutes,
    authRoutes,
    apiKeyRoutes,
    limitsRoutes,
    uploadRoutes,
    downloadRoutes,
    folderRoutes,
    invalidateRoutes,
    statsRoutes,
    storageRoutes,
    queueRoutes,
    eventRoutes,
    videoStatusRoutes,
  ]) {
    routes(app, services);
  }
  deliveryRoutes(app, services, hotAnswers);
  // A plugin of its own, because it is loaded after all the others, when every route is known.
  app.register(async (scope) => {
    for (const [url, methods] of [...methodsOf]) refuseOtherMethods(scope, url, methods);
  });
  return app;
}

function replyWithProblem(error: unknown, log: FastifyBaseLogger, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = renderProblem(error, log);
  return reply.code(status).headers(headers).send(body);
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const others = ALL_METHODS.filter((method) => !methods.has(method));
  if (others.length === 0) return;
  const allowed = [...methods].join(', ');
  app.route({
    method: others,
    url,
    schema: { hide: true },
    handler: (request) => {
      throw new HttpProblem(405, 'Method not allowed', `Expected ${allowed}, received ${request.method}.`, {
        headers: { Allow: allowed },
      });
    },
  });
}
