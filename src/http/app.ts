import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { Slots } from '../concurrency.ts';
import { forbidden, HttpProblem, notFound } from '../errors.ts';
import type { Services } from '../library-services.ts';
import type { LibraryServices } from '../services.ts';
import type { SpaceRegistry } from '../spaces/registry.ts';
import { createRoot } from '../spaces/rooted/root.ts';
import type { Space } from '../spaces/space.ts';
import { type Admit, createAdmission, type RouteTraits } from './admission/admission.ts';
import { findCaller } from './admission/caller.ts';
import { type Cors, createCors } from './admission/cors.ts';
import { requireHost } from './admission/host.ts';
import { createLimiter } from './admission/rate-limit.ts';
import { enterRequest, enterSpaceOfKey, noteHost, spaceOfTarget, takeSpacePrefix } from './admission/space.ts';
import { createSpaceLimits, hasLimits } from './admission/space-limits.ts';
import { readJsonBodies } from './bodies/json-bodies.ts';
import { UploadCapacity } from './bodies/upload-capacity.ts';
import type { Endpoint, RouteContext, Routes } from './endpoints/endpoint.ts';
import { registerEndpoints } from './endpoints/register.ts';
import { createRequestTargets, type RequestTargets, withoutOrigin } from './endpoints/request-target.ts';
import { createSpaceTables } from './endpoints/space-tables.ts';
import { createAuditTrail } from './observe/audit-trail.ts';
import { openFigures } from './observe/history.ts';
import { createMetrics } from './observe/metrics.ts';
import { createReadiness } from './observe/readiness.ts';
import { createRequestIds, REQUEST_ID_HEADER } from './observe/request-id.ts';
import { type AnswerResult, createRequestLog } from './observe/request-log.ts';
import { countSentBytes } from './observe/sent-bytes.ts';
import { createUsageTrail } from './observe/usage-trail.ts';
import { createReference } from './openapi/reference.ts';
import { noteProblem, refuseBrokenRequest, renderProblem } from './problem.ts';
import { ROUTES } from './routes/index.ts';
import { limitBodyTime } from './transport/body-time.ts';
import { FastPath, urlPrefixOf } from './transport/fast-path.ts';
import { html, sendPage, wantsHtml } from './transport/html.ts';
import { ListenerSlots } from './transport/listener-slots.ts';
import { createServer, type Front, MAX_HEADER_BYTES } from './transport/server.ts';

/** Queue of `POST /upload/url`. */
const FETCH_QUEUE = { maxQueued: 32, maxWaitMs: 30_000 };

/**
 * Creates the HTTP application; it does not listen yet.
 * @param routes its families of endpoints
 * @param leaving aborts when requests should go elsewhere: from then on, every response closes its connection
 */
export function createApp(
  services: LibraryServices,
  routes: readonly Routes[] = ROUTES,
  leaving: AbortSignal = new AbortController().signal,
): FastifyInstance {
  const { config, log, spaces } = services;
  const identify = createRequestIds();
  const limiter = createLimiter(services);
  const fastPath = new FastPath(services, limiter, identify);
  const trail = createAuditTrail(services.audit, config.http.trustedProxies);
  const usageTrail = createUsageTrail(services.usage);
  const countInSpace = createSpaceLimits(services);
  const isServing = () => app.server.listening && !leaving.aborted;
  const context: RouteContext = {
    services,
    fastPath,
    uploadCapacity: new UploadCapacity(config.upload, services.tempBudget),
    urlFetches: new Slots({ size: config.upload.maxFetches, ...FETCH_QUEUE, purpose: 'fetches of URLs' }),
    listenerSlots: new ListenerSlots(config.events),
    readReadiness: createReadiness(services, isServing),
    metrics: () => metrics,
    history: () => figures.history,
    activity: () => figures.activity,
    countRefusal: (request) => limiter.countRefusal(request),
    countForSpace: (request, path) => countInSpace(request, { path }),
    countForArchive: (request, paths) => countInSpace(request, { paths }),
    trail,
    usageTrail,
    servicesIn: services.openSpace,
    reference: createReference(() => endpoints),
  };
  const endpoints: readonly Endpoint[] = routes.flatMap((family) => family(context));
  const tables = createSpaceTables({
    registry: spaces,
    library: endpoints,
    open: services.openSpace,
    createEndpoints: (inside, within) => {
      const toOuter = createRoot(within.space.folder).toOuter;
      const stored = hasLimits(within.space)
        ? NOTHING_STORED
        : fastPath.inSpace({ id: within.space.id, urlPrefix: urlPrefixOf(within), toOuter });
      return routes.flatMap((family) => family({ ...context, services: inside, fastPath: stored }));
    },
  });
  spaces.onChange(() => fastPath.clear());
  const targets = createRequestTargets(endpoints);
  const metrics = createMetrics(services, targets);
  const onAnswered = (request: IncomingMessage, response: ServerResponse, { code, family }: AnswerResult) => {
    trail.answered(request, code);
    usageTrail.answered(request, response, family);
  };
  const requestLog = createRequestLog({ log, metrics, mode: config.log.requests, onAnswered });
  const admit = createAdmission(createCorsOfRequests(config.http.corsOrigins, targets.methods), limiter);
  const app = createFramework({ services, fastPath, identify, requestLog, isServing }, targets, admit);
  app.server.once('close', limiter.close);
  const figures = openFigures(services, metrics, countSentBytes(app.server));
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = enterSpace(request, spaces);
    admit(request, reply, request.routeOptions.config, (error) => done(error ?? refusal));
  });
  requireHost(app);
  // Before its body is read, which is not needed.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) refuseUnknown(request);
    await enterSpaceOfKey(request, services);
    await refuseInSpace(request, reply, services);
    await countInSpace(request);
  });
  readJsonBodies(app, config.http.json);
  limitBodyTime(app, config.http.bodyTimeoutMs);
  registerEndpoints(app, endpoints, services, { trail, tableOf: ({ within }) => within && tables.of(within) });
  app.addHook('onClose', async () => {
    tables.close();
    await figures.activity.stop();
  });
  return app;
}

