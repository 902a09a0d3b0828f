import { expect, test } from 'vitest';
import { curlOf, type Exemplified, openablePath } from './examples.ts';

const operation = (more: Partial<Exemplified['operation']> = {}): Exemplified['operation'] => ({
  parameters: [],
  responses: { 200: { content: { 'application/json': {} } } },
  ...more,
});
const KEY = [{ bearer: [] }, { header: [] }, { session: [] }];
const path = { name: 'path', in: 'path', required: true, schema: { type: 'string' }, example: 'trips/rome/a.jpg' };

test('a public GET needs an address only', () => {
  expect(curlOf({ method: 'get', path: '/limits', operation: operation() }, {})).toBe('curl "$DARKROOM/limits"');
});

test('a change has a method, a key, and the required fields of its body', () => {
  const body = {
    type: 'object',
    required: ['name', 'kind', 'list', 'inner'],
    properties: {
      name: { type: 'string' },
      kind: { enum: ['file', 'folder'] },
      list: { type: 'array', items: { type: 'integer', minimum: 3 } },
      inner: { $ref: '#/components/schemas/Inner' },
      optional: { type: 'string' },
    },
  };
  const schemas = { Inner: { type: 'object', required: ['it'], properties: { it: { const: "it's" } } } };
  const described = operation({
    parameters: [path],
    security: KEY,
    requestBody: { content: { 'application/json': { schema: body } } },
  });
  expect(curlOf({ method: 'patch', path: '/storage/{path}', operation: described }, schemas)).toBe(
    `curl -X PATCH -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{"name":"Ada","kind":"file","list":[3],"inner":{"it":"it'\\''s"}}' "$DARKROOM/storage/trips/rome/a.jpg"`,
  );
});

test('forms and files are sent from a file, and files are stored in one', () => {
  const form = operation({ requestBody: { content: { 'multipart/form-data': { schema: {} } } } });
  expect(curlOf({ method: 'post', path: '/upload', operation: form }, {})).toContain('-F files=@photo.jpg');
  const file = operation({ responses: { 200: { content: { 'application/zip': {} } } } });
  expect(curlOf({ method: 'get', path: '/download-folder/a', operation: file }, {})).toContain(' -O ');
});

test('a session is a cookie, with the origin that changes need', () => {
  const described = operation({ security: [{ session: [] }] });
  expect(curlOf({ method: 'post', path: '/a', operation: described }, {})).toBe(
    'curl -X POST -H "cookie: $COOKIE" -H "origin: $DARKROOM" "$DARKROOM/a"',
  );
});

test('a browser can open each GET of which nothing is missing', () => {
  expect(openablePath({ method: 'get', path: '/limits', operation: operation() })).toBe('/limits');
  expect(openablePath({ method: 'post', path: '/limits', operation: operation() })).toBeUndefined();
  expect(
    openablePath({ method: 'get', path: '/t/{path}', operation: operation({ parameters: [path] }) }),
  ).toBeUndefined();
  const stream = operation({ responses: { 200: { content: { 'text/event-stream': {} } } } });
  expect(openablePath({ method: 'get', path: '/queue/events', operation: stream })).toBeUndefined();
});
