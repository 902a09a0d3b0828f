import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, askJson, cookiesOf } from '../http.ts';
import { addPerson, cookieOf, PASSWORD } from '../people.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { addSpace } from '../space-rows.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: PASSWORD };
const problem = (code: string) => expect.objectContaining({ code, message: expect.any(String) });

let service: TestService;
let owner: string;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  owner = await cookieOf(service, ADMIN.ADMIN_EMAIL);
});
afterAll(() => service.close());

function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const all = { origin: service.url, 'x-forwarded-for': anotherAddress(), ...headers };
  return askJson(service.url, method, path, body, all);
}

const create = (body: object = { role: 'editor' }, headers: Record<string, string> = { cookie: owner }) =>
  call('POST', '/members/invitations', body, headers);
const invite = async (body?: object) => tokenOf(await create(body));
const tokenOf = (answer: Answer) => String(answer.json().url).split('#token=')[1] ?? '';
const describeToken = (token: string) => call('POST', '/api/auth/invitation', { token });
const accept = (body: object, headers: Record<string, string> = {}) =>
  call('POST', '/api/auth/invitation/accept', body, headers);
const accessOf = async (cookie: string) => (await ask(service.url, '/access', { headers: { cookie } })).json();
let people = 0;
const newcomer = () => ({ email: `new-${people++}@example.com`, password: PASSWORD });

describe('POST /members/invitations', () => {
  test('shows the link once, to the page of the dashboard, with the token behind a #', async () => {
    const answer = await create({ role: 'viewer', email: 'Eve@Example.com', expiresIn: 3600 });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { url, invitation } = answer.json() as { url: string; invitation: Record<string, string> };
    expect(url).toMatch(new RegExp(`^${service.url}/dashboard/invitation#token=[\\w-]{43}$`));
    expect(invitation).toMatchObject({ role: 'viewer', email: 'eve@example.com', createdBy: expect.any(String) });
    expect(Date.parse(invitation.expiresAt ?? '') - Date.parse(invitation.createdAt ?? '')).toBeCloseTo(3_600_000, -3);
    const listed = await call('GET', '/members', undefined, { cookie: owner });
    expect(listed.json().invitations).toEqual([invitation]);
    expect(listed.body.toString()).not.toContain(tokenOf(answer));
    const removed = await call('DELETE', `/members/invitations/${invitation.id}`, undefined, { cookie: owner });
    expect([removed.status, removed.json()]).toEqual([200, { success: true }]);
    expect((await call('GET', '/members', undefined, { cookie: owner })).json().invitations).toEqual([]);
    expect((await describeToken(tokenOf(answer))).status).toBe(404);
  });

  test('refuses a field that it does not know, and names those that it does', async () => {
    const before = await service.services.invitations.list('');
    const answer = await create({ role: 'admin', space: 'acme', password: 'a secret' });
    expect([answer.status, answer.json()]).toEqual([400, problem('validation_failed')]);
    const expected = 'In the body: expected no field "space", "password", only "role", "email", "expiresIn".';
    expect(answer.json().message).toBe(expected);
    expect(await service.services.invitations.list('')).toEqual(before);
  });

  test('is for admins, up to their own role', async () => {
    const { cookie } = await addPerson(service, { role: 'editor' });
    expect((await create({ role: 'viewer' }, { cookie })).json()).toEqual(problem('missing_permission'));
    const admin = await addPerson(service, { role: 'admin' });
    for (const headers of [{ cookie: admin.cookie }, { 'x-api-key': TEST_KEY }]) {
      const tooHigh = await create({ role: 'owner' }, headers);
      expect([tooHigh.status, tooHigh.json()]).toEqual([403, problem('role_too_high')]);
      expect((await create({ role: 'admin' }, headers)).status).toBe(200);
    }
    const byKey = await create({ role: 'viewer' }, { 'x-api-key': TEST_KEY });
    expect(byKey.json()).toMatchObject({ invitation: { createdBy: null } });
  });

  test('refuses other roles, addresses and terms', async () => {
    for (const body of [
      {},
      { role: 'emperor' },
      { role: 'viewer', email: 'nobody' },
      { role: 'viewer', expiresIn: 3599 },
      { role: 'viewer', expiresIn: 2_592_001 },
    ]) {
      const answer = await create(body);
      expect([answer.status, answer.json()]).toEqual([400, problem('validation_failed')]);
    }
  });

  test('is 404 when an unknown one is deleted', async () => {
    const answer = await call('DELETE', '/members/invitations/unknown', undefined, { cookie: owner });
    expect([answer.status, answer.json()]).toEqual([404, problem('invitation_not_found')]);
  });
});

