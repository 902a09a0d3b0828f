import { describe, expect, test } from 'vitest';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { createLookup } from './lookup.ts';

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
const { classify, familyOf, withoutPrefix, methods } = createLookup(ENDPOINTS);

const told = (method: string, url: string) => {
  const { isCounted, isOpen } = classify(method, url);
  return [isCounted ? 'counts' : 'free', isOpen ? 'any origin' : 'own origins'].join(', ');
};

describe('the class of a request is what its endpoint declares', () => {
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
  ])('%s: %s', (request, expected) => {
    const [method = '', url = ''] = request.split(' ');
    expect(told(method, url)).toBe(expected);
  });

  test('of the most specific one, whichever is declared first', () => {
    expect(told('GET', '/assets/secret')).toBe('free, own origins');
    expect(told('DELETE', '/assets/secret')).toBe('free, own origins');
    expect(told('GET', '/jobs/stats')).toBe('free, own origins');
  });

  test('with another method, of the public endpoint of the path, if it has one', () => {
    expect(told('DELETE', '/t/a.jpg')).toBe('counts, any origin');
    expect(told('POST', '/health')).toBe('counts, any origin');
    expect(told('GET', '/upload')).toBe('free, own origins');
    expect(told('OPTIONS', '/assets/a')).toBe('counts, any origin');
  });

  test.each([
    '/api/health',
    '/%68ealth',
    '/api/%68ealth',
    'http://elsewhere.example/health',
    '/health#x',
    '/api/t/a',
    '/t',
  ])('also as %s', (url) => expect(told('GET', url)).toBe('counts, any origin'));

  test.each([
    '/nothing',
    '/',
    '',
    '/healthy',
    '/health/',
    '/tea',
    '/jobs/',
    '/jobs/7/8',
    '/api/version',
    '/%zz',
    '/api',
  ])("and %s is nobody's", (url) => expect(told('GET', url)).toBe('free, own origins'));
});

test('an endpoint that takes every other path decides about its own method alone', () => {
  const page = createLookup([...ENDPOINTS, declare('GET /*', 'public', COUNTED)]);
  expect(page.classify('GET', '/nothing')).toEqual({ isCounted: true, isOpen: true });
  expect(page.classify('POST', '/nothing')).toEqual({ isCounted: false, isOpen: false });
  expect(page.classify('GET', '/livez')).toEqual({ isCounted: false, isOpen: false });
  expect(page.familyOf('/nothing')).toBe('other');
});

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

test('the prefix goes, but for endpoints that are declared with it', () => {
  expect(
    ['/api/t/a', '/api/version', '/api/version?x', '/api/versions', '/api/', '/apis/t', '/t/api/a'].map(withoutPrefix),
  ).toEqual(['/t/a', '/api/version', '/api/version?x', '/versions', '/', '/apis/t', '/t/api/a']);
});

test('the methods are those that are declared', () => {
  expect(methods).toEqual(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);
});
