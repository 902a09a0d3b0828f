import packageFile from '../../../package.json' with { type: 'json' };
import { readAccept } from '../../transformation/negotiate.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { dashboardPath } from './dashboard.ts';

const WELCOME = {
  service: 'darkroom',
  version: packageFile.version,
  documentation: '/api/docs',
  openapi: '/api/openapi.json',
};

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
        return reply.redirect(dashboardPath(config.http.publicUrl));
      },
    }),
  ];
}

/** True if the client explicitly accepts HTML. Others get JSON. */
function wantsHtml(accept = ''): boolean {
  return (readAccept(accept).get('text/html') ?? 0) > 0;
}
