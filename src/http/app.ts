import http from 'node:http';
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
import { HotAnswers } from './hot-answers.ts';
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
import { queueRoutes } from './routes/queue.ts';
import { statsRoutes } from './routes/stats.ts';
import { storageRoutes } from './routes/storage.ts';
import { uploadRoutes } from './routes/upload.ts';
import { videoStatusRoutes } from './routes/video-status.ts';

/** Endpoints that exist below `/api` only; every other one answers with and without the prefix. */
const API_ONLY = ['/api/version', '/api/auth/'];

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Headers fit into this many bytes, the request line among them. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Puts the HTTP face together; it does not listen yet. */
export function createApp(services: Services): FastifyInstance {
  const hotAnswers = new HotAnswers(services.originals, services.variants);
  const app = fastify({
    serverFactory: (handler) => createServer(hotAnswers, handler),
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // What arrives over an open connection while the service stops is answered, and then the connection is closed.
    ...(services.config.http.trustedProxies.length > 0 && { trustProxy: [...services.config.http.trustedProxies] }),
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    exposeHeadRoutes: false,
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

  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsOf.set(url, methods);
  });
  for (const routes of [
    healthRoutes,
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

/** Node's server, with the short way to cached variants in front of the framework. */
function createServer(hotAnswers: HotAnswers, handler: http.RequestListener): http.Server {
  const server = http.createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 65_000,
      // A large upload takes as long as its line is slow; a client that stops sending is told so by the form reader.
      requestTimeout: 0,
    },
    (request, response) => {
      // A server that stops closes its connections: the framework says so in its answers, the short way does not.
      if (!server.listening || !hotAnswers.tryAnswer(request, response)) handler(request, response);
    },
  );
  return server;
}

function replyWithProblem(error: unknown, log: FastifyBaseLogger, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = renderProblem(error, log);
  return reply.code(status).headers(headers).send(body);
}

/** A request line may hold the whole URL (RFC 9112, 3.2.2); only its path and query matter here. */
function withoutOrigin(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function withoutPrefix(url: string): string {
  if (!url.startsWith('/api/') || API_ONLY.some((own) => url.startsWith(own))) return url;
  return url.slice('/api'.length);
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const others = ALL_METHODS.filter((method) => !methods.has(method));
  if (others.length === 0) return;
  const allowed = [...methods].join(', ');
  app.route({
    method: others,
    url,
    handler: (request) => {
      throw new HttpProblem(405, 'Method not allowed', `Expected ${allowed}, received ${request.method}.`, {
        headers: { Allow: allowed },
      });
    },
  });
}
