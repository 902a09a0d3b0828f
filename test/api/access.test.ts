import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../../src/auth/api-key.ts';
import { Contract, type DocumentedOperation } from '../contract.ts';
import { type Answer, ask, fixture } from '../http.ts';
import { addPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';

/** Permissions according to the specification and the decisions, independent of the code. */
const TABLE: Record<string, 'open' | 'session' | 'credentials' | 'read' | 'upload' | 'manage' | 'admin'> = {
  'GET /t/{transformations}/{path}': 'open',
  'GET /t/{path}': 'open',
  'GET /authenticated/s--{signature}/{transformations}/{path}': 'open',
  'GET /authenticated/s--{signature}/{path}': 'open',
  'GET /authenticated/s--{signature}--{expires}/{transformations}/{path}': 'open',
  'GET /authenticated/s--{signature}--{expires}/{path}': 'open',
  'POST /delivery/sign': 'read',
  'POST /delivery/translate': 'read',
  'GET /download/{path}': 'open',
  'GET /download-folder/{path}': 'open',
  'POST /download-zip': 'read',
  'POST /download-zip/ticket': 'read',
  'GET /download-zip/{ticket}': 'open',
  'POST /upload': 'upload',
  'POST /upload/url': 'upload',
  'POST /upload/sign': 'upload',
  'POST /upload/resumable': 'upload',
  'GET /upload/resumable/{id}': 'upload',
  'PATCH /upload/resumable/{id}': 'upload',
  'DELETE /upload/resumable/{id}': 'upload',
  'POST /upload/createfolder': 'upload',
  'GET /storage': 'read',
  'GET /storage/folders': 'read',
  'GET /storage/folder-summaries': 'read',
  'GET /storage/stats': 'read',
  'POST /storage/stats/recalculate': 'manage',
  'POST /storage/cache/clear': 'manage',
  'GET /storage/usage': 'read',
  'POST /storage/batch': 'manage',
  'GET /assets': 'read',
  'GET /assets/duplicates': 'read',
  'GET /assets/{path}': 'read',
  'PATCH /assets/{path}': 'manage',
  'GET /tags': 'read',
  'PATCH /tags/{tag}': 'manage',
  'DELETE /tags/{tag}': 'manage',
  'POST /redirects': 'manage',
  'GET /redirects': 'read',
  'DELETE /redirects': 'manage',
  'GET /storage/{path}/metadata': 'read',
  'GET /storage/{path}/versions': 'read',
  'GET /storage/{path}/versions/{id}': 'read',
  'POST /storage/{path}/versions/{id}/restore': 'manage',
  'DELETE /storage/{path}/versions/{id}': 'manage',
  'PATCH /storage/{path}': 'manage',
  'PUT /storage/{path}': 'manage',
  'POST /storage/{path}/move': 'manage',
  'POST /storage/{path}/copy': 'manage',
  'DELETE /storage/{path}': 'manage',
  'GET /trash': 'read',
  'GET /trash/{id}/preview': 'read',
  'POST /trash/{id}/restore': 'manage',
  'DELETE /trash/{id}': 'manage',
  'DELETE /trash': 'manage',
  'DELETE /invalidate/{path}': 'manage',
  'GET /queue/stats': 'read',
  'GET /queue/worker/stats': 'read',
  'GET /queue/jobs': 'read',
  'GET /queue/jobs/{jobId}': 'read',
  'POST /queue/jobs/retry': 'manage',
  'DELETE /queue/jobs': 'manage',
  'POST /queue/jobs/{jobId}/retry': 'manage',
  'POST /queue/jobs/{jobId}/cancel': 'manage',
  'DELETE /queue/jobs/{jobId}': 'manage',
  'GET /queue/events': 'open',
  'GET /video-status/{path}': 'open',
  'GET /video-status/{path}/size': 'open',
  'GET /video-status/s--{signature}/{transformations}/{path}': 'open',
  'GET /video-status/s--{signature}/{transformations}/{path}/size': 'open',
  'GET /video-status/s--{signature}--{expires}/{transformations}/{path}': 'open',
  'GET /video-status/s--{signature}--{expires}/{transformations}/{path}/size': 'open',
  'POST /webhooks': 'admin',
  'GET /webhooks': 'admin',
  'GET /webhooks/{id}': 'admin',
  'PATCH /webhooks/{id}': 'admin',
  'DELETE /webhooks/{id}': 'admin',
  'POST /webhooks/{id}/rotate-secret': 'admin',
  'POST /webhooks/{id}/test': 'admin',
  'GET /webhooks/{id}/deliveries': 'admin',
  'POST /webhooks/{id}/deliveries/{deliveryId}/redeliver': 'admin',
  'POST /api-keys/create': 'admin',
  'GET /api-keys/list': 'admin',
  'PATCH /api-keys/{keyId}': 'admin',
  'DELETE /api-keys/{keyId}': 'admin',
  'GET /access': 'open',
  'POST /spaces': 'admin',
  'GET /spaces': 'credentials',
  'DELETE /spaces/{spaceId}': 'admin',
  'GET /spaces/{spaceId}': 'read',
  'PATCH /spaces/{spaceId}': 'admin',
  'POST /spaces/{spaceId}/rotate-secret': 'admin',
  'GET /members': 'admin',
  'PATCH /members/{userId}': 'admin',
  'DELETE /members/{userId}': 'admin',
  'POST /members/invitations': 'admin',
  'DELETE /members/invitations/{invitationId}': 'admin',
  'POST /api/auth/invitation': 'open',
  'POST /api/auth/invitation/accept': 'open',
  'POST /api/auth/sign-in/email': 'open',
  'POST /api/auth/sign-out': 'open',
  'GET /api/auth/get-session': 'open',
  'GET /api/auth/setup': 'open',
  'POST /api/auth/setup': 'open',
  'POST /api/auth/change-password': 'session',
  'PATCH /api/auth/account': 'session',
  'GET /api/auth/sessions': 'session',
  'DELETE /api/auth/sessions/{sessionId}': 'session',
  'DELETE /api/auth/sessions': 'session',
  'GET /audit': 'admin',
  'GET /usage': 'admin',
  'GET /api/auth/methods': 'open',
  'POST /api/auth/sign-in/oidc': 'open',
  'POST /api/auth/oidc/connect': 'session',
  'GET /api/auth/oidc/connect': 'session',
  'POST /api/auth/two-factor/enable': 'session',
  'POST /api/auth/two-factor/disable': 'session',
  'POST /api/auth/two-factor/verify-totp': 'open',
  'POST /api/auth/two-factor/verify-backup-code': 'open',
  'GET /health': 'open',
  'GET /health/database': 'admin',
  'GET /livez': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'admin',
  'GET /limits': 'open',
  'GET /settings': 'admin',
  'GET /stats/activity': 'admin',
  'GET /stats/history': 'admin',
  'GET /transformations': 'open',
  'GET /api/version': 'open',
};

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const JSON_TYPE = { 'content-type': 'application/json' };
/** An endless stream has no response to wait for. */
const ENDLESS = 'GET /queue/events';

let service: TestService;
let contract: Contract;
let cookie: string;
const keys = { wrong: 'x'.repeat(64), disabled: '', expired: '', all: '' };
const keysWithout: Partial<Record<string, string>> = {};
const keysWith: Partial<Record<string, string>> = {};
/** Sessions of people whose role is the lowest with a permission, and the highest without it. */
const sessionsWith: Partial<Record<string, string>> = {};
const sessionsWithout: Partial<Record<string, string>> = {};
const LOWEST = { read: 'viewer', upload: 'contributor', manage: 'editor', admin: 'admin' } as const;

beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, API_SECRET: 'test-secret-at-least-16-chars-long' });
  const originals = service.originals;
  await mkdir(join(originals, 'folder'), { recursive: true });
  await writeFile(join(originals, 'folder', 'alpha.png'), fixture('flag-alpha.png'));
  contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
  const { keyring, database } = service.services;
  const disabled = await keyring.create();
  await keyring.update(disabled.id, { enabled: false });
  const expired = await keyring.create();
  const past = new Date(Date.now() - 1000).toISOString();
  await database.db.updateTable('api_key').set({ expiresAt: past }).where('id', '=', expired.id).execute();
  Object.assign(keys, { disabled: disabled.key, expired: expired.key, all: (await keyring.create()).key });
  for (const permission of PERMISSIONS) {
    const others = PERMISSIONS.filter((one) => one !== permission);
    keysWithout[permission] = (await keyring.create({ permissions: others })).key;
    keysWith[permission] = (await keyring.create({ permissions: [permission] })).key;
  }
  cookie = await signIn(service, ADMIN);
  // Without a role in the installation.
  let lower = (await addPerson(service, { role: 'owner', space: 'elsewhere' })).cookie;
  for (const permission of PERMISSIONS) {
    sessionsWithout[permission] = lower;
    lower = (await addPerson(service, { role: LOWEST[permission] })).cookie;
    sessionsWith[permission] = lower;
  }
});
afterAll(() => service.close());

