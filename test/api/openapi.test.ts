import { readFile } from 'node:fs/promises';
import { runInThisContext } from 'node:vm';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { operationsOf } from '../../src/http/openapi/operations.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { Contract } from '../contract.ts';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

/** Operation names in generated clients: a changed name breaks programs that use it. */
const IDS = {
  getVariant: 'GET /t/{transformations}/{path}',
  getOriginal: 'GET /t/{path}',
  getSignedVariant: 'GET /authenticated/s--{signature}/{transformations}/{path}',
  getSignedOriginal: 'GET /authenticated/s--{signature}/{path}',
  getExpiringVariant: 'GET /authenticated/s--{signature}--{expires}/{transformations}/{path}',
  getExpiringOriginal: 'GET /authenticated/s--{signature}--{expires}/{path}',
  signDeliveryUrl: 'POST /delivery/sign',
  translateUrls: 'POST /delivery/translate',
  downloadFile: 'GET /download/{path}',
  downloadFolder: 'GET /download-folder/{path}',
  downloadZip: 'POST /download-zip',
  createZipTicket: 'POST /download-zip/ticket',
  downloadZipByTicket: 'GET /download-zip/{ticket}',
  uploadFiles: 'POST /upload',
  uploadUrl: 'POST /upload/url',
  signUpload: 'POST /upload/sign',
  beginUpload: 'POST /upload/resumable',
  getUpload: 'GET /upload/resumable/{id}',
  resumeUpload: 'PATCH /upload/resumable/{id}',
  cancelUpload: 'DELETE /upload/resumable/{id}',
  createFolder: 'POST /upload/createfolder',
  listFolder: 'GET /storage',
  listAllFolders: 'GET /storage/folders',
  summariseFolders: 'GET /storage/folder-summaries',
  getStorageStats: 'GET /storage/stats',
  recalculateStorageStats: 'POST /storage/stats/recalculate',
  clearCache: 'POST /storage/cache/clear',
  getUsage: 'GET /storage/usage',
  batch: 'POST /storage/batch',
  listAssets: 'GET /assets',
  listDuplicates: 'GET /assets/duplicates',
  getAsset: 'GET /assets/{path}',
  updateAsset: 'PATCH /assets/{path}',
  listTags: 'GET /tags',
  renameTag: 'PATCH /tags/{tag}',
  deleteTag: 'DELETE /tags/{tag}',
  createRedirect: 'POST /redirects',
  listRedirects: 'GET /redirects',
  deleteRedirect: 'DELETE /redirects',
  getFileMetadata: 'GET /storage/{path}/metadata',
  listVersions: 'GET /storage/{path}/versions',
  downloadVersion: 'GET /storage/{path}/versions/{id}',
  restoreVersion: 'POST /storage/{path}/versions/{id}/restore',
  deleteVersion: 'DELETE /storage/{path}/versions/{id}',
  replaceFile: 'PUT /storage/{path}',
  renameFile: 'PATCH /storage/{path}',
  moveFile: 'POST /storage/{path}/move',
  copyFile: 'POST /storage/{path}/copy',
  deleteFile: 'DELETE /storage/{path}',
  listTrash: 'GET /trash',
  previewTrashItem: 'GET /trash/{id}/preview',
  restoreFromTrash: 'POST /trash/{id}/restore',
  deleteFromTrash: 'DELETE /trash/{id}',
  emptyTrash: 'DELETE /trash',
  invalidateVariants: 'DELETE /invalidate/{path}',
  getQueueStats: 'GET /queue/stats',
  getWorkerStats: 'GET /queue/worker/stats',
  listJobs: 'GET /queue/jobs',
  getJob: 'GET /queue/jobs/{jobId}',
  retryJobs: 'POST /queue/jobs/retry',
  deleteJobs: 'DELETE /queue/jobs',
  retryJob: 'POST /queue/jobs/{jobId}/retry',
  cancelJob: 'POST /queue/jobs/{jobId}/cancel',
  deleteJob: 'DELETE /queue/jobs/{jobId}',
  streamJobEvents: 'GET /queue/events',
  getVideoStatus: 'GET /video-status/{path}',
  getVideoSize: 'GET /video-status/{path}/size',
  getSignedVideoStatus: 'GET /video-status/s--{signature}/{transformations}/{path}',
  getSignedVideoSize: 'GET /video-status/s--{signature}/{transformations}/{path}/size',
  getExpiringVideoStatus: 'GET /video-status/s--{signature}--{expires}/{transformations}/{path}',
  getExpiringVideoSize: 'GET /video-status/s--{signature}--{expires}/{transformations}/{path}/size',
  createWebhook: 'POST /webhooks',
  listWebhooks: 'GET /webhooks',
  getWebhook: 'GET /webhooks/{id}',
  updateWebhook: 'PATCH /webhooks/{id}',
  deleteWebhook: 'DELETE /webhooks/{id}',
  rotateWebhookSecret: 'POST /webhooks/{id}/rotate-secret',
  testWebhook: 'POST /webhooks/{id}/test',
  listWebhookDeliveries: 'GET /webhooks/{id}/deliveries',
  redeliverToWebhook: 'POST /webhooks/{id}/deliveries/{deliveryId}/redeliver',
  createApiKey: 'POST /api-keys/create',
  listApiKeys: 'GET /api-keys/list',
  updateApiKey: 'PATCH /api-keys/{keyId}',
  deleteApiKey: 'DELETE /api-keys/{keyId}',
  getAccess: 'GET /access',
  listMembers: 'GET /members',
  createSpace: 'POST /spaces',
  listSpaces: 'GET /spaces',
  deleteSpace: 'DELETE /spaces/{spaceId}',
  getSpace: 'GET /spaces/{spaceId}',
  updateSpace: 'PATCH /spaces/{spaceId}',
  rotateSpaceSecret: 'POST /spaces/{spaceId}/rotate-secret',
  updateMember: 'PATCH /members/{userId}',
  removeMember: 'DELETE /members/{userId}',
  createInvitation: 'POST /members/invitations',
  deleteInvitation: 'DELETE /members/invitations/{invitationId}',
  describeInvitation: 'POST /api/auth/invitation',
  acceptInvitation: 'POST /api/auth/invitation/accept',
  signIn: 'POST /api/auth/sign-in/email',
  signOut: 'POST /api/auth/sign-out',
  getSession: 'GET /api/auth/get-session',
  getSetup: 'GET /api/auth/setup',
  createFirstAccount: 'POST /api/auth/setup',
  changePassword: 'POST /api/auth/change-password',
  updateAccount: 'PATCH /api/auth/account',
  listSessions: 'GET /api/auth/sessions',
  endSession: 'DELETE /api/auth/sessions/{sessionId}',
  endOtherSessions: 'DELETE /api/auth/sessions',
  listAuditEntries: 'GET /audit',
  readUsage: 'GET /usage',
  enableTwoFactor: 'POST /api/auth/two-factor/enable',
  disableTwoFactor: 'POST /api/auth/two-factor/disable',
  verifyTotp: 'POST /api/auth/two-factor/verify-totp',
  verifyBackupCode: 'POST /api/auth/two-factor/verify-backup-code',
  getSignInMethods: 'GET /api/auth/methods',
  signInWithOidc: 'POST /api/auth/sign-in/oidc',
  connectOidc: 'POST /api/auth/oidc/connect',
  getOidcConnection: 'GET /api/auth/oidc/connect',
  getHealth: 'GET /health',
  getDatabaseHealth: 'GET /health/database',
  getLiveness: 'GET /livez',
  getReadiness: 'GET /readyz',
  getMetrics: 'GET /metrics',
  getLimits: 'GET /limits',
  getSettings: 'GET /settings',
  getActivity: 'GET /stats/activity',
  getHistory: 'GET /stats/history',
  listTransformations: 'GET /transformations',
  getVersion: 'GET /api/version',
};

