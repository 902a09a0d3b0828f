import type { FastifyInstance } from 'fastify';
import packageFile from '../../../package.json' with { type: 'json' };
import type { Services } from '../../services.ts';
import { readAccept } from '../../transformation/negotiate.ts';
import { sendPage } from '../pages/layout.ts';
import { welcomePage } from '../pages/welcome.ts';

const WELCOME = {
  service: 'darkroom',
  version: packageFile.version,
  documentation: '/api/docs',
  openapi: '/api/openapi.json',
};

/** `GET /`: what runs here and where to go on, for browsers as a page. `MODE=api` has nothing to look at. */
export function rootRoutes(app: FastifyInstance, { config }: Services): void {
  if (config.mode !== 'full') return;
  app.get('/', async (request, reply) => {
    reply.headers({ Vary: 'Accept', 'Cache-Control': 'no-store' });
    if (!wantsHtml(request.headers.accept)) return WELCOME;
    return sendPage(reply, welcomePage(config.http.publicUrl ?? `${request.protocol}://${request.host}`));
  });
}

/** Browsers name HTML; whoever takes anything gets JSON, as everywhere. */
function wantsHtml(accept = ''): boolean {
  return (readAccept(accept).get('text/html') ?? 0) > 0;
}
