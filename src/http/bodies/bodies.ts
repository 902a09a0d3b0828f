import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { validateByZod } from './validation.ts';

/** Routes whose schemas are zod's: what comes in is checked by them, what goes out is described by them. */
export function withSchemas(scope: FastifyInstance) {
  scope.setValidatorCompiler(validateByZod);
  scope.setSerializerCompiler(() => JSON.stringify);
  return scope.withTypeProvider<ZodTypeProvider>();
}

/**
 * Routes that read the body themselves, as it comes and whatever its type: a form reader knows best what is wrong with it. Their
 * schemas only describe.
 */
export function withRawBodies(scope: FastifyInstance): FastifyInstance {
  scope.setValidatorCompiler(() => (value) => ({ value }));
  scope.setSerializerCompiler(() => JSON.stringify);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  return scope;
}