let service: TestService;
let document: Record<string, unknown>;
beforeAll(async () => {
  service = await startService();
  document = (await ask(service.url, '/api/openapi.json')).json();
});
afterAll(() => service.close());

/** Endpoints for humans or about other endpoints, rejected paths without a file, and other methods of tus. */
const UNDOCUMENTED = [
  'OPTIONS /upload/resumable',
  'OPTIONS /upload/resumable/',
  'OPTIONS /upload/resumable/:id',
  'POST /upload/resumable/',
  'POST /upload/resumable/:id',
  'GET /',
  'GET /dashboard',
  'GET /dashboard/*',
  'GET /api/auth/callback/oidc',
  'GET /api/openapi.json',
  'GET /api/docs',
  'GET /api/docs/try',
  'GET /api/docs/guide',
  'GET /api/docs/guide/*',
  'GET /download',
  'GET /download-folder',
  'DELETE /invalidate',
];

test('every route is in the document, and nothing else', async () => {
  const endpoints: Endpoint[] = [];
  const app = createApp(service.services, [
    (context) => {
      endpoints.push(...ROUTES.flatMap((family) => family(context)));
      return endpoints;
    },
  ]);
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((one) => `${one} ${url}`)));
  await app.ready();
  // A file or folder may have the name of an endpoint: these are also /storage/{path} or /assets/{path}.
  const isShadow = (route: string) => /^(PUT|PATCH|DELETE) \/(storage|assets)\/[a-z]/.test(route);
  const printed = routes.filter((route) => !route.startsWith('HEAD ') && !isShadow(route));
  await app.close();
  const documented = operationsOf(endpoints).map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
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
    for (const { path, parameters } of operations) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      expect(named, path).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
    expect(Object.fromEntries(operations.map((one) => [one.operationId, `${one.method} ${one.path}`]))).toEqual(IDS);
  });

  test('is valid', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  test('has true types: numbers, yes or no, times and words are no mere text', () => {
    const { operations } = new Contract(document);
    const parameters = operations.flatMap((one) =>
      one.parameters.map((parameter) => ({ ...parameter, id: one.operationId })),
    );
    const schemaOf = (id: string, name: string) => parameters.find((one) => one.id === id && one.name === name)?.schema;
    expect(schemaOf('listFolder', 'limit')).toEqual({ type: 'integer', minimum: 1 });
    expect(schemaOf('listFolder', 'sort')).toEqual({
      type: 'string',
      enum: ['name', 'kind', 'dimensions', 'size', 'mtime', 'created'],
      default: 'name',
    });
    expect(schemaOf('listJobs', 'limit')).toEqual({ type: 'integer', minimum: 1, maximum: 1000, default: 50 });
    expect(schemaOf('listJobs', 'status')).toMatchObject({ enum: expect.arrayContaining(['pending']) });
    expect(schemaOf('deleteFile', 'recursive')).toEqual({ type: 'boolean', default: false });
    expect(parameters.find(({ name }) => name === 'paths')).toMatchObject({
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: false,
    });
    for (const [name, schema] of propertiesIn(document)) {
      const times = JSON.stringify(schema.anyOf ?? [schema]);
      if (/(At|^timestamp|^mtime)$/.test(name))
        expect([name, times]).toEqual([name, expect.stringContaining('"date-time"')]);
      // The sums of `GET /usage` are an object, and a limit of a space may be null.
      const isSum = name === 'total' && (schema.type === 'object' || times.includes('"null"'));
      if (/^(\w*[cC]ount|\w*Deleted|limit|offset|total)$/.test(name) && !isSum) {
        expect([name, schema]).toEqual([name, expect.objectContaining({ type: 'integer' })]);
      }
      if (/^(success|enabled|truncated|connected|rateLimitEnabled)$/.test(name)) {
        expect([name, schema]).toEqual([name, expect.objectContaining({ type: 'boolean' })]);
      }
    }
  });

  test('says that bytes are bytes and no text, and names a type with which a client can send them', () => {
    const bytes = { format: 'binary', contentMediaType: 'application/octet-stream' };
    const bodies = new Contract(document).operations.flatMap(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) => Object.entries(body?.content ?? {})),
    );
    const files = bodies.filter(([type]) => !/json|^text\/|form-data/.test(type));
    expect(new Set(files.map(([type]) => type))).toEqual(
      new Set(['*/*', 'image/webp', 'application/zip', 'application/octet-stream', 'application/offset+octet-stream']),
    );
    for (const [type, { schema }] of files) expect([type, schema]).toEqual([type, bytes]);
    expect(bodies.find(([type]) => type === 'multipart/form-data')?.[1].schema).toMatchObject({
      properties: { files: { type: 'array', items: bytes } },
    });
  });

  test('names what many operations answer with, for the types of a client', () => {
    const { schemas } = document.components as { schemas: object };
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'ApiKey',
        'ErrorCode',
        'Job',
        'Problem',
        'Refusal',
        'StorageStats',
        'StoredFile',
        'StoredFolder',
      ]),
    );
  });

  test('has for each operation of a shared route the answer that is its own', () => {
    const { operations } = new Contract(document);
    const answerOf = (id: string) => {
      const operation = operations.find(({ operationId }) => operationId === id);
      return operation?.responses[200]?.content?.['application/json']?.schema?.properties;
    };
    expect(Object.keys(answerOf('getVideoStatus') ?? {})).toContain('progress');
    expect(Object.keys(answerOf('getVideoSize') ?? {})).toEqual(['size', 'status']);
  });

  test('has the schemas that validate', () => {
    const created = new Contract(document).operations.find(({ path }) => path === '/api-keys/create');
    expect(created?.requestBody?.content['application/json']?.schema).toMatchObject({
      anyOf: [{ properties: { expiresIn: { minimum: 86_400, maximum: 315_360_000 } } }, { type: 'null' }],
    });
  });
});

