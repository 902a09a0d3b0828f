import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { createDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page.ts';
import { sendPage } from '../transport/html.ts';

/** `GET /api/openapi.json` and `GET /api/docs`: the API reference. */
export function openapiRoutes({ endpoints }: RouteContext): readonly Endpoint[] {
  // Endpoints are static, and describing them takes too long for each request.
  const readDocument = once(() => createDocument(endpoints()));
  const readText = once(() => Buffer.from(JSON.stringify(readDocument())));
  const readPage = once(() => referencePage(readDocument()));
  return [
    defineEndpoint('GET /api/openapi.json', {
      access: 'public',
      openapi: 'hidden',
      handle: (_request, reply) => reply.type('application/json; charset=utf-8').send(readText()),
    }),
    defineEndpoint('GET /api/docs', {
      access: 'public',
      openapi: 'hidden',
      handle: (_request, reply) => sendPage(reply, readPage()),
    }),
  ];
}

/** Computes a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
