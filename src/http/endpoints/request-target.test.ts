import { expect, test } from 'vitest';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { createRequestTargets } from './request-target.ts';

const declare = (route: Parameters<typeof defineEndpoint>[0]): Endpoint =>
  defineEndpoint(route, { access: 'public', openapi: 'hidden', handle: () => undefined });
const { familyOf, withoutPrefix, methods } = createRequestTargets([
  declare('GET /t/*'),
  declare('GET /health'),
  declare('POST /upload'),
  declare('PATCH /assets/*'),
  declare('DELETE /assets/*'),
  declare('GET /jobs/:id'),
  declare('GET /api/version'),
  declare('GET /*'),
]);

test('the families are the first names of declared paths, and no more', () => {
  expect(['/t/a', '/api/t/a', '/health?x', '/jobs/7', '/api/version', 'http://a/upload'].map(familyOf)).toEqual([
    't',
    't',
    'health',
    'jobs',
    'api',
    'upload',
  ]);
  expect(['/', '/nothing', '/api/nothing', '/:id', '/*', '/constructor'].map(familyOf)).toEqual(Array(6).fill('other'));
});

test('removes the prefix, but for endpoints that are declared with it', () => {
  expect(
    ['/api/t/a', '/api/version', '/api/version?x', '/api/versions', '/api/', '/apis/t', '/t/api/a'].map(withoutPrefix),
  ).toEqual(['/t/a', '/api/version', '/api/version?x', '/versions', '/', '/apis/t', '/t/api/a']);
});

test('the methods are those that are declared', () => {
  expect(methods).toEqual(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);
});
