import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import type { RouteTable } from '../../src/http/openapi/document.ts';
import { OPERATIONS } from '../../src/http/openapi/operations.ts';
import { Contract } from '../contract.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let document: Record<string, unknown>;
beforeAll(async () => {
  service = await startService();
  document = (await ask(service.url, '/api/openapi.json')).json();
});
afterAll(() => service.close());

/** The ones that say what the others are, and paths without a file, which are refused. */
const UNDOCUMENTED = [
  'GET /api/openapi.json',
  'GET /api/docs',
  'GET /download',
  'GET /download-folder',
  'DELETE /invalidate',
];

test('every route is in the document, and nothing else', async () => {
  const app = createApp(service.services);
  await app.ready();
  const { routeTable } = app as unknown as { routeTable: RouteTable };
  // A folder may have the name of an endpoint: these are /storage/{path} as well.
  const isShadow = (route: string) => /^(PATCH|DELETE) \/storage\/[a-z]/.test(route);
  const printed = [...routeTable.keys()].filter((route) => !route.startsWith('HEAD ') && !isShadow(route));
  await app.close();
  const documented = OPERATIONS.map(({ route }) => route);
  expect(printed.filter((route) => !documented.includes(route)).toSorted()).toEqual(UNDOCUMENTED.toSorted());
  expect(documented.filter((route) => !printed.includes(route))).toEqual([]);
});

describe('the document', () => {
  test('is OpenAPI 3.1 with the operations of the specification', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Darkroom' } });
    expect(Object.keys(document.paths as object)).toEqual(
      expect.arrayContaining(['/t/{transformations}/{path}', '/storage/{path}/metadata', '/queue/jobs/{jobId}/retry']),
    );
  });

  test('gives every path parameter, and a name of its own to every operation', () => {
    const { operations } = new Contract(document);
    expect(operations.length).toBe(OPERATIONS.length);
    for (const { path, parameters } of operations) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      expect(named, path).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
    const ids = operations.map((operation) => (operation as unknown as { operationId: string }).operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has the schemas that validate', () => {
    const created = new Contract(document).operations.find(({ path }) => path === '/api-keys/create');
    expect(created?.requestBody?.content['application/json']?.schema).toMatchObject({
      anyOf: [{ properties: { expiresIn: { minimum: 1, maximum: 315_360_000 } } }, { type: 'null' }],
    });
  });
});

test('the page for people needs nothing from elsewhere and is not framed', async () => {
  const { status, headers, body } = await ask(service.url, '/api/docs');
  expect([status, headers['content-type'], headers['x-frame-options']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'DENY',
  ]);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  const html = body.toString();
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const { path } of OPERATIONS) expect(html).toContain(path);
});
