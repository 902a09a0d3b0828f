import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, askJson, cookiesOf, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const PHOTO = fixture('flag-alpha.png');
const ADMIN = { authorization: `Bearer ${TEST_KEY}` };
const JSON_TYPE = { 'content-type': 'application/json' };
const ACCOUNT = { email: 'ada@example.com', password: 'a long enough password' };

let service: TestService;
beforeAll(async () => {
  service = await startService({
    API_SECRET: 'test-secret-at-least-16-chars-long',
    ADMIN_EMAIL: ACCOUNT.email,
    ADMIN_PASSWORD: ACCOUNT.password,
  });
});
afterAll(() => service.close());

async function call(method: string, path: string, body?: object, headers: Record<string, string> = ADMIN) {
  const answer = await askJson(service.url, method, path, body, headers);
  return { ...answer, data: answer.body.length > 0 ? answer.json() : {} };
}

const get = (path: string, headers: Record<string, string> = {}) => ask(service.url, path, { headers });

async function upload(prefix: string, name: string, headers: Record<string, string> = ADMIN) {
  const response = await service.upload({ [name]: PHOTO }, {}, { prefix, headers });
  return { status: response.status, body: (await response.json()) as { files: { path: string; url: string }[] } };
}

describe('a new space', () => {
  test('has the folder of its id, is made with its secret, and shows that only once', async () => {
    const { status, data } = await call('POST', '/spaces', { id: 'acme', name: 'Acme' });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      success: true,
      space: {
        id: 'acme',
        name: 'Acme',
        folder: 'acme',
        enabled: true,
        hosts: [],
        delivery: null,
        originals: null,
        privateFolders: [],
        quota: { bytes: null, transferPerMonth: null },
        rateLimit: { perAddress: null, total: null },
      },
    });
    expect(data.secret).toMatch(/^[\w-]{43}$/);
    const listed = await call('GET', '/storage?path=');
    expect((listed.data.folders as { name: string }[]).map(({ name }) => name)).toContain('acme');
    const shown = await call('GET', '/spaces/acme');
    expect(shown.status).toBe(200);
    expect(shown.body.toString()).not.toContain(String(data.secret));
  });

  test.each([
    ['an id that exists', { id: 'acme' }, 409, 'name_taken'],
    ['the folder of another space', { id: 'acme2', folder: 'acme' }, 409, 'space_conflict'],
    ['a folder inside of it', { id: 'acme2', folder: 'acme/inner' }, 409, 'space_conflict'],
    ['a folder inside of it in other letters', { id: 'acme2', folder: 'ACME/inner' }, 409, 'space_conflict'],
    ['the root', { id: 'acme2', folder: '/' }, 400, 'invalid_path'],
    ['the id of the library', { id: 'default' }, 400, 'validation_failed'],
    ['an id in capitals', { id: 'Acme' }, 400, 'validation_failed'],
    ['an id of one letter', { id: 'a' }, 400, 'validation_failed'],
    ['an id that begins with a dash', { id: '-acme' }, 400, 'validation_failed'],
    ['an unknown field', { id: 'acme2', colour: 'red' }, 400, 'validation_failed'],
    ['a preset that is no transformation', { id: 'acme2', presets: { a: 'nonsense' } }, 400, 'validation_failed'],
    ['an unknown type', { id: 'acme2', types: ['music'] }, 400, 'validation_failed'],
    ['a quota of nothing', { id: 'acme2', quota: { bytes: 0 } }, 400, 'validation_failed'],
  ])('is refused with %s', async (_, body, status, code) => {
    const answer = await call('POST', '/spaces', body);
    expect([answer.status, answer.data.code]).toEqual([status, code]);
    expect((await call('GET', '/spaces/acme2')).status).toBe(404);
  });

  test('needs the permission admin', async () => {
    expect((await call('POST', '/spaces', { id: 'other' }, {})).status).toBe(401);
  });
});