/** The normal path counts each request. */
const NOTHING_STORED = { changes: 0, remember: () => undefined, rememberMissing: () => undefined };

/** CORS of the installation, and of spaces with rules of their own. */
function createCorsOfRequests(origins: readonly string[], methods: readonly string[]) {
  const library = createCors(origins, methods);
  const ofSpaces = new WeakMap<Space, Cors>();
  return ({ within }: FastifyRequest): Cors => {
    const own = within?.space.rules.cors;
    if (!within || !own) return library;
    const cors = ofSpaces.get(within.space) ?? createCors(own, methods);
    ofSpaces.set(within.space, cors);
    return cors;
  };
}

/** Notes the space that the target of a request names. @returns the refusal of a request to none that it may enter */
function enterSpace(request: FastifyRequest, spaces: SpaceRegistry): HttpProblem | undefined {
  try {
    noteHost(request, spaces);
    enterRequest(request, spaceOfTarget(request, spaces));
    return undefined;
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
}

/** @throws HttpProblem 403 for an endpoint of the installation */
async function refuseInSpace(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<void> {
  if (!request.within || !request.routeOptions.config.isForInstallation) return;
  // The audit log names the caller. Nobody is let in, whatever is wrong with the credentials.
  await findCaller(request, reply, services).catch(() => undefined);
  throw forbidden('This endpoint belongs to the installation, not to a space.', 'installation_only');
}

/** Malformed URLs have no route. They are treated as requests for a public one. */
const MALFORMED: RouteTraits = { isCounted: true, isOpen: true };

function createFramework(front: Front, { withoutPrefix }: RequestTargets, admit: Admit): FastifyInstance {
  const { config, log, spaces } = front.services;
  const app = fastify({
    serverFactory: (handler) => createServer(front, handler),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: REQUEST_ID_HEADER,
    ...(config.http.trustedProxies.length > 0 && { trustProxy: [...config.http.trustedProxies] }),
    // A request over an open connection while the service stops is answered, and then the connection is closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: (raw) =>
      withoutPrefix(takeSpacePrefix(raw, withoutOrigin(raw.url ?? '/'), spaces, config.compat.cloudinary)),
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request, reply: FastifyReply) => {
      admit(request, reply, MALFORMED, (refusal) => void replyWithProblem(refusal ?? error, request, reply));
    },
  });
  app.decorateRequest('within', undefined);
  app.decorateRequest('hostSpace', undefined);
  app.setErrorHandler(replyWithProblem);
  app.setNotFoundHandler(refuseUnknown);
  return app;
}

function refuseUnknown({ method, url }: FastifyRequest): never {
  throw notFound(`There is no endpoint ${method} ${url.split('?')[0]}.`, 'unknown_endpoint');
}

function replyWithProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = renderProblem(error, request.log);
  noteProblem(reply.raw, body.code);
  reply.code(status).headers(headers);
  if (body.code !== 'space_disabled') return reply.send(body);
  // CORS may vary by origin.
  reply.raw.appendHeader('Vary', 'Accept');
  if (request.method !== 'GET' || !wantsHtml(request.headers.accept)) return reply.send(body);
  return sendPage(reply, {
    title: 'Space disabled',
    style: '',
    body: html`<h1>This space is disabled</h1>
<p>Its files and its pages are not available at the moment. Ask the administrator of the service.</p>`,
  });
}
