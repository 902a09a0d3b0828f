import type { FastifyInstance } from 'fastify';
import type { Services } from '../../services.ts';
import { clientOf } from '../admission/client-address.ts';
import { EventStreams } from '../transport/sse.ts';

/** `GET /queue/events`: what happens to jobs, as it happens. */
export function eventRoutes(app: FastifyInstance, { events, config }: Services): void {
  const streams = new EventStreams({ events, ...config.events });
  // Before the server waits for its connections to end: these never do by themselves.
  app.addHook('preClose', async () => streams.close());
  // A HEAD request would wait for a stream that never ends.
  app.get('/queue/events', { exposeHeadRoute: false }, (request, reply) => {
    streams.open(request.raw, reply.raw, clientOf(request), reply.getHeaders());
    return reply.hijack();
  });
}