describe('a path with folders', () => {
  const path = '/storage/trips%2Frome%201%2Fa%26b.png/metadata';

  beforeAll(async () => {
    const form = new FormData();
    form.append('folder', 'trips/rome 1');
    form.append('files', new Blob([new Uint8Array(fixture('flag-alpha.png'))]), 'a&b.png');
    expect((await service.authorized('/upload', { method: 'POST', body: form })).status).toBe(200);
  });

  test('is marked as such wherever it is a parameter, and the introduction says how it is encoded', () => {
    const paths = new Contract(document).operations.flatMap(({ parameters }) =>
      parameters.filter(({ name, in: place }) => name === 'path' && place === 'path'),
    );
    expect(paths.length).toBeGreaterThan(10);
    for (const parameter of paths) {
      expect(parameter).toMatchObject({ 'x-multi-segment': true, description: expect.stringContaining('by itself') });
    }
    expect((document.info as { description: string }).description).toContain('%2F');
  });

  test('that a generated client encodes whole is 400, which says how it should be', async () => {
    const answer = await service.authorized(path);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: 'Bad request',
        code: 'invalid_encoding',
        message:
          'Expected names encoded one by one with a plain "/" between them, received "trips%2Frome%201%2Fa%26b.png".',
      },
    ]);
  });

  test('is understood once the client does what the introduction shows, with and without a body', async () => {
    const { description } = document.info as { description: string };
    const repair = /interceptors\.request\.use\((.*)\);/.exec(description)?.[1] ?? '';
    const repaired = (inner: Request): Request => runInThisContext(repair)(inner);
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
    const answer = await fetch(repaired(new Request(service.url + path, { headers })));
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ size: expect.any(Number) })]);
    const copy = service.url + path.replace('metadata', 'copy');
    const body = JSON.stringify({ destination: 'copies' });
    const copied = await fetch(repaired(new Request(copy, { method: 'POST', headers, body })));
    expect([copied.status, await copied.json()]).toEqual([200, { success: true, path: 'copies/a&b.png' }]);
    expect(description).toContain(`onRequest: ({ request }) => ${repair.replace('(request) => ', '')}`);
  });
});

