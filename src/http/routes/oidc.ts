import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AuditEvent } from '../../audit/audit-entry.ts';
import { AUTH_BASE_PATH } from '../../auth/auth.ts';
import type { ClaimedChange } from '../../auth/members.ts';
import { type Callback, OIDC_COOKIE, type Oidc } from '../../auth/oidc.ts';
import { OidcFailure } from '../../auth/oidc-failure.ts';
import { SIGN_IN_MS } from '../../auth/oidc-state.ts';
import { forbidden, notFound, unavailable } from '../../errors.ts';
import { INSTALLATION } from '../../installation.ts';
import type { Services } from '../../library-services.ts';
import { noteActor } from '../admission/actor.ts';
import { clientOf } from '../admission/client-address.ts';
import { presentedCookie } from '../admission/credentials.ts';
import { ownOrigin } from '../admission/origin.ts';
import { passCookies } from '../admission/set-cookies.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import type { AuditTrail } from '../observe/audit-trail.ts';
import { sessionOf } from './account.ts';
import { findHolder, startSession } from './auth-forward.ts';
import { dashboardAtHost } from './dashboard.ts';

const CALLBACK = `${AUTH_BASE_PATH}/callback/oidc`;
const DASHBOARD = '/dashboard';
const RETRY_SECONDS = 10;

const methods = z.object({
  password: z.boolean().describe('True if anyone may sign in with a password.'),
  oidc: z.object({ name: z.string() }).nullable().describe('The identity provider; null without one.'),
  atSpaceHost: z.literal(true).optional().describe('At a host of a space, where no identity can be connected.'),
});
/** Browsers drop a cookie of more than 4096 bytes, and that of the sign-in has two for each of these characters. */
const MAX_TO = 1000;
/** Only a path below the dashboard: browsers read `//` and a backslash as the beginning of another host. */
const to = z
  .string()
  .max(MAX_TO)
  .refine((path) => dashboardPage(path) !== undefined, 'expected a path below the dashboard, such as /trash')
  .refine((path) => (dashboardPage(path) ?? '').length <= MAX_TO, {
    error: ({ input }) =>
      `expected at most ${MAX_TO} characters after URL encoding, received ${dashboardPage(String(input))?.length}`,
  })
  .describe('Page of the dashboard to continue with: its path below `/dashboard`.');
const beginBody = z.strictObject({ to: to.optional() }).nullish();
const begun = z.object({ url: z.string().describe('Page of the identity provider, to be opened in the browser.') });

const tag = 'Account';

const connection = z.object({
  connected: z.boolean().describe('True if an identity of the identity provider signs in to the account.'),
});

/** Sign-in through an identity provider with OpenID Connect. */
export function oidcRoutes({ services, trail }: RouteContext): readonly Endpoint[] {
  return [methodsEndpoint(services), ...beginnings(services), callback(services, trail)];
}

function methodsEndpoint({ config, oidc }: Services): Endpoint {
  return defineEndpoint(`GET ${AUTH_BASE_PATH}/methods`, {
    access: 'public',
    noStore: true,
    openapi: { id: 'getSignInMethods', tag, summary: 'Ways to sign in.' },
    schemas: { response: { 200: methods } },
    handle: (request) => ({
      password: config.auth.signIn.password !== 'false',
      oidc: oidc === undefined ? null : { name: oidc.name },
      ...(request.hostSpace !== undefined && { atSpaceHost: true as const }),
    }),
  });
}

function beginnings(services: Services): readonly Endpoint[] {
  const signIn = defineEndpoint(`POST ${AUTH_BASE_PATH}/sign-in/oidc`, {
    access: 'own pages',
    noStore: true,
    openapi: {
      id: 'signInWithOidc',
      tag,
      summary: 'Begins a sign-in through the identity provider.',
      errors: [404, 429, 503],
    },
    schemas: { body: beginBody, response: { 200: begun } },
    async handle(request, reply) {
      const oidc = requireOidc(services);
      // Each beginning may cause requests to the identity provider.
      await services.signInTries.count(clientOf(request));
      return begin(request, reply, services, oidc, { to: request.body?.to });
    },
  });
  const connect = defineEndpoint(`POST ${AUTH_BASE_PATH}/oidc/connect`, {
    access: 'session',
    noStore: true,
    openapi: {
      id: 'connectOidc',
      tag,
      summary: 'Begins to connect the account with an identity of the identity provider.',
      errors: [404, 429, 503],
    },
    schemas: { body: beginBody, response: { 200: begun } },
    async handle(request, reply) {
      const oidc = requireOidc(services);
      const { userId, space } = await sessionOf(request, services);
      // The identity signs in everywhere.
      if (space !== INSTALLATION) throw restrictedSession();
      await services.signInTries.count(clientOf(request));
      return begin(request, reply, services, oidc, { to: request.body?.to ?? '/account', userId });
    },
  });
  const readConnection = defineEndpoint(`GET ${AUTH_BASE_PATH}/oidc/connect`, {
    access: 'session',
    noStore: true,
    openapi: {
      id: 'getOidcConnection',
      tag,
      summary: 'Reports if the account is connected with an identity.',
      errors: [404, 503],
    },
    schemas: { response: { 200: connection } },
    async handle(request) {
      const oidc = requireOidc(services);
      const { userId } = await sessionOf(request, services);
      return { connected: await oidc.isConnected(userId) };
    },
  });
  return [signIn, connect, readConnection];
}

