import type { FastifyInstance } from 'fastify';

/**
 * Disables body parsing for routes that read any type of body themselves: a reader of forms knows best what is wrong
 * with one.
 */
export function withRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
