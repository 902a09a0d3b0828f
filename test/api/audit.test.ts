import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { ask, askJson, fixture } from '../http.ts';
import { API_SECRET, presignedFields } from '../presigned.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';
import { pathOf, tusAt } from '../tus.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password', ADMIN_NAME: 'Ada' };
const KEY = { 'x-api-key': TEST_KEY };

interface Entry {
  id: string;
  at: string;
  space: string;
  actor: { type: string; id: string | null; name: string | null };
  action: string;
  target: string | null;
  detail: Record<string, unknown>;
  address: string | null;
  requestId: string | null;
}

const endpoints: Endpoint[] = [];
let service: TestService;
let cookie: string;
beforeAll(async () => {
  const settings = { ...ADMIN, ...FROM_ANYWHERE, API_SECRET, OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8' };
  const routes = ROUTES.map((family) => (context: Parameters<typeof family>[0]) => {
    const declared = family(context);
    endpoints.push(...declared);
    return declared;
  });
  service = await startService(settings, routes);
  cookie = await signIn(service, ADMIN);
});
afterAll(() => service.close());

const list = async (query = '') => {
  const answer = await ask(service.url, `/audit${query}`, { headers: KEY });
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  return answer.json() as unknown as { entries: Entry[]; nextCursor: string | null };
};
/** Runs a request, and returns the entries that it has left, oldest first. */
async function entriesOf(run: () => Promise<{ status: number }>, status = 200): Promise<Entry[]> {
  const before = (await list('?limit=1')).entries[0]?.id;
  expect((await run()).status).toBe(status);
  const { entries } = await list('?limit=1000');
  const known = entries.findIndex(({ id }) => id === before);
  return entries.slice(0, known < 0 ? undefined : known).toReversed();
}
const send = (method: string, path: string, body?: object, headers: Record<string, string> = KEY) =>
  askJson(service.url, method, path, body, headers);
const inSession = () => ({ cookie, origin: service.url });
const summary = (entries: readonly Entry[]) => entries.map(({ action, target, detail }) => [action, target, detail]);

describe('an entry', () => {
  test('says who did what to which object, from where, in which request', async () => {
    await service.place('from/a.png', fixture('flag-alpha.png'));
    const headers = { ...KEY, 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'move-1' };
    const [entry, ...others] = await entriesOf(() =>
      send('POST', '/storage/from/a.png/move', { destination: 'to' }, headers),
    );
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      space: '',
      actor: { type: 'key', id: 'environment', name: expect.any(String) },
      action: 'file.moved',
      target: 'from/a.png',
      detail: { to: 'to/a.png' },
      address: '203.0.113.9',
      requestId: 'move-1',
    });
  });

  test('names a redirect by its previous path, and a move that has made one', async () => {
    await service.place('redirected/a.png', fixture('flag-alpha.png'));
    const rename = () => send('PATCH', '/storage/redirected/a.png', { name: 'b.png', redirect: true });
    const old = 'redirected/old.png';
    const create = () => send('POST', '/redirects', { from: old, to: 'redirected/a.png' });
    const remove = () => send('DELETE', `/redirects?from=${old}`);
    const renamed = ['file.moved', 'redirected/a.png', { to: 'redirected/b.png', redirect: true }];
    expect(summary(await entriesOf(rename))).toEqual([renamed]);
    const detail = { to: 'redirected/b.png' };
    expect(summary(await entriesOf(create, 201))).toEqual([['redirect.created', old, detail]]);
    expect(summary(await entriesOf(remove))).toEqual([['redirect.deleted', old, detail]]);
  });

  test('names the user of a session', async () => {
    const [entry] = await entriesOf(() => send('POST', '/storage/cache/clear', undefined, inSession()));
    expect(entry).toMatchObject({ action: 'cache.cleared', actor: { type: 'user', name: 'Ada' } });
  });

  test('is not left by a request that is refused or fails', async () => {
    expect(await entriesOf(() => send('POST', '/storage/missing.png/move', { destination: 'to' }), 404)).toEqual([]);
    expect(await entriesOf(() => send('POST', '/webhooks', { url: 'no url', events: ['file.stored'] }), 400)).toEqual(
      [],
    );
    expect(await entriesOf(() => send('DELETE', '/api-keys/unknown'), 404)).toEqual([]);
  });
});