describe('inside a space', () => {
  test('an upload, its URL and its variant are the space’s own', async () => {
    const { status, body } = await upload('/b/acme', 'logo.png');
    expect(status).toBe(200);
    expect(body.files[0]).toMatchObject({ path: 'logo.png', url: '/b/acme/t/logo.png' });
    for (const path of [
      '/b/acme/t/w_20/logo.png',
      '/api/b/acme/t/w_20/logo.png',
      '/b/acme/api/t/w_20/logo.png',
      'http://any.test/b/acme/t/w_20/logo.png',
      '/t/w_20/acme/logo.png',
    ]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 200, 'image/png']);
    }
    expect((await get('/t/w_20/logo.png')).status).toBe(404);
  });

  test('clearing its cache clears its own', async () => {
    await upload('', 'cached.png');
    const state = async (path: string) => (await get(path)).headers['x-cache'];
    for (const path of ['/t/w_27/cached.png', '/b/acme/t/w_27/logo.png']) await get(path);
    const cleared = await call('POST', '/b/acme/storage/cache/clear');
    expect(cleared.status).toBe(200);
    expect([await state('/b/acme/t/w_27/logo.png'), await state('/t/w_27/cached.png')]).toEqual(['miss', 'hit']);
  });

  test('a variant has one key, whichever URL asks', async () => {
    const [inside, outside] = [await get('/b/acme/t/w_21/logo.png'), await get('/t/w_21/acme/logo.png')];
    expect(inside.headers.etag).toBe(outside.headers.etag);
    expect(outside.headers['x-cache']).toBe('hit');
  });

  test('a hit is answered again, and not after the file has changed', async () => {
    for (let round = 0; round < 3; round++) expect((await get('/b/acme/t/w_22/logo.png')).status).toBe(200);
    await upload('/b/acme', 'short.png');
    for (let round = 0; round < 3; round++) expect((await get('/b/acme/t/w_22/short.png')).status).toBe(200);
    expect((await call('DELETE', '/storage/acme/short.png')).status).toBe(200);
    expect((await get('/b/acme/t/w_22/short.png')).status).toBe(404);
  });

  test('lists, searches and counts its own files only, with paths of its own', async () => {
    await upload('', 'outside.png');
    const listed = await call('GET', '/b/acme/storage');
    expect((listed.data.files as { path: string }[]).map(({ path }) => path)).toEqual(['logo.png']);
    const found = await call('GET', '/b/acme/assets?search=png');
    expect(found.body.toString()).not.toContain('outside');
    const everything = await call('GET', '/b/acme/storage/stats');
    expect((everything.data.storage as { fileCount: number }).fileCount).toBe(1);
  });

  test.each(['/b/acme/t/../outside.png', '/b/acme/t/%2e%2e/outside.png', '/b/acme/t/..%2Foutside.png'])(
    'no path leads out: %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body.toString()).not.toContain('acme');
    },
  );

  test.each(['/metrics', '/settings', '/stats/history', '/health/database'])(
    '%s belongs to the installation',
    async (path) => {
      const answer = await call('GET', `/b/acme${path}`);
      expect([answer.status, answer.data.code]).toEqual([403, 'installation_only']);
    },
  );

  test('making and deleting spaces belongs to the installation, and so do hosts and limits', async () => {
    for (const [method, path, body] of [
      ['POST', '/b/acme/spaces', { id: 'more' }],
      ['DELETE', '/b/acme/spaces/acme', undefined],
      ['PATCH', '/b/acme/spaces/acme', { hosts: ['a.test'] }],
      ['PATCH', '/b/acme/spaces/acme', { enabled: false }],
      ['PATCH', '/b/acme/spaces/acme', { quota: { bytes: 1 } }],
    ] as const) {
      const answer = await call(method, path, body);
      expect([method, path, answer.status, answer.data.code]).toEqual([method, path, 403, 'installation_only']);
    }
  });

  test('only itself exists, without its folder', async () => {
    const { data } = await call('GET', '/b/acme/spaces');
    expect(data.spaces).toMatchObject([{ id: 'acme', folder: null }]);
    expect((await call('GET', '/b/acme/spaces/default')).status).toBe(404);
  });
});

