import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Services } from '../../library-services.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { registerEndpoints } from './register.ts';
import { createRequestTargets } from './request-target.ts';

const declare = (
  route: Parameters<typeof defineEndpoint>[0],
  access: Endpoint['access'],
  more: Partial<Endpoint> = {},
): Endpoint => defineEndpoint(route, { access, openapi: 'hidden', handle: () => undefined, ...more });
const COUNTED = { limit: 'public' } as const;

const ENDPOINTS = [
  declare('GET /t/*', 'public', COUNTED),
  declare('GET /authenticated/*', 'signed'),
  declare('GET /health', 'public', COUNTED),
  declare('GET /health/database', 'admin', COUNTED),
  declare('GET /livez', 'public'),
  declare('POST /upload', 'presigned', COUNTED),
  declare('GET /assets/*', 'public', COUNTED),
  declare('PATCH /assets/*', 'manage'),
  declare('GET /assets/secret', 'admin'),
  declare('DELETE /assets/*', 'manage', { coversEndpoints: true }),
  declare('GET /jobs/:id', 'public', COUNTED),
  declare('GET /jobs/stats', 'read'),
  declare('GET /api/version', 'public'),
];

const app = fastify({ rewriteUrl: ({ url = '/' }) => createRequestTargets(ENDPOINTS).withoutPrefix(url) });
beforeAll(async () => {
  app.addHook('onRequest', async (request, reply) => {
    const { isCounted, isOpen } = request.routeOptions.config;
    return reply
      .header('traits', [isCounted ? 'counts' : 'free', isOpen ? 'any origin' : 'own origins'].join(', '))
      .send();
  });
  registerEndpoints(app, ENDPOINTS, {} as Services);
  await app.ready();
});
afterAll(() => app.close());

async function traitsOf(method: string, url: string): Promise<unknown> {
  const { headers } = await app.inject({ method: method as 'GET', url });
  return headers.traits;
}

describe('the traits of a route are those that its endpoint declares', () => {
  test.each([
    ['GET /t/w_4/a.jpg', 'counts, any origin'],
    ['GET /authenticated/s--0/a.jpg', 'free, any origin'],
    ['GET /health', 'counts, any origin'],
    ['GET /health?x=1', 'counts, any origin'],
    ['GET /livez', 'free, own origins'],
    ['POST /upload', 'counts, own origins'],
    ['GET /health/database', 'counts, own origins'],
    ['HEAD /health/database', 'counts, own origins'],
    ['GET /assets/a', 'counts, any origin'],
    ['HEAD /assets/a', 'counts, any origin'],
    ['PATCH /assets/a', 'free, own origins'],
    ['GET /jobs/7', 'counts, any origin'],
  ])('%s: %s', async (request, expected) => {
    const [method = '', url = ''] = request.split(' ');
    expect(await traitsOf(method, url)).toBe(expected);
  });

  test('of the most specific one, whichever is declared first', async () => {
    expect(await traitsOf('GET', '/assets/secret')).toBe('free, own origins');
    expect(await traitsOf('DELETE', '/assets/secret')).toBe('free, own origins');
    expect(await traitsOf('GET', '/jobs/stats')).toBe('free, own origins');
  });

  test('with another method, of the public endpoint of the path, if it has one', async () => {
    expect(await traitsOf('DELETE', '/t/a.jpg')).toBe('counts, any origin');
    expect(await traitsOf('POST', '/health')).toBe('counts, any origin');
    expect(await traitsOf('GET', '/upload')).toBe('free, own origins');
    expect(await traitsOf('OPTIONS', '/assets/a')).toBe('counts, any origin');
  });

  test.each(['/api/health', '/%68ealth', '/api/%68ealth', '/api/t/a'])('also as %s', async (url) =>
    expect(await traitsOf('GET', url)).toBe('counts, any origin'),
  );

  test.each(['/nothing', '/', '/healthy', '/health/', '/tea', '/jobs/7/8', '/api/version', '/api'])(
    'and %s has none',
    async (url) => expect(await traitsOf('GET', url)).toBe('free, own origins'),
  );
});
