import { fastify } from 'fastify';
import { afterAll, expect, test, vi } from 'vitest';
import type { Services } from '../../library-services.ts';
import { createSpaceRegistry } from '../../spaces/registry.ts';
import type { RequestSpace } from '../../spaces/rules.ts';
import type { Space } from '../../spaces/space.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { registerEndpoints } from './register.ts';
import type { RouteTable } from './route-table.ts';
import { createSpaceTables } from './space-tables.ts';

const declare = (route: 'GET /a' | 'GET /b' | 'GET /c', answer: string): Endpoint =>
  defineEndpoint(route, { access: 'public', openapi: 'hidden', handle: () => answer });

const LIBRARY = [declare('GET /a', 'library'), declare('GET /b', 'library')];
const within = { space: { id: 'acme' } as Space, entrance: 'prefix' } as RequestSpace;

const tablesOf = (endpoints: readonly Endpoint[]) =>
  createSpaceTables({
    registry: createSpaceRegistry(),
    library: LIBRARY,
    open: () => ({}) as Services,
    createEndpoints: () => endpoints,
  });

test('a space has all endpoints of the library, at the same positions', () => {
  const own = [declare('GET /a', 'space'), declare('GET /b', 'space')];
  expect(tablesOf(own).of(within).endpoints).toBe(own);
});

test.each([
  ['fewer', [declare('GET /a', 'space')], 'Expected 2 endpoints in a space, received 1.'],
  ['more', [...LIBRARY, declare('GET /c', 'space')], 'Expected 2 endpoints in a space, received 3.'],
  [
    'others',
    [declare('GET /a', 'space'), declare('GET /c', 'space')],
    'Expected GET /b at position 1 in a space, received GET /c.',
  ],
  ['another order', LIBRARY.toReversed(), 'Expected GET /a at position 0 in a space, received GET /b.'],
])('a space with %s does not open, and leaves nothing open', (_, own, message) => {
  const close = vi.fn();
  const tables = tablesOf(own.map((endpoint) => ({ ...endpoint, close })));
  for (let n = 1; n < 3; n++) {
    expect(() => tables.of(within)).toThrow(message);
    expect(close).toHaveBeenCalledTimes(n * own.length);
  }
});

const app = fastify();
afterAll(() => app.close());

test('the library never answers in the place of a space', async () => {
  const handle = vi.fn(() => 'library');
  const library = LIBRARY.map((endpoint) => ({ ...endpoint, handle }));
  const table: RouteTable = { endpoints: [declare('GET /a', 'space')], guards: [undefined] };
  const isInSpace = (url: string) => url.includes('space');
  registerEndpoints(app, library, {} as Services, { tableOf: ({ url }) => (isInSpace(url) ? table : undefined) });
  expect((await app.inject('/a?space')).body).toBe('space');
  expect((await app.inject('/b?space')).statusCode).toBe(500);
  expect(handle).not.toHaveBeenCalled();
  expect((await app.inject('/b')).body).toBe('library');
});
