import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { sendPage } from '../transport/html.ts';

/** `GET /api/openapi.json` and `GET /api/docs`: the API reference. */
export function openapiRoutes({ reference }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /api/openapi.json', {
      access: 'public',
      openapi: 'hidden',
      handle: (_request, reply) => reply.type('application/json; charset=utf-8').send(reference.text()),
    }),
    defineEndpoint('GET /api/docs', {
      access: 'public',
      openapi: 'hidden',
      handle: (_request, reply) => sendPage(reply, reference.page()),
    }),
  ];
}