describe('sessions and accounts', () => {
  const signInBody = (password: string) => ({ email: ADMIN.ADMIN_EMAIL, password });
  const trySignIn = (password: string, email = ADMIN.ADMIN_EMAIL) =>
    send(
      'POST',
      '/api/auth/sign-in/email',
      { ...signInBody(password), email },
      { 'x-forwarded-for': anotherAddress() },
    );

  test('begin, fail and end in the log', async () => {
    const [started] = await entriesOf(() => trySignIn(ADMIN.ADMIN_PASSWORD));
    expect(started).toMatchObject({ action: 'session.started', actor: { type: 'user', name: 'Ada' } });
    const [failed] = await entriesOf(() => trySignIn('a wrong password'), 401);
    expect(failed).toMatchObject({
      action: 'session.failed',
      actor: { type: 'nobody', id: null, name: null },
      target: 'ada@example.com',
    });
    const other = await signIn(service, ADMIN);
    const [ended] = await entriesOf(() =>
      send('POST', '/api/auth/sign-out', {}, { cookie: other, origin: service.url }),
    );
    expect(ended).toMatchObject({ action: 'session.ended', actor: started?.actor });
    expect(await entriesOf(() => send('POST', '/api/auth/sign-out', {}, {}))).toEqual([]);
  });

  test('do not show a password that was typed as the address', async () => {
    const [failed] = await entriesOf(() => trySignIn('x', 'my secret password'), 400);
    expect(failed).toMatchObject({ action: 'session.failed', target: null });
  });

  test('change in the log', async () => {
    const rename = () => send('PATCH', '/api/auth/account', { name: 'Ada' }, inSession());
    expect(await entriesOf(rename)).toMatchObject([{ action: 'account.changed', detail: { name: 'Ada' } }]);
    const body = { currentPassword: ADMIN.ADMIN_PASSWORD, newPassword: 'another password', revokeOthers: false };
    const changed = await entriesOf(() => send('POST', '/api/auth/change-password', body, inSession()));
    expect(changed).toMatchObject([{ action: 'account.password_changed', detail: { revokeOthers: false } }]);
    const back = { ...body, currentPassword: body.newPassword, newPassword: ADMIN.ADMIN_PASSWORD };
    expect((await send('POST', '/api/auth/change-password', back, inSession())).status).toBe(200);
    const ended = await entriesOf(() => send('DELETE', '/api/auth/sessions', undefined, inSession()));
    expect(ended).toMatchObject([{ action: 'session.ended', detail: { others: true } }]);
  });
});