test('an unknown space is 404', async () => {
  const answer = await call('GET', '/b/nothing/t/a.png');
  expect([answer.status, answer.data.code]).toEqual([404, 'space_not_found']);
});

describe('a host', () => {
  const at = (path: string, host = 'media.acme.test') => get(path, { host });

  test('leads to its space, in any case and with any port, also for hits', async () => {
    expect((await call('PATCH', '/spaces/acme', { hosts: ['Media.acme.test'] })).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      expect((await at('/t/w_23/logo.png')).status).toBe(200);
      expect((await at('/t/w_23/logo.png', 'MEDIA.acme.test:8080')).status).toBe(200);
      expect((await get('/t/w_23/logo.png')).status).toBe(404);
      expect((await at('/t/w_23/acme/logo.png')).status).toBe(404);
      expect((await at('/t/w_23/logo.png', 'other.test')).status).toBe(404);
    }
  });

  test('gives links that begin at the root', async () => {
    const listed = await call('POST', '/delivery/sign', { path: 'logo.png' }, { ...ADMIN, host: 'media.acme.test' });
    expect(listed.data.url).toMatch(/^\/authenticated\/s--/);
  });

  test('begins sessions that are good there alone', async () => {
    const host = 'media.acme.test';
    const signIn = await call('POST', '/api/auth/sign-in/email', ACCOUNT, { host });
    const cookie = cookiesOf(signIn);
    expect((await get('/storage', { host, cookie })).status).toBe(200);
    for (const path of ['/storage', '/b/acme/members']) {
      const status = (await get(path, { cookie })).status;
      expect([path, status]).toEqual([path, path === '/storage' ? 401 : 200]);
    }
    const everywhere = cookiesOf(await call('POST', '/api/auth/sign-in/email', ACCOUNT, {}));
    expect((await get('/storage', { cookie: everywhere })).status).toBe(200);
    expect((await get('/storage', { host, cookie: everywhere })).status).toBe(200);
  });

  test('belongs to one space', async () => {
    await call('POST', '/spaces', { id: 'globex' });
    const answer = await call('PATCH', '/spaces/globex', { hosts: ['MEDIA.acme.test'] });
    expect([answer.status, answer.data.code]).toEqual([409, 'space_conflict']);
  });

  test('is not that at which the operator works, because the library would be gone there', async () => {
    const { hostname } = new URL(service.url);
    for (const [method, path, body] of [
      ['PATCH', '/spaces/globex', { hosts: ['media.globex.test', hostname] }],
      ['POST', '/spaces', { id: 'lockout', hosts: [hostname] }],
    ] as const) {
      const { status, data } = await call(method, path, body);
      expect([status, data.code, data.message]).toEqual([409, 'space_conflict', expect.stringContaining(hostname)]);
    }
    expect((await call('GET', '/spaces')).status).toBe(200);
  });
});

