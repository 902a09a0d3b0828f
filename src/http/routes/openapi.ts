import type { FastifyInstance } from 'fastify';
import { createDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page.ts';
import type { RouteTable } from '../openapi/route-table.ts';
import { sendPage } from '../pages/layout.ts';

/** `GET /api/openapi.json` and `GET /api/docs`: the contract for programs and for people. */
export function openapiRoutes(app: FastifyInstance, routes: RouteTable): void {
  // All routes are known once the service listens; they do not change then. Writing them down takes too long for each request.
  let document: ReturnType<typeof createDocument> | undefined;
  let text: Buffer | undefined;
  let page: ReturnType<typeof referencePage> | undefined;
  const readDocument = () => {
    document ??= createDocument(routes);
    return document;
  };
  const readText = () => {
    text ??= Buffer.from(JSON.stringify(readDocument()));
    return text;
  };
  const readPage = () => {
    page ??= referencePage(readDocument());
    return page;
  };
  app.get('/api/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(readText()),
  );
  app.get('/api/docs', async (_request, reply) => sendPage(reply, readPage()));
}
