import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLES } from '../../src/auth/roles.ts';
import { ask, askJson } from '../http.ts';
import { addPerson, cookieOf, PASSWORD, type Person } from '../people.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: PASSWORD };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let service: TestService;
let owner: string;
beforeAll(async () => {
  service = await startService(ADMIN);
  owner = await cookieOf(service, ADMIN.ADMIN_EMAIL);
});
afterAll(() => service.close());

function call(method: string, path: string, headers: Record<string, string>, body?: object) {
  return askJson(service.url, method, path, body, { origin: service.url, ...headers });
}

const asOwner = (method: string, path: string, body?: object) => call(method, path, { cookie: owner }, body);
const withKey = (method: string, path: string, body?: object) => call(method, path, { 'x-api-key': TEST_KEY }, body);
const members = async () => (await asOwner('GET', '/members')).json().members as Record<string, unknown>[];
const memberOf = async ({ userId }: Person) => (await members()).find((member) => member.userId === userId);
const problem = (code: string) => expect.objectContaining({ code, message: expect.any(String) });
const isSignedIn = async ({ cookie }: Person) =>
  (await ask(service.url, '/api/auth/get-session', { headers: { cookie } })).json() !== null;

describe('GET /members', () => {
  test('lists the account of the settings as the owner, and no invitations', async () => {
    const answer = await asOwner('GET', '/members');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json()).toEqual({
      members: [
        {
          userId: expect.any(String),
          name: 'Admin',
          email: 'ada@example.com',
          role: 'owner',
          source: 'given',
          twoFactor: false,
          createdAt: time,
        },
      ],
      invitations: [],
    });
    expect((await withKey('GET', '/members')).json()).toEqual(answer.json());
  });

  test('does not list people who have a role in a space only', async () => {
    const guest = await addPerson(service, { role: 'admin', space: 'acme' });
    expect(await memberOf(guest)).toBeUndefined();
  });
});

describe('a role', () => {
  test('counts from the next request on, without another sign-in', async () => {
    const person = await addPerson(service, { role: 'viewer' });
    const clear = () => call('POST', '/storage/cache/clear', { cookie: person.cookie }, {});
    const refused = await clear();
    expect([refused.status, refused.json()]).toEqual([
      403,
      {
        error: 'Forbidden',
        code: 'missing_permission',
        message: 'This needs the permission "manage"; the role of this account is viewer, which has: read.',
      },
    ]);
    const changed = await asOwner('PATCH', `/members/${person.userId}`, { role: 'editor' });
    expect([changed.status, changed.json()]).toEqual([
      200,
      { success: true, member: expect.objectContaining({ userId: person.userId, role: 'editor', source: 'given' }) },
    ]);
    expect((await clear()).status).toBe(200);
    await asOwner('PATCH', `/members/${person.userId}`, { role: 'contributor' });
    expect((await clear()).status).toBe(403);
  });

  test('in a space alone opens nothing of the installation but the own account', async () => {
    const { cookie } = await addPerson(service, { role: 'owner', space: 'acme' });
    const answer = await ask(service.url, '/storage', { headers: { cookie } });
    expect([answer.status, answer.json().message]).toEqual([
      403,
      'This needs the permission "read"; this account has no role here.',
    ]);
    expect((await ask(service.url, '/api/auth/sessions', { headers: { cookie } })).status).toBe(200);
  });

  test('that is missing everywhere makes the session invalid', async () => {
    const { cookie, userId } = await addPerson(service, { role: 'admin' });
    await service.services.database.db.deleteFrom('member').where('userId', '=', userId).execute();
    for (const path of ['/storage', '/api/auth/sessions'])
      expect((await ask(service.url, path, { headers: { cookie } })).status, path).toBe(401);
  });

  test('has to be one of the five', async () => {
    const person = await addPerson(service, { role: 'viewer' });
    for (const body of [{ role: 'emperor' }, {}, { role: 1 }]) {
      const answer = await asOwner('PATCH', `/members/${person.userId}`, body);
      expect([answer.status, answer.json()]).toEqual([400, problem('validation_failed')]);
    }
    expect(await memberOf(person)).toMatchObject({ role: 'viewer' });
  });

  test('is changed from the own origin only', async () => {
    const person = await addPerson(service, { role: 'viewer' });
    const headers = { cookie: owner, origin: 'https://evil.example' };
    const answer = await call('PATCH', `/members/${person.userId}`, headers, { role: 'owner' });
    expect([answer.status, answer.json().code]).toEqual([403, 'foreign_origin']);
    expect(await memberOf(person)).toMatchObject({ role: 'viewer' });
  });

  test('of an owner is given, changed and removed by owners only', async () => {
    const admin = await addPerson(service, { role: 'admin' });
    const person = await addPerson(service, { role: 'editor' });
    for (const headers of [{ cookie: admin.cookie }, { 'x-api-key': TEST_KEY }]) {
      const answer = await call('PATCH', `/members/${person.userId}`, headers, { role: 'owner' });
      expect([answer.status, answer.json()]).toEqual([403, problem('role_too_high')]);
    }
    expect((await call('PATCH', `/members/${person.userId}`, { cookie: admin.cookie }, { role: 'admin' })).status).toBe(
      200,
    );
    expect((await asOwner('PATCH', `/members/${person.userId}`, { role: 'owner' })).status).toBe(200);
    const removed = await call('DELETE', `/members/${person.userId}`, { 'x-api-key': TEST_KEY });
    expect([removed.status, removed.json()]).toEqual([403, problem('role_too_high')]);
    expect((await asOwner('DELETE', `/members/${person.userId}`)).status).toBe(200);
  });
});

