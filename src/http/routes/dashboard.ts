import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import packageFile from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config.ts';
import { HttpProblem, notFound } from '../../errors.ts';
import { readAccept } from '../../transformation/negotiate.ts';
import { defineEndpoint, type Endpoint, type RouteContext, type Routes } from '../endpoints/endpoint.ts';
import { html, sendPage, wantsHtml } from '../transport/html.ts';
import { DashboardFiles } from './dashboard-files.ts';

/** Output folder of the build of `web/`. */
const BUILT = join(import.meta.dirname, '../../../web/dist');

/** Files with a hash of their content in the name. */
const HASHED = 'assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Retry interval during a build, which takes some seconds. */
const RETRY_SECONDS = 2;

const WELCOME = {
  service: 'darkroom',
  version: packageFile.version,
  documentation: '/api/docs',
  openapi: '/api/openapi.json',
};

/** `/dashboard`, except with `MODE=api`. */
export const dashboardRoutes = createDashboardRoutes(BUILT);

/** @param folder output of the build */
export function createDashboardRoutes(folder: string): Routes {
  // Spaces share them.
  const files = new DashboardFiles(folder);
  return ({ services: { config } }: RouteContext) => {
    if (config.mode !== 'full') return [];
    const base = dashboardIn(config.http);
    const show = async (request: FastifyRequest, reply: FastifyReply) => {
      const built = await files.read();
      const name = (request.params as { '*'?: string })['*'] ?? '';
      const file = built?.files.get(name);
      if (file !== undefined) {
        const coding = chooseCoding(request.headers['accept-encoding'], file);
        if (coding !== undefined) reply.header('Content-Encoding', coding);
        reply.header('Vary', 'Accept-Encoding');
        reply.header('Cache-Control', name.startsWith(HASHED) ? IMMUTABLE : 'no-cache');
        return reply.type(file.type).send(file[coding ?? 'bytes']);
      }
      if (built === undefined) return sendWaitingPage(reply);
      // A page instead of a missing script would be run as one.
      if (name.startsWith(HASHED)) throw notFound(`The dashboard has no file ${name}.`, 'file_not_found');
      return sendDashboard(reply, built.page, base);
    };
    // A page of a space has one address; its files are those of the library's dashboard.
    const redirect = (request: FastifyRequest, reply: FastifyReply) =>
      reply.redirect(base + request.url.slice('/dashboard'.length));
    const handle = config.http.pathBase === '' ? show : redirect;
    return ['/dashboard', '/dashboard/*'].map((path) =>
      defineEndpoint(`GET ${path as '/dashboard'}`, { access: 'public', openapi: 'hidden', handle }),
    );
  };
}

/** `GET /`: name, version and links; browsers go to the dashboard. Not with `MODE=api`. */
export function rootRoutes({ services: { config } }: RouteContext): readonly Endpoint[] {
  if (config.mode !== 'full') return [];
  return [
    defineEndpoint('GET /', {
      access: 'public',
      noStore: true,
      openapi: 'hidden',
      handle(request, reply) {
        reply.header('Vary', 'Accept');
        if (!wantsHtml(request.headers.accept)) return WELCOME;
        return reply.redirect(dashboardIn(config.http));
      },
    }),
  ];
}

/** Path of the dashboard for browsers, in the library or a space. */
function dashboardIn(http: Config['http']): string {
  return dashboardAtHost(http) + http.pathBase;
}

/** Path of the dashboard at the host of the request. At that of a space no proxy has removed a prefix. */
export function dashboardAtHost({ publicUrl, linkBase, pathBase }: Config['http']): string {
  return dashboardPath(pathBase === '' ? linkBase || undefined : publicUrl);
}

/** Path of the dashboard for browsers: a proxy may have removed a prefix. */
function dashboardPath(publicUrl: string | undefined): string {
  const prefix = publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
  return prefix === '/' ? '/dashboard' : `${prefix}/dashboard`;
}

/** Content security policy: scripts of this origin only, no inline ones. */
function sendDashboard(reply: FastifyReply, page: string, base: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  reply.headers({
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    // A form sent by a page without a referrer has no origin, and would be refused.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  const head = html`<head><base href="${base}/"><meta property="csp-nonce" nonce="${nonce}">`;
  return reply.type('text/html; charset=utf-8').send(page.replace('<head>', () => head.text));
}

function sendWaitingPage(reply: FastifyReply): FastifyReply {
  const problem = new HttpProblem('not_ready', 'The dashboard is being built.');
  reply.code(problem.status).headers({
    'Retry-After': RETRY_SECONDS,
    Refresh: RETRY_SECONDS,
    'Cache-Control': 'no-store',
  });
  return sendPage(reply, {
    title: 'Darkroom',
    style: '',
    body: html`<h1>Darkroom</h1>
<p>The dashboard is being built, which takes some seconds. This page reloads by itself.</p>
<p>If it stays like this, the build has failed: the output of <code>npm start</code> says why. Everything else works without it.</p>`,
  });
}

/** Smallest content coding that the client accepts. */
function chooseCoding(accepted: string | undefined, file: { br?: Buffer; gzip?: Buffer }): 'br' | 'gzip' | undefined {
  const weights = readAccept(accepted ?? '');
  return (['br', 'gzip'] as const).find((coding) => file[coding] !== undefined && (weights.get(coding) ?? 0) > 0);
}
