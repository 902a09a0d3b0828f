import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, askJson, fixture } from '../http.ts';
import { API_SECRET } from '../presigned.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const KEY = { 'x-api-key': TEST_KEY };
const WEBHOOK = { url: 'http://127.0.0.1:9/hook', events: ['file.stored'] };

let service: TestService;
let key: string;
let webhook: string;
beforeAll(async () => {
  service = await startService({ API_SECRET, OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8' });
  await service.place('a.png', fixture('flag-alpha.png'));
  key = ((await send('POST', '/api-keys/create', {})).json().apiKey as { id: string }).id;
  webhook = ((await send('POST', '/webhooks', WEBHOOK)).json().webhook as { id: string }).id;
});
afterAll(() => service.close());

const send = (method: string, path: string, body: object) => askJson(service.url, method, path, body, KEY);

const KEY_FIELDS = '"name", "expiresIn", "permissions", "remaining", "rateLimit", "space"';
const WEBHOOK_FIELDS = '"url", "events", "folder", "enabled"';

describe('a misspelt field is 400 where it would widen access, and the message names those that there are', () => {
  test.each([
    ['all permissions for a key', 'POST', () => '/api-keys/create', { permission: ['read'] }, KEY_FIELDS],
    [
      'no quota',
      'PATCH',
      () => `/api-keys/${key}`,
      { name: 'x', remains: 1 },
      '"name", "enabled", "remaining", "rateLimit"',
    ],
    ['events of all folders', 'POST', () => '/webhooks', { ...WEBHOOK, foldr: 'a' }, WEBHOOK_FIELDS],
    ['the same by a change', 'PATCH', () => `/webhooks/${webhook}`, { enabled: true, foldr: 'a' }, WEBHOOK_FIELDS],
    ['uploads to the root', 'POST', () => '/upload/sign', { foldr: 'inbox' }, '"folder", "expiresIn"'],
    [
      'a URL for ever',
      'POST',
      () => '/delivery/sign',
      { path: 'a.png', expires: 60 },
      '"path", "transformation", "expiresIn"',
    ],
    ['a file in the root', 'POST', () => '/storage/a.png/move', { destinaton: 'drafts' }, '"destination", "redirect"'],
    ['the same by a copy', 'POST', () => '/storage/a.png/copy', { destinaton: 'drafts' }, '"destination", "redirect"'],
    [
      'the same by a fetch',
      'POST',
      () => '/upload/url',
      { url: 'https://example.com/a.png', foldr: 'drafts' },
      '"url", "folder", "name", "existing", "transformations"',
    ],
  ])('%s', async (_, method, pathOf, body, known) => {
    const answer = await send(method, pathOf(), body);
    expect([answer.status, answer.json().code]).toEqual([400, 'validation_failed']);
    const unknown = Object.keys(body).at(-1);
    expect(answer.json().message).toBe(`In the body: expected no field "${unknown}", only ${known}.`);
  });

  test('also within a rate limit', async () => {
    const rateLimit = { max: 1, windowSeconds: 60, burst: 5 };
    const answer = await send('POST', '/api-keys/create', { rateLimit });
    const message = 'In "rateLimit": expected no field "burst", only "max", "windowSeconds", "window".';
    expect([answer.status, answer.json().message]).toEqual([400, message]);
  });

  test('and nothing has changed', async () => {
    const { keys } = (await ask(service.url, '/api-keys/list', { headers: KEY })).json() as {
      keys: { name: string }[];
    };
    expect(keys.map(({ name }) => name).toSorted()).toEqual(['API key', expect.any(String)].toSorted());
    expect((await ask(service.url, '/t/a.png')).status).toBe(200);
  });
});

interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  additionalProperties?: unknown;
}

/** Bodies of the contract and of better-auth whose misspelt fields are missing ones, or widen nothing. */
const TOLERANT = [
  'POST /api/auth/setup',
  'POST /api/auth/sign-in/email',
  'POST /api/auth/sign-out',
  'POST /api/auth/two-factor/disable',
  'POST /api/auth/two-factor/enable',
  'POST /api/auth/two-factor/verify-backup-code',
  'POST /api/auth/two-factor/verify-totp',
  'POST /delivery/translate',
  'POST /download-zip',
  'POST /download-zip/ticket',
  'POST /queue/jobs/retry',
  'PATCH /storage/{path}',
];

test('all other JSON bodies refuse unknown fields', async () => {
  const document = (await ask(service.url, '/api/openapi.json')).json() as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  };
  const isTolerant = ({ type, anyOf, additionalProperties }: Schema): boolean =>
    anyOf ? anyOf.some(isTolerant) : type === 'object' && additionalProperties !== false;
  const tolerant = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema && isTolerant(schema) ? [`${method.toUpperCase()} ${path}`] : [];
    }),
  );
  expect(tolerant.toSorted()).toEqual(TOLERANT.toSorted());
});
