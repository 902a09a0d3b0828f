import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../../src/cluster/messages.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';

let service: LibraryService;
let told: Message[];
const endpoints: Endpoint[] = [];

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: 'test-secret-at-least-16-chars-long' });
  const { bus } = service.services.cluster;
  vi.spyOn(bus, 'publish').mockImplementation(async (message) => void told.push(message));
  endpoints.push(...ROUTES.flatMap((family) => family({ services: service.services } as never)));
});
afterAll(() => service.close());
beforeEach(async () => {
  told = [];
  await service.clear();
  await service.store('a.png', 'trips/b.png');
  told = [];
});

const file = (path: string) => ({ kind: 'original', path, isFolder: false });
/** The version lets nodes ignore changes that they have already seen. */
const stored = (path: string) => ({ ...file(path), etag: expect.any(String) });
const folder = (path: string) => ({ kind: 'original', path, isFolder: true });

/** Requests that change something, each with the resulting notification to other nodes. */
const CHANGES: readonly [endpoint: string, method: string, path: string, body: unknown, messages: unknown[]][] = [
  ['PATCH /storage/*', 'PATCH', '/storage/a.png', { name: 'c.png' }, [file('a.png'), stored('c.png')]],
  ['PATCH /storage/*', 'PATCH', '/storage/trips', { name: 'tours' }, [folder('trips'), folder('tours')]],
  ['POST /storage/*', 'POST', '/storage/a.png/move', { destination: 'trips' }, [file('a.png'), stored('trips/a.png')]],
  ['POST /storage/*', 'POST', '/storage/a.png/copy', { destination: 'trips' }, [stored('trips/a.png')]],
  ['PUT /storage/*', 'PUT', '/storage/a.png', picture('new'), [stored('a.png')]],
  ['DELETE /storage/*', 'DELETE', '/storage/a.png', undefined, [file('a.png')]],
  ['DELETE /storage/*', 'DELETE', '/storage/a.png?trash=true', undefined, [folder('a.png')]],
  ['DELETE /storage/*', 'DELETE', '/storage/trips?recursive=true&trash=true', undefined, [folder('trips')]],
  ['DELETE /storage/*', 'DELETE', '/storage/trips?recursive=true', undefined, [folder('trips')]],
  [
    'DELETE /invalidate/*',
    'DELETE',
    '/invalidate/a.png',
    undefined,
    [{ kind: 'variants', path: 'a.png', isFolder: true }],
  ],
  [
    'POST /storage/batch',
    'POST',
    '/storage/batch',
    { action: 'move', destination: 'trips', items: [{ path: 'a.png' }] },
    [file('a.png'), stored('trips/a.png')],
  ],
  ['PATCH /assets/*', 'PATCH', '/assets/a.png', { focal: { x: 0.2, y: 0.3 } }, [file('a.png')]],
  ['PATCH /assets/*', 'PATCH', '/assets/a.png', { title: 'A' }, []],
  ['POST /storage/cache/clear', 'POST', '/storage/cache/clear', undefined, [{ kind: 'cleared' }]],
];

