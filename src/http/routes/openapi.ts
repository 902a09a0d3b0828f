import type { FastifyInstance } from 'fastify';
import { createDocument, type RouteTable } from '../openapi/document.ts';
import { renderPage } from '../openapi/page.ts';
import { PAGES } from '../security-headers.ts';

/** `GET /api/openapi.json` and `GET /api/docs`: the contract for programs and for people. */
export function openapiRoutes(app: FastifyInstance, routes: RouteTable): void {
  // All routes are known once the service listens; they do not change then.
  let document: ReturnType<typeof createDocument> | undefined;
  const read = () => {
    document ??= createDocument(routes);
    return document;
  };
  app.get('/api/openapi.json', async () => read());
  app.get('/api/docs', async (_request, reply) =>
    reply.headers(PAGES).type('text/html; charset=utf-8').send(renderPage(read())),
  );
}