describe('the rules of a space', () => {
  test('a protected original is only delivered by right, its variants to everyone', async () => {
    expect((await call('PATCH', '/spaces/acme', { originals: 'protected' })).status).toBe(200);
    for (const path of [
      '/b/acme/t/logo.png',
      '/t/acme/logo.png',
      '/b/acme/download/logo.png',
      '/download/acme/logo.png',
    ]) {
      const refused = await get(path);
      expect([path, refused.status, refused.json().code]).toEqual([path, 401, 'signature_required']);
      const allowed = await get(path, ADMIN);
      expect([path, allowed.status]).toEqual([path, 200]);
    }
    expect((await get('/b/acme/t/w_20/logo.png')).status).toBe(200);
    expect((await get('/b/acme/t/logo.png', ADMIN)).headers['cache-control']).toBe('private, no-cache');
  });

  test('a private folder is closed, there or not, in any case of letters, also as a layer and a status', async () => {
    await upload('/b/acme', 'secret.png');
    const moved = await call('POST', '/b/acme/storage/secret.png/move', { destination: 'inner' });
    expect([moved.status, moved.data.path]).toEqual([200, 'inner/secret.png']);
    const patched = await call('PATCH', '/spaces/acme', { originals: null, privateFolders: ['inner'] });
    expect(patched.status).toBe(200);
    for (const path of [
      '/b/acme/t/inner/secret.png',
      '/b/acme/t/w_20/inner/secret.png',
      '/b/acme/t/w_20/INNER/secret.png',
      '/b/acme/t/w_20/inner/nothing.png',
      '/t/w_20/acme/inner/secret.png',
      '/t/w_20/acme/inner/nothing.png',
      '/b/acme/t/w_20~l_inner:secret.png/logo.png',
      '/b/acme/video-status/inner/nothing.mp4',
      '/b/acme/download/inner/secret.png',
      '/b/acme/download-folder/inner',
    ]) {
      const refused = await get(path);
      expect([path, refused.status, refused.json().code]).toEqual([path, 401, 'signature_required']);
    }
    expect((await get('/b/acme/t/w_20/inner/secret.png', ADMIN)).status).toBe(200);
    expect((await get('/b/acme/t/w_20/logo.png')).status).toBe(200);
  });

  test('a signed URL of the space opens it, by the space’s secret, and by the previous one for a while', async () => {
    const first = await call('POST', '/b/acme/delivery/sign', { path: 'inner/secret.png', transformation: 'w_20' });
    const url = String(first.data.url);
    expect(url).toMatch(/^\/b\/acme\/authenticated\/s--/);
    expect((await get(url)).status).toBe(200);
    const library = await call('POST', '/delivery/sign', { path: 'acme/inner/secret.png', transformation: 'w_20' });
    expect((await get(String(library.data.url))).status).toBe(200);
    expect((await call('POST', '/spaces/acme/rotate-secret', { keepFor: 3600 })).status).toBe(200);
    expect((await get(url)).status).toBe(200);
    expect((await call('POST', '/spaces/acme/rotate-secret', { keepFor: 0 })).status).toBe(200);
    expect((await get(url)).status).toBe(401);
  });

  test('a changed rule counts at once, also for hits', async () => {
    for (let round = 0; round < 3; round++) expect((await get('/b/acme/t/w_24/logo.png')).status).toBe(200);
    await call('PATCH', '/spaces/acme', { delivery: 'signed' });
    expect((await get('/b/acme/t/w_24/logo.png')).status).toBe(401);
    expect((await get('/t/w_24/acme/logo.png')).status).toBe(401);
    await call('PATCH', '/spaces/acme', { delivery: null });
    expect((await get('/b/acme/t/w_24/logo.png')).status).toBe(200);
  });

  test('presets of the space replace those of the installation', async () => {
    await call('PATCH', '/spaces/acme', { delivery: 'presets', presets: { small: 'w_25' } });
    expect((await get('/b/acme/t/n_small/logo.png')).status).toBe(200);
    expect((await get('/b/acme/t/w_26/logo.png')).json().code).toBe('preset_required');
    expect((await get('/t/w_25/acme/logo.png')).status).toBe(200);
    expect((await get('/t/w_26/acme/logo.png')).json().code).toBe('signature_required');
    await call('PATCH', '/spaces/acme', { delivery: null, presets: null });
  });

  test('a disabled space answers nothing, but to the library', async () => {
    await call('PATCH', '/spaces/acme', { enabled: false });
    for (const path of ['/b/acme/t/w_20/logo.png', '/b/acme/storage', '/t/w_20/acme/logo.png']) {
      const answer = await get(path);
      expect([path, answer.status, answer.json().code]).toEqual([path, 403, 'space_disabled']);
    }
    expect((await get('/t/w_20/acme/logo.png', ADMIN)).status).toBe(200);
    await call('PATCH', '/spaces/acme', { enabled: true });
    expect((await get('/b/acme/t/w_20/logo.png')).status).toBe(200);
  });

  test('types and sizes of uploads are those of the space', async () => {
    await call('PATCH', '/spaces/acme', { types: ['video'] });
    const refused = await upload('/b/acme', 'again.png');
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('unsupported_type')]);
    await call('PATCH', '/spaces/acme', { types: ['image/png'], maxFileBytes: 10 });
    const large = await upload('/b/acme', 'again.png');
    expect([large.status, JSON.stringify(large.body)]).toEqual([400, expect.stringContaining('file_too_large')]);
    await call('PATCH', '/spaces/acme', { types: null, maxFileBytes: null });
    expect((await upload('/b/acme', 'again.png')).status).toBe(200);
  });
});