test('docs/api-clients.md has what the introduction shows word for word; test/clients uses it as it is there', async () => {
  const page = await readFile(new URL('../../docs/api-clients.md', import.meta.url), 'utf8');
  const { description } = document.info as { description: string };
  const shown = [...description.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  expect(shown).toHaveLength(2);
  for (const code of shown) expect(page).toContain(code);
});

/** Returns all properties of all schemas, by name. */
function propertiesIn(value: unknown): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as { properties?: Record<string, Record<string, unknown>> };
  const own = typeof properties === 'object' && 'type' in value ? Object.entries(properties) : [];
  return [...own, ...Object.values(value).flatMap(propertiesIn)];
}

test('the page for people needs nothing from elsewhere and is not framed', async () => {
  const { status, headers, body } = await ask(service.url, '/api/docs');
  expect([status, headers['content-type'], headers['x-frame-options']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'DENY',
  ]);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  const html = body.toString().replaceAll('<wbr>', '');
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  for (const { path, operationId } of new Contract(document).operations) {
    expect(html).toContain(path);
    expect(html).toContain(`<div id="${operationId}">`);
  }
  expect(html.match(/<pre>curl /g)).toHaveLength(new Contract(document).operations.length);
  expect(html).toContain('<pre>curl -X POST -H &quot;x-api-key: $KEY&quot; -F files=@photo.jpg');
  const tried = [...html.matchAll(/<a href="\.\.([^"]+)"[^>]*>Try it<\/a>/g)].map(([, path = '']) => path);
  expect(tried).toEqual(expect.arrayContaining(['/limits', '/storage', '/trash', '/api/version']));
  for (const path of tried) {
    const answer = await ask(service.url, path, { headers: { 'x-api-key': TEST_KEY } });
    // Some need the session of a person, others say what they need.
    expect([path, [200, 400, 401, 503].includes(answer.status) || answer.status]).toEqual([path, true]);
  }
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, link]) => link);
  expect(links).toEqual(expect.arrayContaining(['delivery', 'api-keys', 'Job', 'StoredFile']));
  for (const link of links) expect(ids).toContain(link);
  expect(html).toContain('files: <a href="#StoredFile">StoredFile</a>[]');
});

