import { clientOf } from '../admission/client-address.ts';
import type { RouteContext } from '../endpoints/context.ts';
import { defineEndpoint, type Endpoint } from '../endpoints/endpoint.ts';
import { EventStreams } from '../transport/sse.ts';

/** `GET /queue/events`: what happens to jobs, as it happens. */
export function eventRoutes({ services: { events, config } }: RouteContext): readonly Endpoint[] {
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
        const begin = await streams.open(request.raw, reply.raw, clientOf(request));
        begin(reply.getHeaders());
        return reply.hijack();
      },
      close: () => streams.close(),
    }),
  ];
}