describe('DELETE /members/{userId}', () => {
  test('ends the account and its sessions', async () => {
    const person = await addPerson(service, { role: 'admin' });
    expect((await ask(service.url, '/storage', { headers: { cookie: person.cookie } })).status).toBe(200);
    const answer = await asOwner('DELETE', `/members/${person.userId}`);
    expect([answer.status, answer.json()]).toEqual([200, { success: true }]);
    expect((await ask(service.url, '/storage', { headers: { cookie: person.cookie } })).status).toBe(401);
    expect([await isSignedIn(person), await memberOf(person)]).toEqual([false, undefined]);
    await expect(cookieOf(service, person.email)).rejects.toThrow('Invalid email or password');
  });

  test('is 404 for an account that is no member here', async () => {
    const guest = await addPerson(service, { role: 'viewer', space: 'acme' });
    for (const id of ['unknown', guest.userId]) {
      for (const method of ['DELETE', 'PATCH']) {
        const answer = await asOwner(method, `/members/${id}`, method === 'PATCH' ? { role: 'viewer' } : undefined);
        expect([answer.status, answer.json()]).toEqual([404, problem('member_not_found')]);
      }
    }
    expect(await isSignedIn(guest)).toBe(true);
  });

  test('is 409 for the last owner, whose role stays too', async () => {
    const [last] = (await members()).filter(({ role }) => role === 'owner');
    for (const answer of [
      await asOwner('DELETE', `/members/${last?.userId}`),
      await asOwner('PATCH', `/members/${last?.userId}`, { role: 'admin' }),
    ])
      expect([answer.status, answer.json()]).toEqual([409, problem('last_owner')]);
    expect((await asOwner('GET', '/members')).status).toBe(200);
  });
});

describe('GET /access', () => {
  test('answers everyone', async () => {
    const none = { space: null, via: null, role: null, permissions: [], canSign: false };
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { cookie: 'darkroom.session_token=made.up' }]) {
      const answer = await ask(service.url, '/access', { headers });
      expect([answer.status, answer.json(), answer.headers['cache-control']]).toEqual([200, none, 'no-store']);
    }
  });

  test('names the permissions of a key, and the role and permissions of a session', async () => {
    const { key } = await service.services.keyring.create({ permissions: ['read', 'upload'] });
    expect((await ask(service.url, '/access', { headers: { 'x-api-key': key } })).json()).toEqual({
      space: null,
      via: 'key',
      role: null,
      permissions: ['read', 'upload'],
      canSign: false,
    });
    const permissions = ['read', 'upload', 'manage', 'admin'];
    for (const [n, role] of ROLES.entries()) {
      const { cookie } = await addPerson(service, { role });
      const answer = await ask(service.url, '/access', { headers: { cookie } });
      expect(answer.json()).toEqual({
        space: null,
        via: 'session',
        role,
        permissions: permissions.slice(0, n + 1),
        canSign: false,
      });
    }
  });

  test('says whether the caller can sign URLs, and nothing of the secret to others', async () => {
    const signing = await startService({ API_SECRET: 'a secret of enough characters' });
    const canSign = async (headers: Record<string, string>) =>
      (await ask(signing.url, '/access', { headers })).json().canSign;
    const reader = await signing.services.keyring.create({ permissions: ['read'] });
    const uploader = await signing.services.keyring.create({ permissions: ['upload'] });
    expect(await canSign({ 'x-api-key': reader.key })).toBe(true);
    expect(await canSign({ 'x-api-key': uploader.key })).toBe(false);
    expect(await canSign({})).toBe(false);
    await signing.close();
  });

  test('counts a use of a key once', async () => {
    const { key, id } = await service.services.keyring.create({ remaining: 5 });
    expect((await ask(service.url, '/access', { headers: { 'x-api-key': key } })).json().via).toBe('key');
    const [row] = (await service.services.keyring.list()).filter((one) => one.id === id);
    expect(row?.remaining).toBe(4);
  });
});

test('an own address that another account has is 409', async () => {
  const person = await addPerson(service, { role: 'viewer' });
  const body = { email: 'Ada@example.com', currentPassword: PASSWORD };
  const answer = await call('PATCH', '/api/auth/account', { cookie: person.cookie }, body);
  expect([answer.status, answer.json()]).toEqual([409, problem('account_exists')]);
  expect(await memberOf(person)).toMatchObject({ email: person.email });
});
