import { TRUSTED } from '../../client.ts';
import { clientOf } from '../admission/client-address.ts';
import { payerOf } from '../admission/delivery-mode.ts';
import type { RouteContext } from '../endpoints/context.ts';
import { defineEndpoint, type Endpoint } from '../endpoints/endpoint.ts';
import { EventStreams } from '../transport/sse.ts';

/** `GET /queue/events`: what happens to jobs, as it happens. */
export function eventRoutes({ services }: RouteContext): readonly Endpoint[] {
  const { events, config } = services;
  const streams = new EventStreams({ events, ...config.events });
  return [
    defineEndpoint('GET /queue/events', {
      // A HEAD request would wait for a stream that never ends.
      head: false,
      access: 'public',
      tellsOfFiles: true,
      limit: 'public',
      openapi: {
        ...{ id: 'streamJobEvents', tag: 'Queue', summary: 'What happens to jobs, as server-sent events.' },
        ...{ media: ['text/event-stream'], errors: [400, 401, 403, 503] },
      },
      async handle(request, reply) {
        // In signed mode a key or a session has been required, and is not to be counted again.
        const isAnonymous = config.http.deliveryMode !== 'signed' && (await payerOf(request, services)) !== TRUSTED;
        const begin = await streams.open(request.raw, reply.raw, { network: clientOf(request), isAnonymous });
        begin(reply.getHeaders());
        return reply.hijack();
      },
      close: () => streams.close(),
    }),
  ];
}