const nameOf = ({ method, path }: DocumentedOperation) => `${method} ${path}`;

/** Calls an operation on missing objects, so that admission changes nothing. */
function call(operation: DocumentedOperation, headers: Record<string, string>): Promise<Answer> {
  const values: Record<string, string> = {
    path: 'nowhere/missing.png',
    transformations: 'w_10',
    signature: '0123456789abcdef',
    expires: '9999999999',
  };
  // A version is recognized by the format of its id.
  const id = operation.path.includes('/versions/') ? '01890000-0000-7000-8000-000000000000' : 'unknown';
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? id);
  if (operation.method === 'GET' || operation.method === 'DELETE')
    return ask(service.url, path, { method: operation.method, headers });
  return ask(service.url, path, { method: operation.method, headers: { ...JSON_TYPE, ...headers }, body: '{}' });
}

const isAdmitted = ({ status }: Answer) => status !== 401 && status !== 403;

test('the document lists the operations of the table', () => {
  expect(contract.operations.map(nameOf).toSorted()).toEqual(Object.keys(TABLE).toSorted());
});

const called = Object.keys(TABLE).filter((name) => name !== ENDLESS);

describe.each(called)('%s', (name) => {
  const needed = TABLE[name];
  const find = () => {
    const operation = contract.operations.find((one) => nameOf(one) === name);
    if (!operation) throw new Error(`${name} is not in the document.`);
    return operation;
  };
  const expectContract = (answer: Answer) => expect(contract.objection(find(), answer)).toBeUndefined();

  if (needed === 'open') {
    test('needs no key', async () => {
      const answer = await call(find(), {});
      expectContract(answer);
      // Signatures and setup tokens are rejected on their own grounds.
      if (!/signature|setup|sign-in/.test(name)) expect(isAdmitted(answer)).toBe(true);
      expect(answer.headers['www-authenticate']).not.toBe(name.includes('auth') ? 'none' : 'Bearer');
    });
    return;
  }

  test('is 401 without credentials, and with a wrong, a disabled and an expired key', async () => {
    const { wrong, disabled, expired } = keys;
    const attempts: Record<string, string>[] = [{}, { cookie: 'darkroom.session_token=made.up' }];
    for (const key of [wrong, disabled, expired])
      attempts.push({ authorization: `Bearer ${key}` }, { 'x-api-key': key });
    for (const headers of attempts) {
      // A presigned upload may come without a key: a request that is neither an upload form nor tus is rejected as
      // such.
      const answer = await call(find(), headers);
      expectContract(answer);
      const isAnonymous = !('authorization' in headers) && !('x-api-key' in headers);
      if (isAnonymous && (name === 'POST /upload' || name.includes('/upload/resumable'))) {
        expect(name === 'POST /upload' ? [400, 401] : [412]).toContain(answer.status);
        continue;
      }
      expect([answer.status, answer.headers['www-authenticate']], JSON.stringify(headers)).toEqual([401, 'Bearer']);
      expect(answer.json()).toEqual({
        error: 'Unauthorized',
        code: expect.stringMatching(/^(unauthorized|invalid_api_key)$/),
        message: expect.any(String),
      });
    }
  });

  if (needed === 'session') {
    test('is 401 with a key that may do everything, and open to the session', async () => {
      const refused = await call(find(), { 'x-api-key': keys.all });
      expectContract(refused);
      expect([refused.status, refused.json().code]).toEqual([401, 'unauthorized']);
      const answer = await call(find(), { cookie, origin: service.url });
      expectContract(answer);
      expect(isAdmitted(answer), `${answer.body}`).toBe(true);
    });
    return;
  }

  if (needed === 'credentials') {
    test('is open to any key, and to the session of any person', async () => {
      for (const headers of [...Object.values(keysWith), keys.all].map((key) => ({ 'x-api-key': key ?? '' }))) {
        const answer = await call(find(), headers);
        expectContract(answer);
        expect(answer.status).toBe(200);
      }
      for (const session of [cookie, ...Object.values(sessionsWith), ...Object.values(sessionsWithout)])
        expect((await call(find(), { cookie: session ?? '', origin: service.url })).status).toBe(200);
    });
    return;
  }

  test(`is 403 with a key that lacks "${needed}", which the answer names`, async () => {
    const answer = await call(find(), { 'x-api-key': keysWithout[needed ?? ''] ?? '' });
    expectContract(answer);
    expect([answer.status, answer.json().error]).toEqual([403, 'Forbidden']);
    expect(answer.json().message).toContain(`"${needed}"`);
  });

  test(`is 403 with the session of a role that lacks "${needed}", which the answer names`, async () => {
    const answer = await call(find(), { cookie: sessionsWithout[needed ?? ''] ?? '', origin: service.url });
    expectContract(answer);
    // Of a resumable upload, the version of the protocol and then the upload decide who may go on with it.
    if (name.includes('/upload/resumable/{id}')) return expect(answer.status).toBe(412);
    expect([answer.status, answer.json().code]).toEqual([403, 'missing_permission']);
    expect(answer.json().message).toContain(`"${needed}"`);
  });

  test(`is open to the session of the lowest role with "${needed}"`, async () => {
    const answer = await call(find(), { cookie: sessionsWith[needed ?? ''] ?? '', origin: service.url });
    expectContract(answer);
    expect(isAdmitted(answer), `${answer.body}`).toBe(true);
  });

  test(`is open to a key with "${needed}" alone, to one with all, and to the session`, async () => {
    const origin = service.url;
    const some = keysWith[needed ?? ''] ?? '';
    for (const headers of [{ 'x-api-key': some }, { authorization: `Bearer ${keys.all}` }, { cookie, origin }]) {
      const answer = await call(find(), headers);
      expectContract(answer);
      expect(isAdmitted(answer), `${JSON.stringify(headers)} ${answer.body}`).toBe(true);
    }
  });
});