/** Requests that change nothing cached by other nodes, or are tested below. */
const OTHERS: readonly string[] = [
  'PATCH /tags/*',
  'DELETE /tags/*',
  'POST /delivery/sign',
  'POST /delivery/translate',
  'POST /download-zip',
  'POST /download-zip/ticket',
  'POST /upload',
  'OPTIONS /upload/resumable',
  'POST /upload/resumable',
  'POST /upload/resumable/:id',
  'PATCH /upload/resumable/:id',
  'DELETE /upload/resumable/:id',
  'POST /trash/:id/restore',
  'DELETE /trash/:id',
  'DELETE /trash',
  'POST /upload/createfolder',
  'POST /upload/sign',
  'POST /upload/url',
  'POST /storage/stats/recalculate',
  'POST /queue/jobs/retry',
  'DELETE /queue/jobs',
  'POST /queue/jobs/:jobId/retry',
  'POST /queue/jobs/:jobId/cancel',
  'DELETE /queue/jobs/:jobId',
  'POST /webhooks',
  'PATCH /webhooks/:id',
  'DELETE /webhooks/:id',
  'POST /webhooks/:id/rotate-secret',
  'POST /webhooks/:id/test',
  'POST /webhooks/:id/deliveries/:deliveryId/redeliver',
  'POST /api-keys/create',
  'PATCH /api-keys/:keyId',
  'DELETE /api-keys/:keyId',
  'POST /api/auth/sign-in/email',
  'POST /api/auth/sign-out',
  'POST /api/auth/setup',
  'POST /api/auth/change-password',
  'PATCH /api/auth/account',
  'POST /redirects',
  'DELETE /redirects',
  'DELETE /api/auth/sessions/:sessionId',
  'DELETE /api/auth/sessions',
  'POST /spaces',
  'DELETE /spaces/:spaceId',
  'PATCH /spaces/:spaceId',
  'POST /spaces/:spaceId/rotate-secret',
  'PATCH /members/:userId',
  'DELETE /members/:userId',
  'POST /members/invitations',
  'DELETE /members/invitations/:invitationId',
  'POST /api/auth/invitation',
  'POST /api/auth/invitation/accept',
  'POST /api/auth/sign-in/oidc',
  'POST /api/auth/oidc/connect',
  'POST /api/auth/two-factor/enable',
  'POST /api/auth/two-factor/disable',
  'POST /api/auth/two-factor/verify-totp',
  'POST /api/auth/two-factor/verify-backup-code',
];

describe('the other machines are told', () => {
  test.each(CHANGES)('of %s before the answer: %s %s', async (_endpoint, method, path, body, messages) => {
    const answer = await service.call(method, path, body);
    expect(answer.status).toBe(200);
    expect(told).toEqual(messages);
  });

  test('of uploads and new folders', async () => {
    await service.upload({ 'c.png': picture('c') }, { folder: 'trips' });
    const form = new FormData();
    form.append('folder', 'empty');
    await service.authorized('/upload/createfolder', { method: 'POST', body: form });
    expect(told).toEqual([stored('trips/c.png'), file('empty')]);
  });

  test('of what comes back from the trash, and of versions', async () => {
    await service.call('PUT', '/storage/a.png', picture('new'));
    const { versions } = (await service.call('GET', '/storage/a.png/versions')).json() as {
      versions: { id: string }[];
    };
    await service.call('DELETE', '/storage/trips?recursive=true&trash=true');
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    told = [];
    await service.call('POST', `/storage/a.png/versions/${versions[0]?.id}/restore`);
    await service.call('POST', `/trash/${items[0]?.id}/restore`);
    expect(told).toEqual([stored('a.png'), folder('trips')]);
  });

  test('of redirects', async () => {
    expect((await service.call('POST', '/redirects', { from: 'old.png', to: 'a.png' })).status).toBe(201);
    expect((await service.call('DELETE', '/redirects?from=old.png')).status).toBe(200);
    expect(told).toEqual([file('old.png'), file('old.png')]);
  });

  test('of changes of the keys', async () => {
    const made = (await service.call('POST', '/api-keys/create')).json() as { apiKey: { id: string } };
    await service.call('PATCH', `/api-keys/${made.apiKey.id}`, { enabled: false });
    await service.call('DELETE', `/api-keys/${made.apiKey.id}`);
    expect(told).toEqual([{ kind: 'key' }, { kind: 'key' }, { kind: 'key' }]);
  });

  test('also of changes that fail half way', async () => {
    const { store } = service.services.originals;
    const moving = store.move('a.png' as never, 'trips/b.png' as never, { existing: 'keep' });
    await expect(moving).rejects.toThrow();
    expect(told).toEqual([file('a.png'), file('trips/b.png')]);
  });

  test('of every endpoint that changes something', () => {
    const known = new Set([...CHANGES.map(([endpoint]) => endpoint), ...OTHERS]);
    const changing = endpoints
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !/^(GET|HEAD) /.test(name));
    expect(changing.filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !changing.includes(name))).toEqual([]);
  });
});

test('nobody is told of what is only read', async () => {
  for (const path of ['/storage', '/storage/a.png/metadata', '/t/w_10/a.png', '/storage/stats', '/api-keys/list'])
    expect((await service.call('GET', path)).status).toBe(200);
  expect(told).toEqual([]);
});