describe('an invitation', () => {
  test('names its terms to whoever has the token', async () => {
    const token = await invite({ role: 'contributor', email: 'zoe@example.com' });
    const answer = await describeToken(token);
    expect([answer.status, answer.headers['cache-control'], answer.json()]).toEqual([
      200,
      'no-store',
      { space: null, role: 'contributor', email: 'zoe@example.com', invitedBy: expect.any(String) },
    ]);
  });

  test('creates an account that is signed in, once', async () => {
    const token = await invite();
    const fields = { token, name: 'Eve', ...newcomer() };
    const answer = await accept(fields);
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        success: true,
        user: {
          id: expect.any(String),
          name: 'Eve',
          email: fields.email,
          emailVerified: true,
          image: null,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          twoFactorEnabled: false,
        },
      },
    ]);
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^darkroom\.session_token=[^;]+; .*HttpOnly; SameSite=Lax/);
    expect(await accessOf(cookiesOf(answer))).toMatchObject({ via: 'session', role: 'editor' });
    expect(await accessOf(await cookieOf(service, fields.email))).toMatchObject({ role: 'editor' });
    for (const again of [await describeToken(token), await accept({ token, ...newcomer() })])
      expect([again.status, again.json()]).toEqual([404, problem('invitation_not_found')]);
  });

  test('with a session gives its account the role', async () => {
    const person = await addPerson(service, { role: 'viewer' });
    const headers = { cookie: person.cookie };
    const answer = await accept({ token: await invite() }, headers);
    expect([answer.status, answer.json()]).toMatchObject([200, { user: { id: person.userId } }]);
    expect(await accessOf(person.cookie)).toMatchObject({ role: 'editor' });
    const foreign = await accept({ token: await invite() }, { ...headers, origin: 'https://evil.example' });
    expect([foreign.status, foreign.json()]).toEqual([403, problem('foreign_origin')]);
  });

  test('for one address is for no other', async () => {
    const token = await invite({ role: 'viewer', email: 'mia@example.com' });
    const { cookie } = await addPerson(service, { role: 'viewer' });
    for (const answer of [await accept({ token, ...newcomer() }), await accept({ token }, { cookie })])
      expect([answer.status, answer.json()]).toEqual([400, problem('bad_request')]);
    expect((await accept({ token, password: PASSWORD })).json()).toMatchObject({ user: { email: 'mia@example.com' } });
  });

  test('does not replace an account, and stays open', async () => {
    const token = await invite();
    const taken = await accept({ token, email: 'Ada@example.com', password: PASSWORD });
    expect([taken.status, taken.json(), taken.headers['set-cookie']]).toEqual([
      409,
      problem('account_exists'),
      undefined,
    ]);
    expect((await accept({ token, ...newcomer() })).status).toBe(200);
  });

  test('needs an address and a password of 8 to 128 characters', async () => {
    const token = await invite();
    const { email } = newcomer();
    for (const body of [{ email }, { password: PASSWORD }])
      expect((await accept({ token, ...body })).json()).toEqual(problem('missing_input'));
    for (const password of ['1234567', 'x'.repeat(129)])
      expect((await accept({ token, email, password })).json()).toEqual(problem('validation_failed'));
    expect((await accept({ token, email, password: '12345678' })).status).toBe(200);
  });

  test('accepted by many at the same time creates one account', async () => {
    const token = await invite();
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept({ token, ...newcomer() })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  test('is not accepted from a page of another site', async () => {
    const token = await invite();
    const answer = await accept({ token, ...newcomer() }, { origin: 'https://evil.example' });
    expect([answer.status, answer.json()]).toEqual([403, problem('foreign_origin')]);
    expect((await describeToken(token)).status).toBe(200);
  });
});

test('addresses that have an account count as sign-ins: an invitation for any address does not tell who has one', async () => {
  const from = { 'x-forwarded-for': '203.0.113.78' };
  const body = { token: await invite(), email: ADMIN.ADMIN_EMAIL, password: PASSWORD };
  for (let n = 0; n < 3; n++) expect((await accept(body, from)).json()).toEqual(problem('account_exists'));
  expect((await accept(body, from)).json()).toEqual(problem('too_many_sign_ins'));
});

test('wrong tokens count as sign-ins: the fourth in ten seconds is 429, and right ones are not counted', async () => {
  const from = { 'x-forwarded-for': '203.0.113.77' };
  const token = await invite();
  const right = () => call('POST', '/api/auth/invitation', { token }, from);
  for (let n = 0; n < 4; n++) expect((await right()).status).toBe(200);
  const guess = (n: number) => {
    const body = { token: `guess ${n}` };
    if (n % 2 === 0) return accept({ ...body, ...newcomer() }, from);
    return call('POST', '/api/auth/invitation', body, from);
  };
  for (const n of [1, 2, 3]) expect((await guess(n)).status).toBe(404);
  const refused = await guess(4);
  expect([refused.status, refused.json().code, Number(refused.headers['retry-after']) > 0]).toEqual([
    429,
    'too_many_sign_ins',
    true,
  ]);
  const body = { email: ADMIN.ADMIN_EMAIL, password: PASSWORD };
  expect((await call('POST', '/api/auth/sign-in/email', body, from)).status).toBe(429);
  expect((await right()).status).toBe(200);
});

test('the audit log of the space has the account that joined, wherever it accepted', async () => {
  await addSpace(service.services.database, 'acme');
  await service.services.spaceManager.load();
  const inviteTo = async (role: string) =>
    tokenOf(await call('POST', '/b/acme/members/invitations', { role }, { cookie: owner }));
  const joined = async (answer: Answer) => {
    expect(answer.status).toBe(200);
    const { id, name } = answer.json().user as { id: string; name: string };
    return { action: 'member.joined', space: 'acme', target: id, actor: { type: 'user', id, name } };
  };
  const first = await joined(await accept({ token: await inviteTo('viewer'), ...newcomer() }));
  const { cookie } = await addPerson(service, { role: 'viewer' });
  const second = await joined(await accept({ token: await inviteTo('editor') }, { cookie }));
  const log = await call('GET', '/b/acme/audit?action=member.joined', undefined, { cookie: owner });
  expect(log.json().entries).toMatchObject([
    { ...second, detail: { role: 'editor' } },
    { ...first, detail: { role: 'viewer' } },
  ]);
});

test('sign-up stays closed', async () => {
  const answer = await call('POST', '/api/auth/sign-up/email', { ...newcomer(), name: 'Eve' });
  expect(answer.status).toBe(404);
});