/** Completes a sign-in, and leads to the dashboard; a failure to its page to sign in, with the reason as `?error=`. */
function callback(services: Services, trail: AuditTrail): Endpoint {
  return defineEndpoint(`GET ${CALLBACK}`, {
    access: 'public',
    noStore: true,
    audit: 'session.started',
    // The handler notes what has happened.
    outcome: () => [],
    // A second request with its code would fail.
    head: false,
    // The identity provider sends browsers here; no program calls it.
    openapi: 'hidden',
    async handle(request, reply) {
      const oidc = requireOidc(services);
      const done = await oidc.complete({
        ...callbackOf(request, services),
        onConnect: trail.within(request, (userId) => ({
          action: 'account.oidc_connected',
          target: userId,
          detail: { provider: oidc.name },
        })),
        onRoles: trail.within<readonly ClaimedChange[]>(request, (changes) => changes.map(claimedEvent(oidc))),
      });
      const cookies = [cookieOf('', 0, services)];
      const base = dashboardAtHost(services.config.http);
      if (done.failure !== undefined) {
        if (!done.isConnecting) trail.failed(request, failed(oidc, done.failure));
        const page = done.isConnecting ? done.to : '/login';
        passCookies(request, reply, cookies);
        return reply.redirect(withError(`${base}${page}`, done.failure));
      }
      if (!done.isConnecting) {
        // Where the sign-in began counts: its response can be sent to another host.
        cookies.push(...(await startSession(request, services, done.userId, done.space)));
        const detail = { provider: oidc.name };
        if (done.isNew) trail.note(request, { action: 'account.created', target: done.userId, detail });
        trail.note(request, { action: 'session.started', detail });
      }
      passCookies(request, reply, cookies);
      return reply.redirect(base + done.to);
    },
  });
}

function requireOidc({ oidc }: Services): Oidc {
  if (oidc === undefined) throw notFound('There is no identity provider to sign in with (OIDC_ISSUER).');
  return oidc;
}

async function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  oidc: Oidc,
  { to = '/', ...target }: { to: string | undefined; userId?: string },
): Promise<{ url: string }> {
  const redirectUri = ownBase(request, services) + CALLBACK;
  try {
    const space = request.hostSpace;
    const { url, sealed } = await oidc.begin({ ...target, to: dashboardPage(to) ?? '/', redirectUri, space });
    passCookies(request, reply, [cookieOf(sealed, SIGN_IN_MS / 1000, services)]);
    return { url };
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error;
    const message = `${oidc.name} cannot be reached at the moment. Retry in ${RETRY_SECONDS} s.`;
    throw unavailable(message, 'identity_provider_unavailable', RETRY_SECONDS);
  }
}

/** The base URL by which the browser knows the service: it returns to the host that has its cookie. */
function ownBase(request: FastifyRequest, services: Services): string {
  const { publicUrl } = services.config.http;
  const origin = ownOrigin(request, services);
  const isPublic = publicUrl !== undefined && new URL(publicUrl).origin === new URL(origin).origin;
  return isPublic ? publicUrl : origin;
}

function callbackOf(request: FastifyRequest, services: Services): Pick<Callback, 'search' | 'sealed' | 'currentUser'> {
  const { url = '', headers } = request.raw;
  const at = url.indexOf('?');
  return {
    search: at < 0 ? '' : url.slice(at),
    sealed: presentedCookie(headers, OIDC_COOKIE),
    async currentUser() {
      const user = await findHolder(request, services);
      if (user === undefined || user.space !== INSTALLATION) return undefined;
      noteActor(request, { type: 'user', id: user.userId, name: user.name });
      return user.userId;
    },
  };
}

/** The identity provider has set the role, not the person who signs in. */
function claimedEvent({ name }: Oidc) {
  const actor = { type: 'system', id: null, name } as const;
  return ({ userId, space, before, after }: ClaimedChange): AuditEvent => {
    const changed = after === undefined ? 'member.removed' : 'member.changed';
    return {
      action: before === undefined ? 'member.joined' : changed,
      target: userId,
      detail: { role: after, provider: name },
      space,
      actor,
    };
  };
}

function failed({ name }: Oidc, { reason }: OidcFailure): AuditEvent {
  return { action: 'session.failed', detail: { provider: name, reason } };
}

function restrictedSession() {
  const message =
    'Expected a session that began at the host of the installation, received one of a space. Sign in there first.';
  return forbidden(message, 'installation_only');
}

/** The cookie of a sign-in in progress. `Lax` lets the identity provider's redirect carry it. */
function cookieOf(value: string, seconds: number, { config }: Services): string {
  const secure = config.http.publicUrl?.startsWith('https:') ? '; Secure' : '';
  return `${OIDC_COOKIE}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

function withError(path: string, { reason }: OidcFailure): string {
  const url = new URL(path, 'http://dashboard');
  url.searchParams.set('error', reason);
  return url.pathname + url.search + url.hash;
}

/** The path as browsers read it, without `..`; undefined for one that is not below the dashboard. */
function dashboardPage(path: string): string | undefined {
  // Parsers of URLs drop control characters, and take a backslash for a slash.
  if (!/^\/(?!\/)[^\\\p{Cc}\p{Z}]*$/u.test(path)) return undefined;
  const url = URL.parse(`http://host${DASHBOARD}${path}`);
  const isInside = url?.origin === 'http://host' && url.pathname.startsWith(`${DASHBOARD}/`);
  return isInside ? (url.pathname + url.search + url.hash).slice(DASHBOARD.length) : undefined;
}
