import { z } from 'zod';
import { badRequest } from '../../errors.ts';
import { parsePath, quote, ROOT, type StoragePath } from '../../path.ts';
import { clientOf } from '../admission/client-address.ts';
import { hasPermission } from '../admission/guards.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { EventStreams } from '../transport/sse.ts';

const MAX_PATHS = 50;

const query = z.object({
  path: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(
      `Path of a file that events name to a listener without the permission "read". May be repeated, up to ${MAX_PATHS} times.`,
    ),
});

const description = `Without a key that has the permission "read" or a session, \`filePath\` is the id of the job in the events of all files but those that the query names by \`path\`, and \`error\` is the same for all failures.`;

/** `GET /queue/events`: server-sent events of jobs. */
export function eventRoutes({ services, listenerSlots: slots }: RouteContext): readonly Endpoint[] {
  const { events, config, deliveryRules } = services;
  const { areNamed, heartbeatMs } = config.events;
  const streams = new EventStreams({ events, slots, heartbeatMs });
  const isPublic = (path: StoragePath) => !deliveryRules.refusalOf(path, 'variant', undefined);
  // The guard has checked `read`. Another check would count twice against a quota.
  const isGuarded = config.http.deliveryMode === 'signed';
  return [
    defineEndpoint('GET /queue/events', {
      // A HEAD request would wait for a stream that never ends.
      head: false,
      access: 'public',
      revealsFileNames: true,
      limit: 'public',
      openapi: {
        id: 'streamJobEvents',
        tag: 'Queue',
        summary: 'Streams events of jobs (server-sent events).',
        description,
        media: ['text/event-stream'],
        errors: [401, 403, 503],
      },
      schemas: { query },
      async handle(request, reply) {
        const requested = readPaths(request.query.path);
        const isReader = isGuarded || (await hasPermission(request, reply, services, 'read'));
        const listener = {
          network: clientOf(request),
          isAnonymous: !isReader,
          mayKnow: (path: StoragePath) => isReader || ((areNamed || requested.has(path)) && isPublic(path)),
        };
        const begin = await streams.open(request.raw, reply.raw, listener);
        begin(reply.getHeaders());
        return reply.hijack();
      },
      close: () => streams.close(),
    }),
  ];
}

/** @throws HttpProblem 400 for a text that is not the path of a file, and for too many */
function readPaths(received: string | readonly string[] = []): ReadonlySet<StoragePath> {
  const texts = [received].flat();
  if (texts.length > MAX_PATHS) {
    throw badRequest(`Expected "path" at most ${MAX_PATHS} times, received ${texts.length}.`, 'too_many_items');
  }
  return new Set(texts.map(readPath));
}

function readPath(text: string): StoragePath {
  const path = parsePath(text);
  if (path === ROOT)
    throw badRequest(`Expected the path of a file as "path", received ${quote(text)}.`, 'invalid_path');
  return path;
}