describe('credentials of a space', () => {
  const keyOf = async (prefix: string, body: object) => {
    const { data } = await call('POST', `${prefix}/api-keys/create`, body);
    return { id: (data.apiKey as { id: string }).id, authorization: `Bearer ${(data.apiKey as { key: string }).key}` };
  };

  test('a key leads to its space, and is refused in another and in the library', async () => {
    await call('POST', '/spaces', { id: 'initech' });
    const { authorization } = await keyOf('/b/initech', { name: 'own' });
    const own = { authorization };
    expect((await upload('', 'by-key.png', own)).body.files[0]?.url).toBe('/b/initech/t/by-key.png');
    const listed = await call('GET', '/storage', undefined, own);
    expect((listed.data.files as { path: string }[]).map(({ path }) => path)).toEqual(['by-key.png']);
    expect((await call('GET', '/b/initech/storage', undefined, own)).status).toBe(200);
    const other = await call('GET', '/b/acme/storage', undefined, own);
    expect([other.status, other.data.code]).toEqual([403, 'wrong_space']);
    const access = await call('GET', '/access', undefined, own);
    expect(access.data).toMatchObject({ space: { id: 'initech' }, via: 'key' });
    expect((await get('/t/w_20/initech/by-key.png', own)).status).toBe(200);
    expect((await get('/t/w_20/by-key.png', own)).status).toBe(404);
  });

  test('a key of the installation enters every space', async () => {
    for (const id of ['acme', 'initech']) expect((await call('GET', `/b/${id}/storage`)).status).toBe(200);
  });

  test('keys, jobs, webhooks and the audit log are its own', async () => {
    const { id } = await keyOf('', { name: 'of the installation' });
    const keys = await call('GET', '/b/initech/api-keys/list');
    expect((keys.data.keys as { name: string }[]).map(({ name }) => name)).toEqual(['own']);
    expect((await call('DELETE', `/b/initech/api-keys/${id}`)).status).toBe(404);
    expect((await call('GET', '/b/initech/queue/jobs')).data.jobs).toEqual([]);
    expect((await call('GET', '/b/initech/webhooks')).data.webhooks).toEqual([]);
    const { data } = await call('GET', '/b/initech/audit?action=file');
    expect(data.entries).toMatchObject([{ action: 'file.uploaded', target: 'by-key.png', space: 'initech' }]);
  });

  test('a presigned upload is stored in the space that signed it', async () => {
    const { data } = await call('POST', '/b/initech/upload/sign', { folder: 'incoming' });
    const form = new FormData();
    for (const name of ['signature', 'expires', 'folder']) form.append(name, String(data[name]));
    form.append('files', new Blob([PHOTO as Uint8Array<ArrayBuffer>]), 'signed.png');
    const response = await fetch(`${service.url}/b/initech/upload`, { method: 'POST', body: form });
    expect([response.status, ((await response.json()) as { files: { path: string }[] }).files[0]?.path]).toEqual([
      200,
      'incoming/signed.png',
    ]);
    const elsewhere = new FormData();
    for (const [name, value] of form) elsewhere.append(name, value);
    // It names its space wherever it is sent.
    const moved = await fetch(`${service.url}/b/acme/upload`, { method: 'POST', body: elsewhere });
    expect(((await moved.json()) as { files: { url: string }[] }).files[0]?.url).toMatch(/^\/b\/initech\/t\//);
  });

  test('a deleted space takes its keys along', async () => {
    const { authorization } = await keyOf('/b/initech', { name: 'late' });
    await call('DELETE', '/spaces/initech');
    expect((await call('GET', '/storage', undefined, { authorization })).status).toBe(401);
  });
});

test('a deleted space takes its webhooks along, and nothing is sent for its files any more', async () => {
  const own = await startService({ OUTGOING_PRIVATE_NETWORKS: '127.0.0.1' });
  const send = (method: string, path: string, body: object) =>
    own.authorized(path, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
  const { webhooks, database } = own.services;
  const rows = async () => (await database.db.selectFrom('outbox').select('event').execute()).map(({ event }) => event);
  await send('POST', '/spaces', { id: 'acme' });
  const made = await send('POST', '/b/acme/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['file.stored'] });
  expect(made.status).toBe(200);
  await own.upload({ 'a.png': PHOTO }, { folder: 'acme' });
  expect(await rows()).toEqual(['file.stored']);
  expect((await own.authorized('/spaces/acme', { method: 'DELETE' })).status).toBe(200);
  expect(webhooks.isSubscribed('file.stored')).toBe(false);
  await own.upload({ 'b.png': PHOTO }, { folder: 'acme' });
  expect(await rows()).toEqual([]);
  await own.close();
});

test('a resumable upload is counted and recorded in its space', async () => {
  const created = await call('POST', '/b/acme/api-keys/create', { name: 'tus', permissions: ['upload'] });
  const { id, key } = created.data.apiKey as { id: string; key: string };
  const headers = { 'x-api-key': key, 'tus-resumable': '1.0.0' };
  const filename = Buffer.from('resumed.png').toString('base64');
  const begun = await ask(service.url, '/b/acme/upload/resumable', {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(PHOTO.length), 'upload-metadata': `filename ${filename}` },
  });
  expect(begun.status).toBe(201);
  const sent = await ask(
    service.url,
    new URL(String(begun.headers.location), `${service.url}/b/acme/upload/resumable`).pathname,
    {
      method: 'PATCH',
      headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: PHOTO,
    },
  );
  expect(sent.status).toBe(204);
  const usage = await call('GET', '/b/acme/usage?by=key');
  const rows = usage.data.rows as { key: string; uploadedBytes: number }[];
  expect(rows.find((row) => row.key === id)).toMatchObject({ uploadedBytes: PHOTO.length });
  await vi.waitFor(async () => {
    const { data } = await call('GET', '/b/acme/audit?action=file.uploaded');
    expect((data.entries as object[])[0]).toMatchObject({ space: 'acme', target: 'resumed.png', actor: { id } });
  });
});

describe('the limits of a space', () => {
  test('a file beyond the quota is 507, and smaller ones are stored', async () => {
    await call('POST', '/spaces', { id: 'small', quota: { bytes: PHOTO.length + 10 } });
    expect((await upload('/b/small', 'first.png')).status).toBe(200);
    const refused = await upload('/b/small', 'second.png');
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([507, expect.stringContaining('quota_exceeded')]);
    const usage = await call('GET', '/b/small/usage');
    expect(usage.data).toMatchObject({ space: 'small', quota: { bytes: PHOTO.length + 10, usedBytes: PHOTO.length } });
    await call('PATCH', '/spaces/small', { quota: { bytes: null } });
    expect((await upload('/b/small', 'second.png')).status).toBe(200);
  });

  test('requests beyond the limit of one address are 429, and uploads are not counted', async () => {
    await call('PATCH', '/spaces/small', { rateLimit: { perAddress: 3 } });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await get('/b/small/t/w_20/first.png')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await get('/b/small/t/w_20/first.png');
    expect([refused.json().code, Number(refused.headers['retry-after']) > 0]).toEqual(['rate_limited', true]);
    expect((await upload('/b/small', 'third.png')).status).toBe(200);
    await call('PATCH', '/spaces/small', { rateLimit: { perAddress: null } });
    expect((await get('/b/small/t/w_20/first.png')).status).toBe(200);
  });

  test('a used-up transfer is 429 until the next month', async () => {
    await call('PATCH', '/spaces/small', { quota: { transferPerMonth: 1 } });
    const refused = await get('/b/small/t/w_20/first.png');
    expect([refused.status, refused.json().code, Number(refused.headers['retry-after']) > 0]).toEqual([
      429,
      'transfer_exceeded',
      true,
    ]);
    await call('PATCH', '/spaces/small', { quota: null });
  });
});

describe('from the library', () => {
  test('the folder of a space, and those above, stay where they are', async () => {
    await call('POST', '/spaces', { id: 'deep', folder: 'customers/deep' });
    for (const [method, path, body] of [
      ['PATCH', '/storage/acme', { name: 'other' }],
      ['PATCH', '/storage/customers', { name: 'other' }],
      ['POST', '/storage/acme/move', { destination: 'customers' }],
      ['DELETE', '/storage/acme?recursive=true', undefined],
      ['DELETE', '/storage/customers?recursive=true&trash=true', undefined],
    ] as const) {
      const answer = await call(method, path, body);
      expect([method, path, answer.status, answer.data.code]).toEqual([method, path, 409, 'space_conflict']);
    }
  });

  test('the library has an entry of its own, of which only privacy can be set', async () => {
    const { data } = await call('GET', '/spaces');
    expect((data.spaces as { id: string }[])[0]).toMatchObject({ id: 'default', folder: '' });
    expect((await call('PATCH', '/spaces/default', { delivery: 'signed' })).status).toBe(400);
    expect((await call('PATCH', '/spaces/default', { privateFolders: ['hidden'] })).status).toBe(200);
    expect((await get('/t/w_20/hidden/a.png')).status).toBe(401);
    expect((await call('PATCH', '/spaces/default', { privateFolders: null })).status).toBe(200);
    expect((await get('/t/w_20/hidden/a.png')).status).toBe(404);
  });
});

describe('a deleted space', () => {
  test('leaves its files in the library', async () => {
    expect((await call('DELETE', '/spaces/acme')).status).toBe(200);
    expect((await get('/t/w_20/acme/logo.png')).status).toBe(200);
    expect((await call('GET', '/b/acme/storage')).data.code).toBe('space_not_found');
  });

  test('or moves them to the trash', async () => {
    await upload('/b/globex', 'logo.png');
    expect((await call('DELETE', '/spaces/globex?files=trash')).status).toBe(200);
    expect((await get('/t/w_20/globex/logo.png')).status).toBe(404);
    expect((await call('GET', '/trash')).body.toString()).toContain('globex');
  });

  test('goes also when its folder is gone', async () => {
    await call('POST', '/spaces', { id: 'empty' });
    await rm(join(service.data, 'originals', 'empty'), { recursive: true });
    expect((await call('DELETE', '/spaces/empty?files=trash')).status).toBe(200);
    expect((await call('GET', '/spaces/empty')).status).toBe(404);
  });
});

describe('usage of a space', () => {
  const requestsOf = async (space: string) => {
    const { data } = await call('GET', '/usage?by=space');
    const rows = data.rows as { space: string; requests: number }[];
    return rows.find((row) => row.space === space)?.requests ?? 0;
  };
  const added = async (space: string, ...targets: string[]) => {
    const before = await requestsOf(space);
    for (const target of targets) await get(target);
    return (await requestsOf(space)) - before;
  };
  beforeAll(async () => {
    expect((await call('POST', '/spaces', { id: 'zoom', folder: 'z_2' })).status).toBe(200);
    await upload('/b/zoom', 'a.png');
  });

  test('counts a URL that reads like a transformation and is a file of the space', async () => {
    expect((await get('/t/z_2/a.png')).status).toBe(200);
    expect(await added('zoom', '/t/z_2/a.png', '/t/z_2/a.png')).toBe(2);
  });

  test('counts each request for a missing file', async () => {
    const missing = '/b/zoom/t/w_20/missing.png';
    expect(await added('zoom', missing, missing, missing)).toBe(3);
  });
});
