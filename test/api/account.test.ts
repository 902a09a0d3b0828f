import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, askJson } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const json = { 'content-type': 'application/json' };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let service: TestService;
let cookie: string;
beforeEach(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  cookie = await signIn(service, ADMIN);
});
afterEach(() => service.close());

function call(method: string, path: string, body?: object, headers: Record<string, string> = { cookie }) {
  return ask(service.url, `/api/auth/${path}`, {
    method,
    headers: { origin: service.url, 'x-forwarded-for': anotherAddress(), ...(body && json), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const change = (body: object) => call('POST', 'change-password', body);
const canSignIn = (email: string, password: string) =>
  signIn(service, { ADMIN_EMAIL: email, ADMIN_PASSWORD: password }).then(
    () => true,
    () => false,
  );
const isGood = async (one: string) => (await ask(service.url, '/storage', { headers: { cookie: one } })).status === 200;

describe('POST /api/auth/change-password', () => {
  const right = { currentPassword: ADMIN.ADMIN_PASSWORD, newPassword: 'another long password' };

  test('sets another password and ends the other sessions', async () => {
    const other = await signIn(service, ADMIN);
    const answer = await change(right);
    expect([answer.status, answer.json(), answer.headers['cache-control']]).toEqual([
      200,
      { success: true },
      'no-store',
    ]);
    expect([await isGood(cookie), await isGood(other)]).toEqual([true, false]);
    expect(await canSignIn('ada@example.com', ADMIN.ADMIN_PASSWORD)).toBe(false);
    expect(await canSignIn('ada@example.com', right.newPassword)).toBe(true);
  });

  test('leaves the other sessions when it is told to', async () => {
    const other = await signIn(service, ADMIN);
    expect((await change({ ...right, revokeOthers: false })).status).toBe(200);
    expect([await isGood(cookie), await isGood(other)]).toEqual([true, true]);
  });

  test('is 403 with a wrong current password, and changes nothing', async () => {
    const other = await signIn(service, ADMIN);
    const answer = await change({ ...right, currentPassword: 'something else' });
    expect([answer.status, answer.json()]).toEqual([
      403,
      { error: 'Forbidden', code: 'wrong_password', message: 'The current password is wrong.' },
    ]);
    expect([await isGood(cookie), await isGood(other)]).toEqual([true, true]);
    expect(await canSignIn('ada@example.com', ADMIN.ADMIN_PASSWORD)).toBe(true);
  });

  test('lets nobody guess faster than at the door', async () => {
    const headers = { cookie, 'x-forwarded-for': '203.0.113.9' };
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const body = { currentPassword: `guess ${n}`, newPassword: right.newPassword };
      statuses.push((await call('POST', 'change-password', body, headers)).status);
    }
    expect(statuses).toEqual([403, 403, 403, 429]);
  });

  test('counts wrong passwords as failed sign-ins of the account, from wherever they come', async () => {
    const wrong = { currentPassword: 'a guess', newPassword: right.newPassword };
    for (let n = 0; n < 10; n++) expect((await change(wrong)).status).toBe(403);
    const answer = await change(right);
    expect([answer.status, answer.json().code]).toEqual([429, 'too_many_sign_ins']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('is 400 for what is missing, too short, too long or of another kind, and names it', async () => {
    for (const [body, named] of [
      [{ newPassword: 'another long password' }, 'currentPassword'],
      [{ currentPassword: '', newPassword: 'another long password' }, 'currentPassword'],
      [{ currentPassword: 'x'.repeat(129), newPassword: 'another long password' }, 'currentPassword'],
      [{ currentPassword: ADMIN.ADMIN_PASSWORD }, 'newPassword'],
      [{ currentPassword: ADMIN.ADMIN_PASSWORD, newPassword: '7 chars' }, 'newPassword'],
      [{ currentPassword: ADMIN.ADMIN_PASSWORD, newPassword: 'x'.repeat(129) }, 'newPassword'],
      [{ ...right, revokeOthers: 'yes' }, 'revokeOthers'],
    ] as const) {
      const answer = await change(body);
      expect([answer.status, answer.json()], JSON.stringify(body)).toEqual([
        400,
        { error: 'Bad request', code: 'validation_failed', message: expect.stringContaining(named) },
      ]);
      expect(answer.body.toString()).not.toContain(ADMIN.ADMIN_PASSWORD);
    }
  });
});

describe('PATCH /api/auth/account', () => {
  const update = (body: object) => call('PATCH', 'account', body);

  test('changes the name', async () => {
    const answer = await update({ name: '  Ada Lovelace ' });
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        user: {
          id: expect.any(String),
          name: 'Ada Lovelace',
          email: 'ada@example.com',
          emailVerified: true,
          image: null,
          createdAt: time,
          updatedAt: time,
          twoFactorEnabled: false,
        },
      },
    ]);
    expect((await call('GET', 'get-session')).json()).toMatchObject({ user: { name: 'Ada Lovelace' } });
  });

  test('changes the address with the password; then that one signs in, and the session stays', async () => {
    const body = { email: 'Lovelace@Example.com', currentPassword: ADMIN.ADMIN_PASSWORD };
    expect((await update(body)).json()).toMatchObject({ user: { email: 'lovelace@example.com' } });
    expect(await isGood(cookie)).toBe(true);
    expect(await canSignIn('ada@example.com', ADMIN.ADMIN_PASSWORD)).toBe(false);
    expect(await canSignIn('lovelace@example.com', ADMIN.ADMIN_PASSWORD)).toBe(true);
  });

  test('needs the password for another address, and the right one', async () => {
    const without = await update({ email: 'lovelace@example.com' });
    expect([without.status, without.json().code, without.json().message]).toEqual([
      400,
      'missing_input',
      'Expected "currentPassword" with another "email", received none.',
    ]);
    const wrong = await update({ email: 'lovelace@example.com', currentPassword: 'something else' });
    expect([wrong.status, wrong.json().code]).toEqual([403, 'wrong_password']);
    expect((await update({ email: 'Ada@example.com', name: 'Ada' })).status).toBe(200);
    expect(await canSignIn('ada@example.com', ADMIN.ADMIN_PASSWORD)).toBe(true);
  });

  test('tells nobody faster than sign-ins which addresses have an account, from any number of clients', async () => {
    const guess = (n: number) => update({ email: `guess-${n}@example.com`, currentPassword: ADMIN.ADMIN_PASSWORD });
    for (let n = 0; n < 3; n++) expect((await guess(n)).status).toBe(200);
    const answer = await guess(3);
    expect([answer.status, answer.json().code]).toEqual([429, 'too_many_sign_ins']);
    expect(answer.json().message).toContain('changes of the address of one account');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await update({ name: 'Ada' })).status).toBe(200);
  });

  test('leaves an address with an open invitation to the person who has the link', async () => {
    const headers = { 'x-api-key': TEST_KEY };
    const body = { role: 'viewer', email: 'eve@example.com' };
    const invited = await askJson(service.url, 'POST', '/members/invitations', body, headers);
    const take = () => update({ email: 'Eve@example.com', currentPassword: ADMIN.ADMIN_PASSWORD });
    const answer = await take();
    expect([answer.status, answer.json().code]).toEqual([409, 'account_exists']);
    const { id } = invited.json().invitation as { id: string };
    expect((await askJson(service.url, 'DELETE', `/members/invitations/${id}`, undefined, headers)).status).toBe(200);
    expect((await take()).status).toBe(200);
  });

  test('is 400 for nothing to change, and for what is no name or address, and names it', async () => {
    for (const [body, named] of [
      [{}, 'name'],
      [{ currentPassword: ADMIN.ADMIN_PASSWORD }, 'email'],
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ email: 'nobody' }, 'email'],
    ] as const) {
      const answer = await update(body);
      expect([answer.status, answer.json().code], JSON.stringify(body)).toEqual([400, 'validation_failed']);
      expect(answer.json().message).toContain(named);
    }
  });
});