describe('keys and webhooks', () => {
  test('leave the entries of their whole life', async () => {
    const made = await send('POST', '/api-keys/create', { name: 'CI', permissions: ['read'] });
    const { id } = made.json().apiKey as { id: string };
    expect((await list(`?target=${id}`)).entries).toMatchObject([
      { action: 'key.created', detail: { name: 'CI', permissions: ['read'], expiresAt: expect.any(String) } },
    ]);
    expect(summary(await entriesOf(() => send('PATCH', `/api-keys/${id}`, { enabled: false })))).toEqual([
      ['key.updated', id, { name: 'CI', enabled: false, changed: ['enabled'] }],
    ]);
    expect(summary(await entriesOf(() => send('DELETE', `/api-keys/${id}`)))).toEqual([
      ['key.deleted', id, { name: 'CI' }],
    ]);
  });

  test('show the origin of a webhook, not the rest of its URL', async () => {
    const url = 'http://127.0.0.1:9/services/T0/hidden-path?token=hidden-query';
    const made = await send('POST', '/webhooks', { url, events: ['file.stored'] });
    const { id } = made.json().webhook as { id: string };
    expect((await list(`?target=${id}`)).entries).toMatchObject([
      { action: 'webhook.created', detail: { origin: 'http://127.0.0.1:9', events: ['file.stored'], enabled: true } },
    ]);
    for (const [method, path, body, action] of [
      ['PATCH', '', { enabled: false }, 'webhook.updated'],
      ['POST', '/rotate-secret', undefined, 'webhook.secret_rotated'],
      ['DELETE', '', undefined, 'webhook.deleted'],
    ] as const) {
      const [entry] = await entriesOf(() => send(method, `/webhooks/${id}${path}`, body));
      expect(entry).toMatchObject({ action, target: id });
    }
  });

  test('are not changed when their entry cannot be written', async () => {
    const { db } = service.services.database;
    const before = (await send('GET', '/api-keys/list')).json();
    await db.schema.alterTable('audit').renameTo('audit_away').execute();
    try {
      expect((await send('POST', '/api-keys/create', { name: 'unseen' })).status).toBe(500);
      const hook = { url: 'http://127.0.0.1:9/', events: ['file.stored'] };
      expect((await send('POST', '/webhooks', hook)).status).toBe(500);
    } finally {
      await db.schema.alterTable('audit_away').renameTo('audit').execute();
    }
    expect((await send('GET', '/api-keys/list')).json()).toEqual(before);
    expect((await send('GET', '/webhooks')).json()).toEqual({ webhooks: [] });
  });
});

describe('files', () => {
  const png = fixture('flag-alpha.png');
  const upload = async (names: readonly string[], fields = {}) =>
    service.upload(Object.fromEntries(names.map((name) => [name, png])), fields);

  test('leave an entry each when they are uploaded, none when they are skipped', async () => {
    const entries = await entriesOf(() => upload(['up/a.png', 'b.png'], { folder: 'many' }));
    expect(summary(entries)).toEqual([
      ['file.uploaded', 'many/up/a.png', { size: png.length }],
      ['file.uploaded', 'many/b.png', { size: png.length }],
    ]);
    expect(await entriesOf(() => upload(['b.png'], { folder: 'many', existing: 'skip' }))).toEqual([]);
  });

  test('of a presigned upload have no name of an actor', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(presignedFields('signed'))) form.append(name, value);
    form.append('files', new Blob([new Uint8Array(png)]), 'c.png');
    const entries = await entriesOf(() => fetch(`${service.url}/upload`, { method: 'POST', body: form }));
    expect(entries).toMatchObject([
      { action: 'file.uploaded', target: 'signed/c.png', actor: { type: 'signature', id: null, name: null } },
    ]);
  });

  test('of a resumable upload are recorded once, by those who began it', async () => {
    const tus = tusAt(service.url);
    const entries = await entriesOf(async () => {
      const path = pathOf(await tus.begin(png.length, { filename: 'tus.png' }));
      expect((await tus.patch(path, 0, png)).status).toBe(204);
      return tus.call('GET', path);
    });
    expect(entries).toMatchObject([{ action: 'file.uploaded', target: 'tus.png', actor: { type: 'key' } }]);
  });

  test('are followed through copies, replacements, the trash and deletion', async () => {
    await upload(['life.png']);
    const acts: [string, string, object | undefined, unknown[]][] = [
      [
        'POST',
        '/storage/life.png/copy',
        { destination: 'copies' },
        ['file.copied', 'life.png', { to: 'copies/life.png' }],
      ],
      ['PATCH', '/storage/life.png', { name: 'renamed.png' }, ['file.moved', 'life.png', { to: 'renamed.png' }]],
      ['PATCH', '/assets/renamed.png', { title: 'Flag' }, ['file.changed', 'renamed.png', { changed: ['title'] }]],
      ['DELETE', '/invalidate/renamed.png', undefined, ['cache.cleared', 'renamed.png', {}]],
      ['DELETE', '/storage/renamed.png?trash=true', undefined, ['file.trashed', 'renamed.png', {}]],
      ['DELETE', '/storage/copies/life.png', undefined, ['file.deleted', 'copies/life.png', {}]],
    ];
    for (const [method, path, body, expected] of acts) {
      expect(summary(await entriesOf(() => send(method, path, body)))).toEqual([expected]);
    }
    const [item] = (await send('GET', '/trash')).json().items as { id: string }[];
    const restored = await entriesOf(() => send('POST', `/trash/${item?.id}/restore`));
    expect(summary(restored)).toEqual([['file.restored', 'renamed.png', { trash: item?.id }]]);
    const put = () =>
      ask(service.url, '/storage/renamed.png', { method: 'PUT', headers: KEY, body: fixture('flag-alpha.png') });
    expect(summary(await entriesOf(put))).toEqual([['file.replaced', 'renamed.png', { size: png.length }]]);
    await send('DELETE', '/storage/renamed.png?trash=true');
    const [again] = (await send('GET', '/trash')).json().items as { id: string }[];
    const gone = await entriesOf(() => send('DELETE', `/trash/${again?.id}`));
    expect(summary(gone)).toEqual([['file.deleted', 'renamed.png', { trash: again?.id }]]);
  });

  test('of one action on many have an entry each, those that failed have none', async () => {
    await upload(['one.png', 'two.png'], { folder: 'batch' });
    const items = ['batch/one.png', 'batch/missing.png', 'batch/two.png'].map((path) => ({ path }));
    const entries = await entriesOf(() => send('POST', '/storage/batch', { action: 'tag', tags: ['red'], items }), 207);
    expect(summary(entries)).toEqual([
      ['file.changed', 'batch/one.png', { addedTags: ['red'] }],
      ['file.changed', 'batch/two.png', { addedTags: ['red'] }],
    ]);
  });
});