describe('GET /api/docs/try', () => {
  const locationOf = async (query: string) => {
    const { status, headers, json } = await ask(service.url, `/api/docs/try?${query}`);
    return status === 303 ? headers.location : [status, json().code];
  };

  test('fills in the path and the query of a GET, and redirects below its own address', async () => {
    for (const [query, location] of [
      ['operation=getAsset&path=trips/rome/a%20%26%20b.jpg', '../../assets/trips/rome/a%20%26%20b.jpg'],
      ['operation=getAsset&path=100%2525.jpg', '../../assets/100%2525.jpg'],
      ['operation=getVariant&transformations=w_400,h_300&path=a.jpg', '../../t/w_400,h_300/a.jpg'],
      ['operation=getJob&jobId=a/b', '../../queue/jobs/a%252Fb'],
      ['operation=getAsset&path=//evil.example/a', '../../assets///evil.example/a'],
      ['operation=getAsset&path=https:%5C%5Cevil.example', '../../assets/https:%5C%5Cevil.example'],
      ['operation=getLimits', '../../limits'],
    ])
      expect([query, await locationOf(query ?? '')]).toEqual([query, location]);
    const { headers } = await ask(service.url, '/api/docs/try?operation=getLimits');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('opens nothing else: other methods, unknown operations, and other values are 400', async () => {
    for (const query of [
      '',
      'operation=',
      'operation=nothing',
      'operation=constructor',
      'operation=deleteFile&path=a.jpg',
      'operation=streamJobEvents',
      'operation=getAsset',
      'operation=getAsset&path=',
      'operation=getAsset&path=a&path=b',
      'operation=getAsset&operation=getLimits&path=a',
      'operation=getAsset&path=a&url=https://evil.example',
      'operation=getAsset&path=../api-keys',
      'operation=getAsset&path=a/./b',
      'operation=getJob&jobId=..',
    ])
      expect([query, await locationOf(query)]).toEqual([query, [400, 'bad_request']]);
  });

  test('has a form on the page for each GET with values to fill in, and every form fills it in', async () => {
    const html = (await ask(service.url, '/api/docs')).body.toString();
    const forms = [...html.matchAll(/<form action="docs\/try".*?<\/form>/gs)].map(([form]) => form);
    expect(forms.length).toBeGreaterThan(10);
    for (const form of forms) {
      const [, id = ''] = /name="operation" value="(\w+)"/.exec(form) ?? [];
      const names = [...form.matchAll(/<input name="(\w+)" required/g)].map(([, name = '']) => name);
      const query = new URLSearchParams({ operation: id, ...Object.fromEntries(names.map((name) => [name, 'a'])) });
      expect([id, await locationOf(String(query))]).toEqual([id, expect.stringMatching(/^\.\.\/\.\.\/[\w-]/)]);
    }
  });
});