describe('the sessions', () => {
  const list = async () => (await call('GET', 'sessions')).json().sessions as { id: string; current: boolean }[];

  test('are listed without their tokens, the newest first, with whence they came', async () => {
    const other = await ask(service.url, '/api/auth/sign-in/email', {
      method: 'POST',
      headers: { ...json, 'x-forwarded-for': '203.0.113.7', 'user-agent': 'A browser/1.0' },
      body: JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD }),
    });
    const answer = await call('GET', 'sessions');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json()).toEqual({
      sessions: [
        {
          id: expect.any(String),
          current: false,
          createdAt: time,
          expiresAt: time,
          address: '203.0.113.7',
          userAgent: 'A browser/1.0',
        },
        {
          id: expect.any(String),
          current: true,
          createdAt: time,
          expiresAt: time,
          address: expect.any(String),
          userAgent: null,
        },
      ],
    });
    for (const one of [cookie, other.headers['set-cookie']?.[0] ?? '']) {
      const token = decodeURIComponent(one.split(/[=;]/)[1] ?? '').split('.')[0] ?? '';
      expect(token).toHaveLength(32);
      expect(answer.body.toString()).not.toContain(token);
    }
  });

  test('end one by one, the own one too; an unknown one is 404', async () => {
    const other = await signIn(service, ADMIN);
    const [first, second] = await list();
    expect((await call('DELETE', `sessions/${first?.id}`)).json()).toEqual({ success: true });
    expect([await isGood(cookie), await isGood(other)]).toEqual([true, false]);
    const unknown = await call('DELETE', `sessions/${first?.id}`);
    expect([unknown.status, unknown.json()]).toEqual([
      404,
      { error: 'Not found', code: 'session_not_found', message: 'Session not found.' },
    ]);
    expect((await call('DELETE', `sessions/${second?.id}`)).status).toBe(200);
    expect(await isGood(cookie)).toBe(false);
  });

  test('end all but the own one', async () => {
    const others = [await signIn(service, ADMIN), await signIn(service, ADMIN)];
    expect((await call('DELETE', 'sessions')).json()).toEqual({ success: true });
    expect(await Promise.all([cookie, ...others].map(isGood))).toEqual([true, false, false]);
    expect((await list()).map(({ current }) => current)).toEqual([true]);
  });

  test('that have expired are not shown', async () => {
    await signIn(service, ADMIN);
    const [newest] = await list();
    const past = new Date(Date.now() - 1000).toISOString();
    const { db } = service.services.database;
    await db
      .updateTable('session')
      .set({ expiresAt: past })
      .where('id', '=', newest?.id ?? '')
      .execute();
    expect((await list()).map(({ current }) => current)).toEqual([true]);
  });
});

describe('whoever has no session', () => {
  const requests = [
    ['POST', 'change-password', {}],
    ['PATCH', 'account', {}],
    ['GET', 'sessions', undefined],
    ['DELETE', 'sessions/one', undefined],
    ['DELETE', 'sessions', undefined],
  ] as const;

  test('gets 401 from each, also with a key', async () => {
    for (const [method, path, body] of requests) {
      for (const headers of [{}, { 'x-api-key': TEST_KEY }, { cookie: 'darkroom.session_token=made.up' }]) {
        const answer = await call(method, path, body, headers as Record<string, string>);
        expect([answer.status, answer.json().code], `${method} ${path}`).toEqual([401, 'unauthorized']);
      }
    }
  });

  test('of ours changes nothing from another site: 403', async () => {
    for (const [method, path, body] of requests.filter(([method]) => method !== 'GET')) {
      const answer = await call(method, path, body, { cookie, origin: 'https://evil.example' });
      expect([answer.status, answer.json().code], `${method} ${path}`).toEqual([403, 'foreign_origin']);
    }
    expect(await isGood(cookie)).toBe(true);
  });
});