describe('refused credentials', () => {
  test('are recorded with the path, the method and the reason', async () => {
    const { id, key } = await service.services.keyring.create({ name: 'reader', permissions: ['read'] });
    const headers = { 'x-api-key': key };
    const [entry] = await entriesOf(() => send('DELETE', '/storage/a.png?recursive=true', undefined, headers), 403);
    expect(entry).toMatchObject({
      action: 'permission.denied',
      actor: { type: 'key', id, name: 'reader' },
      target: '/storage/a.png',
      detail: { method: 'DELETE', code: 'missing_permission' },
    });
  });

  test('of one client get ten entries, and requests without credentials none', async () => {
    const attempt = () =>
      send('GET', '/audit', undefined, { 'x-api-key': 'invented', 'x-forwarded-for': '198.18.0.7' });
    const entries = await entriesOf(async () => {
      for (let n = 0; n < 20; n++) await attempt();
      return attempt();
    }, 401);
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ action: 'permission.denied', actor: { type: 'nobody' }, address: '198.18.0.7' });
    expect(await entriesOf(() => send('GET', '/audit', undefined, {}), 401)).toEqual([]);
  });
});

describe('GET /audit', () => {
  test('filters by family, and pages without a gap', async () => {
    for (let n = 0; n < 5; n++) await send('DELETE', `/invalidate/page-${n}.png`);
    const first = await list('?action=cache&limit=3');
    const second = await list(`?action=cache&limit=3&cursor=${first.nextCursor}`);
    const targets = [...first.entries, ...second.entries].slice(0, 5).map(({ target }) => target);
    expect(targets).toEqual(['page-4.png', 'page-3.png', 'page-2.png', 'page-1.png', 'page-0.png']);
    const { entries } = await list('?action=file.moved');
    expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(['file.moved']));
    expect((await list('?from=2100-01-01T00:00:00Z')).entries).toEqual([]);
    expect((await list('?to=2000-01-01T00:00:00Z')).entries).toEqual([]);
  });

  test.each([
    ['action=unknown', 'action'],
    ['action=', 'action'],
    ['from=yesterday', 'from'],
    ['to=2026-13-01T00:00:00Z', 'to'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['cursor=made-up', 'cursor'],
    ['actor=%00', 'actor'],
    ['target=%00', 'target'],
  ])('refuses ?%s and names the parameter', async (query, name) => {
    const answer = await send('GET', `/audit?${query}`);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining(`"${name}"`)]);
  });

  test('needs the permission admin', async () => {
    const { key } = await service.services.keyring.create({ permissions: ['read', 'upload', 'manage'] });
    expect((await send('GET', '/audit', undefined, { 'x-api-key': key })).status).toBe(403);
  });
});

