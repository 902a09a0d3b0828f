import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { validateByZod } from './validation.ts';

/**
 * Routes whose schemas are zod's: what comes in is checked by them, what goes out is described by them. An empty JSON body is
 * none, because clients name the type of a body that they do not send.
 */
export function withSchemas(scope: FastifyInstance) {
  scope.setValidatorCompiler(validateByZod);
  scope.setSerializerCompiler(() => JSON.stringify);
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parseJson(request, body, done);
  });
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
