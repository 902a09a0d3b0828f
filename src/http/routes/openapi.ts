import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../errors.ts';
import { quote } from '../../path.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { createGuide } from '../openapi/guide.ts';
import { sendPage } from '../transport/html.ts';

/** The library and all spaces share its pages. */
const guide = createGuide();

/** `GET /api/openapi.json`, `GET /api/docs` and `GET /api/docs/guide`: the API reference, and the documentation. */
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
    ...['/api/docs/guide', '/api/docs/guide/*'].map((path) =>
      defineEndpoint(`GET ${path as '/api'}`, { access: 'public', openapi: 'hidden', handle: showGuide }),
    ),
  ];
}

async function showGuide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { '*': name = '' } = request.params as { '*'?: string };
  const page = await guide.read(name);
  if (page === undefined) throw notFound(`The documentation has no page ${quote(name)}. All are at /api/docs/guide.`);
  return sendPage(reply, page);
}
