import type { FastifyReply } from 'fastify';
import { notFound } from '../../errors.ts';
import { quote } from '../../path.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { createGuide } from '../openapi/guide.ts';
import { sendPage } from '../transport/html.ts';

/** The library and all spaces share its pages. */
const guide = createGuide();

/**
 * `GET /api/openapi.json` and `GET /api/docs`: the API reference, whose forms `GET /api/docs/try` fills in.
 * `GET /api/docs/guide`: the documentation.
 */
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
    defineEndpoint('GET /api/docs/try', {
      access: 'public',
      openapi: 'hidden',
      noStore: true,
      handle(request, reply) {
        const { operation, ...values } = request.query as Record<string, unknown>;
        // Relative to this path: it never leads to another origin, and stays below the prefix of a proxy or a space.
        return reply.redirect(`../..${reference.pathOf(operation, values)}`, 303);
      },
    }),
    defineEndpoint('GET /api/docs/guide', {
      access: 'public',
      openapi: 'hidden',
      handle: (_request, reply) => showGuide('', reply),
    }),
    defineEndpoint('GET /api/docs/guide/*', {
      access: 'public',
      openapi: 'hidden',
      handle({ params }, reply) {
        const { '*': name } = params as { '*': string };
        // The links of the list are relative to its address without a slash, also behind a proxy with a prefix.
        return name === '' ? reply.redirect('../guide') : showGuide(name, reply);
      },
    }),
  ];
}

async function showGuide(name: string, reply: FastifyReply): Promise<FastifyReply> {
  const page = await guide.read(name);
  if (page === undefined) throw notFound(`The documentation has no page ${quote(name)}. All are at /api/docs/guide.`);
  return sendPage(reply, page);
}