test('no entry contains a secret', async () => {
  const made = (await send('POST', '/api-keys/create', { name: 'for the search' })).json().apiKey as { key: string };
  const hook = (await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hidden', events: ['file.stored'] })).json();
  const { id } = hook.webhook as { id: string };
  const rotated = (await send('POST', `/webhooks/${id}/rotate-secret`)).json();
  await send('GET', '/authenticated/s--0123456789abcdef/w_10/a.png', undefined, { 'x-api-key': 'invented-key' });
  await send('GET', '/audit', undefined, { 'x-api-key': 'invented-key', 'x-forwarded-for': '198.18.0.8' });
  const token = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';
  const secrets = [
    TEST_KEY,
    made.key,
    hook.secret,
    rotated.secret,
    ADMIN.ADMIN_PASSWORD,
    'a wrong password',
    'another password',
    'my secret password',
    'invented',
    'hidden',
    API_SECRET,
    token,
    ...Object.values(presignedFields('signed')).filter((value) => /^[0-9a-f]{16,}$/.test(value)),
  ].map(String);
  const text = JSON.stringify(await service.services.database.db.selectFrom('audit').selectAll().execute());
  expect(text.length).toBeGreaterThan(1000);
  for (const secret of secrets) expect([secret, text.includes(secret)]).toEqual([secret, false]);
});

/** Changes that leave no entry, and why. */
const SILENT: Readonly<Record<string, string>> = {
  'POST /upload/sign': 'changes nothing',
  'POST /api/auth/invitation': 'changes nothing',
  'POST /api/auth/sign-in/oidc': 'the callback leaves the entry',
  'POST /api/auth/oidc/connect': 'the callback leaves the entry',
  'POST /api/auth/two-factor/enable': 'its confirmation by a code leaves the entry',
  'POST /storage/stats/recalculate': 'changes nothing that was stored',
  'POST /upload/resumable': 'the file leaves an entry once it is stored',
  'PATCH /upload/resumable/:id': 'the file leaves an entry once it is stored',
  'POST /upload/resumable/:id': 'the file leaves an entry once it is stored',
  'DELETE /upload/resumable/:id': 'no file was stored',
};

test('each endpoint that changes something declares its entry', () => {
  const changing = endpoints.filter(
    ({ method, access }) => method !== 'GET' && access !== 'read' && access !== 'public',
  );
  const silent = changing.filter(({ audit }) => audit === undefined).map(({ method, path }) => `${method} ${path}`);
  expect(changing.length).toBeGreaterThan(30);
  expect(silent.toSorted()).toEqual(Object.keys(SILENT).toSorted());
});

test('a service that keeps no audit log answers as ever, with an empty one', async () => {
  const silent = await startService({ AUDIT_DAYS: '0' });
  try {
    await writeFile(join(silent.data, 'originals', 'a.png'), fixture('flag-alpha.png'));
    expect((await silent.authorized('/storage/a.png', { method: 'DELETE' })).status).toBe(200);
    expect((await silent.authorized('/api-keys/create', { method: 'POST' })).status).toBe(200);
    expect(await (await silent.authorized('/audit')).json()).toEqual({ entries: [], nextCursor: null });
  } finally {
    await silent.close();
  }
});
