import type { FastifyInstance } from 'fastify';

/** Routes that read the body themselves, as it comes and whatever its type: a reader of forms knows best what is wrong with one. */
export function withRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
