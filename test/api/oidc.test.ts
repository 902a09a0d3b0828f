import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, ask, askJson, cookiesOf } from '../http.ts';
import { CLIENT_ID, CLIENT_SECRET, type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';
import { addSpace } from '../space-rows.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const CALLBACK = '/api/auth/callback/oidc';
const BOB = { email: 'Bob@example.com', email_verified: true, name: 'Bob', groups: ['media', 'staff'] };

let provider: IdentityProvider;
let service: TestService;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-oidc-'));
  provider = await startIdentityProvider(() => service.url + CALLBACK);
  provider.people.set('bob', BOB);
});
afterEach(async () => {
  await service.close();
  await provider.close();
  await rm(folder, { recursive: true });
});

/** Starts the service with the identity provider, and its admin as owner. */
async function start(settings: Record<string, string> = {}): Promise<void> {
  service = await startService({
    ...ADMIN,
    ...FROM_ANYWHERE,
    DATA_DIR: folder,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_NAME: 'Example ID',
    OIDC_ROLES: 'media=editor,acme-team=acme:admin',
    ...settings,
  });
}

const db = () => service.services.database.db;
const members = () =>
  db().selectFrom('member').innerJoin('user', 'user.id', 'userId').select(['email', 'space', 'role', 'source']);
const rolesOf = (email: string) => members().where('email', '=', email).orderBy('space').execute();
const users = async () =>
  (await db().selectFrom('user').select('email').orderBy('email').execute()).map((u) => u.email);

function post(path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const origin = headers.cookie !== undefined && { origin: service.url };
  const all = { 'x-forwarded-for': anotherAddress(), ...origin, ...headers };
  return askJson(service.url, 'POST', `/api/auth/${path}`, body, all);
}

/** Follows the identity provider's redirect back to the service. */
function callBack(url: string, cookie: string): Promise<Answer> {
  const { pathname, search } = new URL(url);
  return ask(service.url, pathname + search, { headers: { cookie, 'x-forwarded-for': anotherAddress() } });
}

interface Begun {
  answer: Answer;
  url: URL;
  cookie: string;
}

async function begin(body?: object, path = 'sign-in/oidc', headers: Record<string, string> = {}): Promise<Begun> {
  const answer = await post(path, body, headers);
  expect([answer.status, answer.body.toString()]).toEqual([200, expect.anything()]);
  return { answer, url: new URL(String(answer.json().url)), cookie: cookiesOf(answer) };
}

/** Signs a person in through the identity provider; returns the answer to the callback. */
async function signInAs(subject: string, body?: object): Promise<Answer> {
  const { url, cookie } = await begin(body);
  return callBack(await provider.signIn(url.href, subject), cookie);
}

const isGood = async (cookie: string) => (await ask(service.url, '/storage', { headers: { cookie } })).status === 200;
const outcome = async (answer: Answer) => [answer.status, answer.headers.location, await isGood(cookiesOf(answer))];
const refused = (reason: string) => [302, `/dashboard/login?error=${reason}`, false];
const welcome = [302, '/dashboard/', true];

describe('GET /api/auth/methods', () => {
  test('names the identity provider, and says if passwords are accepted', async () => {
    await start();
    const methods = await ask(service.url, '/api/auth/methods');
    expect([methods.status, methods.json()]).toEqual([200, { password: true, oidc: { name: 'Example ID' } }]);
  });

  test('has no identity provider without one, and then there is nothing to begin', async () => {
    service = await startService({ ...ADMIN, ...FROM_ANYWHERE, DATA_DIR: folder });
    expect((await ask(service.url, '/api/auth/methods')).json()).toEqual({ password: true, oidc: null });
    expect((await post('sign-in/oidc')).status).toBe(404);
    expect((await ask(service.url, CALLBACK)).status).toBe(404);
  });
});

describe('a sign-in', () => {
  test('begins with the code flow, PKCE, a state and a nonce, bound to the browser by a cookie', async () => {
    await start();
    const { answer, url } = await begin();
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: service.url + CALLBACK,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^darkroom\.oidc=[0-9a-z$]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/i);
    for (const name of ['state', 'nonce']) expect(cookie).not.toContain(url.searchParams.get(name));
    expect(answer.headers['cache-control']).toContain('no-store');
  });

  test('of a new person makes an account with the roles of its groups, and leads to the requested page', async () => {
    await start();
    const answer = await signInAs('bob', { to: '/trash?sort=name' });
    expect(await outcome(answer)).toEqual([302, '/dashboard/trash?sort=name', true]);
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(await rolesOf('bob@example.com')).toEqual([
      { email: 'bob@example.com', space: '', role: 'editor', source: 'oidc' },
    ]);
    const account = await db().selectFrom('account').selectAll().where('accountId', '=', 'bob').execute();
    expect(account).toEqual([
      {
        id: expect.any(String),
        accountId: 'bob',
        providerId: `oidc:${provider.issuer}`,
        userId: expect.any(String),
        accessToken: null,
        refreshToken: null,
        idToken: null,
        accessTokenExpiresAt: null,
        refreshTokenExpiresAt: null,
        scope: null,
        password: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const session = await ask(service.url, '/api/auth/get-session', { headers: { cookie: cookiesOf(answer) } });
    expect(session.json()).toMatchObject({ user: { email: 'bob@example.com', name: 'Bob', emailVerified: true } });
  });

  test('finds the claims at the UserInfo endpoint if the ID token lacks them', async () => {
    await start();
    provider.setClaimsInToken(false);
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
    expect(await rolesOf('bob@example.com')).toHaveLength(1);
    expect(provider.requests).toContain('/me');
  });

  test('reads groups from a claim inside of another one', async () => {
    await start({ OIDC_ROLES_CLAIM: 'realm_access.roles' });
    provider.people.set('eve', { ...BOB, email: 'eve@example.com', groups: [], realm_access: { roles: ['media'] } });
    expect(await outcome(await signInAs('eve'))).toEqual(welcome);
    expect(await outcome(await signInAs('bob'))).toEqual(refused('no_role'));
  });

  test('needs our own origin in a browser, and counts as one of the three tries of its address', async () => {
    await start();
    const foreign = await post('sign-in/oidc', undefined, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.json().code]).toEqual([403, 'foreign_origin']);
    const address = { 'x-forwarded-for': '203.0.113.5' };
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await post('sign-in/oidc', undefined, address)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/../t/a.jpg',
    '/%2e%2e/t/a.jpg',
    '/\t/evil.example',
    '/a\r\nSet-Cookie: x=y',
    'javascript:alert(1)',
    '',
    'trash',
  ])('does not continue at %j: 400', async (to) => {
    await start();
    const answer = await post('sign-in/oidc', { to });
    expect([answer.status, answer.json().code]).toEqual([400, 'validation_failed']);
  });

  test('continues at a page of at most 1000 characters after encoding, so that its cookie is stored', async () => {
    await start({ PUBLIC_URL: `http://${'h'.repeat(60)}.example/${'p'.repeat(190)}` });
    const longest = `/files?path=${'%C3%A4'.repeat(164)}abcd`;
    expect(longest).toHaveLength(1000);
    const { answer } = await begin({ to: longest });
    expect(answer.headers['set-cookie']?.[0]?.split(';')[0]?.length).toBeLessThan(4096);
    for (const to of [`${longest}e`, `/files?path=${'ä'.repeat(165)}`]) {
      const refused = await post('sign-in/oidc', { to });
      expect([refused.status, refused.json()]).toMatchObject([
        400,
        { code: 'validation_failed', message: expect.stringContaining('1000 characters') },
      ]);
    }
  });

  test('begins with the prefix of PUBLIC_URL, and ends there', async () => {
    await start({ PUBLIC_URL: 'http://media.example/sub' });
    const { url } = await begin();
    expect(url.searchParams.get('redirect_uri')).toBe(`http://media.example/sub${CALLBACK}`);
    const answer = await ask(service.url, `${CALLBACK}?code=x&state=y`);
    expect(answer.headers.location).toBe('/sub/dashboard/login?error=sign_in_expired');
  });

  test('ends without this prefix at the host of a space, which has none', async () => {
    await start({ PUBLIC_URL: 'http://media.example/sub' });
    const body = JSON.stringify({ id: 'acme', hosts: ['acme.example'] });
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
    expect((await ask(service.url, '/spaces', { method: 'POST', headers, body })).status).toBe(200);
    const answer = await ask(service.url, `${CALLBACK}?code=x&state=y`, { headers: { host: 'acme.example' } });
    expect(answer.headers.location).toBe('/dashboard/login?error=sign_in_expired');
  });
});

describe('roles by groups', () => {
  const createSpace = (id: string) => addSpace(service.services.database, id);
  const become = (groups: string[]) => provider.people.set('bob', { ...BOB, groups });

  test('are set at each sign-in, also those of spaces that exist', async () => {
    await start();
    become(['media', 'acme-team']);
    await signInAs('bob');
    expect(await rolesOf('bob@example.com')).toMatchObject([{ space: '', role: 'editor' }]);
    await createSpace('acme');
    await signInAs('bob');
    expect(await rolesOf('bob@example.com')).toMatchObject([
      { space: '', role: 'editor' },
      { space: 'acme', role: 'admin' },
    ]);
    become(['acme-team']);
    const ofSpace = await signInAs('bob');
    expect(ofSpace.headers.location).toBe('/dashboard/');
    const headers = { cookie: cookiesOf(ofSpace) };
    expect((await ask(service.url, '/api/auth/sessions', { headers })).status).toBe(200);
    expect((await ask(service.url, '/storage', { headers })).json()).toMatchObject({ code: 'missing_permission' });
    expect(await rolesOf('bob@example.com')).toMatchObject([{ space: 'acme', role: 'admin' }]);
  });

  test('that were given by a person stay', async () => {
    await start();
    await signInAs('bob');
    const given = { role: 'viewer', source: 'given' } as const;
    await db().updateTable('member').set(given).where('source', '=', 'oidc').execute();
    become([]);
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
    expect(await rolesOf('bob@example.com')).toMatchObject([given]);
  });

  test('let nobody in who ends with none, and end the sessions of the account', async () => {
    await start();
    const first = cookiesOf(await signInAs('bob'));
    become(['others']);
    expect(await outcome(await signInAs('bob'))).toEqual(refused('no_role'));
    expect(await isGood(first)).toBe(false);
    expect(await users()).toEqual([ADMIN.ADMIN_EMAIL]);
  });

  test('may have a default', async () => {
    await start({ OIDC_DEFAULT_ROLE: 'viewer' });
    become([]);
    await signInAs('bob');
    expect(await rolesOf('bob@example.com')).toMatchObject([{ space: '', role: 'viewer', source: 'oidc' }]);
  });
});

describe('a new person is refused, and gets no account,', () => {
  const refuse = async (person: object, reason: string) => {
    provider.people.set('eve', { ...BOB, ...person });
    expect(await outcome(await signInAs('eve'))).toEqual(refused(reason));
    expect(await users()).toEqual([ADMIN.ADMIN_EMAIL]);
  };

  test('without a role', async () => {
    await start();
    await refuse({ groups: undefined }, 'no_role');
    await refuse({ groups: ['others'] }, 'no_role');
    await refuse({ groups: { media: true } }, 'no_role');
  });

  test('with the address of an account, which is not connected', async () => {
    await start();
    await refuse({ email: 'ADA@example.com' }, 'account_exists');
    const providers = await db().selectFrom('account').select('providerId').execute();
    expect(providers).toEqual([{ providerId: 'credential' }]);
  });

  test.each([false, 'false'])('with an address that is said to be unverified (%j)', async (email_verified) => {
    await start();
    await refuse({ email_verified }, 'email_not_verified');
  });

  test('without an address', async () => {
    await start();
    await refuse({ email: undefined }, 'email_missing');
    await refuse({ email: 'no address' }, 'email_missing');
  });

  test('who refuses at the identity provider', async () => {
    await start();
    expect(await outcome(await signInAs('nobody'))).toEqual(refused('access_denied'));
  });
});

describe('an account is found by issuer and subject alone', () => {
  test('so whoever takes the address of another one stays who he is', async () => {
    await start();
    await signInAs('bob');
    provider.people.set('bob', { ...BOB, email: ADMIN.ADMIN_EMAIL });
    const answer = await signInAs('bob');
    expect(await outcome(answer)).toEqual(welcome);
    const session = await ask(service.url, '/api/auth/get-session', { headers: { cookie: cookiesOf(answer) } });
    expect(session.json()).toMatchObject({ user: { email: 'bob@example.com' } });
  });

  test('and the same subject of another issuer is somebody else', async () => {
    await start();
    await signInAs('bob');
    await db()
      .updateTable('account')
      .set({ providerId: 'oidc:https://other.example' })
      .where('accountId', '=', 'bob')
      .execute();
    expect(await outcome(await signInAs('bob'))).toEqual(refused('account_exists'));
  });

  test('so two first sign-ins at the same time make one', async () => {
    await start();
    const answers = await Promise.all([begin(), begin()]);
    const urls = [];
    for (const { url } of answers) urls.push(await provider.signIn(url.href, 'bob'));
    const done = await Promise.all(urls.map((url, n) => callBack(url, answers[n]?.cookie ?? '')));
    for (const answer of done) expect(await outcome(answer)).toEqual(welcome);
    expect(await users()).toEqual([ADMIN.ADMIN_EMAIL, 'bob@example.com']);
  });
});

describe('a response is refused', () => {
  const hourAgo = () => Math.floor(Date.now() / 1000) - 3600;
  const tampered: [string, () => { claims?: object; header?: object }][] = [
    ['with another nonce', () => ({ claims: { nonce: 'another' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['for another audience', () => ({ claims: { aud: 'another' } })],
    ['for several audiences, and authorized for another', () => ({ claims: { aud: [CLIENT_ID, 'x'], azp: 'x' } })],
    ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['that has expired', () => ({ claims: { exp: hourAgo() } })],
    ['without a signature', () => ({ header: { alg: 'none' } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
  ];
  test.each(tampered)('%s', async (_name, change) => {
    await start();
    provider.tamper(change());
    expect(await outcome(await signInAs('bob'))).toEqual(refused('sign_in_failed'));
    expect(await users()).toEqual([ADMIN.ADMIN_EMAIL]);
    provider.tamper({});
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
  });

  test('with a signature of another key', async () => {
    await start();
    provider.tamper({}, true);
    expect(await outcome(await signInAs('bob'))).toEqual(refused('sign_in_failed'));
  });

  test('that was used before, without a request to the identity provider', async () => {
    await start();
    const { url, cookie } = await begin();
    const response = await provider.signIn(url.href, 'bob');
    expect(await outcome(await callBack(response, cookie))).toEqual(welcome);
    const before = provider.requests.length;
    expect(await outcome(await callBack(response, cookie))).toEqual(refused('sign_in_expired'));
    expect(provider.requests.length).toBe(before);
  });

  test('with a code of another sign-in', async () => {
    await start();
    const mine = await begin();
    const other = await begin();
    const theirs = new URL(await provider.signIn(other.url.href, 'bob'));
    theirs.searchParams.set('state', mine.url.searchParams.get('state') ?? '');
    expect(await outcome(await callBack(theirs.href, mine.cookie))).toEqual(refused('sign_in_failed'));
  });

  test('in another browser, with another state, or later', async () => {
    await start();
    const { url, cookie } = await begin();
    const response = await provider.signIn(url.href, 'bob');
    const other = await begin();
    for (const one of ['', 'darkroom.oidc=made-up', other.cookie]) {
      expect(await outcome(await callBack(response, one))).toEqual(refused('sign_in_expired'));
    }
    expect(await outcome(await callBack(response.replace(/state=[^&]*/, 'state=x'), cookie))).toEqual(
      refused('sign_in_expired'),
    );
    expect(await outcome(await callBack(`${response}&state=x`, cookie))).toEqual(refused('sign_in_expired'));
    expect(await outcome(await callBack(response, cookie))).toEqual(welcome);
  });
});

test('keys may change from one sign-in to the next', async () => {
  await start();
  for (let n = 0; n < 3; n++) {
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
    provider.rotateKeys();
  }
});

describe('while the identity provider is unavailable', () => {
  test('the service starts, a sign-in is 503, and it works again afterwards', async () => {
    await provider.stop();
    await start();
    const answer = await post('sign-in/oidc');
    expect([answer.status, answer.json().code, answer.headers['retry-after']]).toEqual([
      503,
      'identity_provider_unavailable',
      '10',
    ]);
    await signIn(service, ADMIN);
    await provider.start();
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
  });

  test('a sign-in in progress ends at the page to sign in', async () => {
    await start();
    const { url, cookie } = await begin();
    const response = await provider.signIn(url.href, 'bob');
    await provider.stop();
    expect(await outcome(await callBack(response, cookie))).toEqual(refused('identity_provider_unavailable'));
  });

  test.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['fails', (response) => response.writeHead(500).end('{}')],
    ['sends more than a megabyte', (response) => response.end(Buffer.alloc(2_000_000, ' '))],
    ['redirects', (response) => response.writeHead(302, { location: 'https://evil.example' }).end()],
    [
      'is another issuer',
      (response) => response.setHeader('content-type', 'application/json').end('{"issuer":"https://evil.example"}'),
    ],
  ])('because it %s, a sign-in is 503', async (_name, answer) => {
    await start();
    provider.replaceBy((_request, response) => answer(response));
    expect((await post('sign-in/oidc')).json().code).toBe('identity_provider_unavailable');
  });
});

describe('POST /api/auth/oidc/connect', () => {
  const connect = async (cookie: string, subject: string, to?: string) => {
    const begun = await begin(to === undefined ? undefined : { to }, 'oidc/connect', { cookie });
    return callBack(await provider.signIn(begun.url.href, subject), `${cookie}; ${begun.cookie}`);
  };

  test('lets the account be signed in to by the identity, whatever its address and its groups', async () => {
    await start();
    const cookie = await signIn(service, ADMIN);
    provider.people.set('ada', { email: 'lovelace@example.org', email_verified: false });
    const answer = await connect(cookie, 'ada');
    expect([answer.status, answer.headers.location]).toEqual([302, '/dashboard/account']);
    expect(await isGood(cookie)).toBe(true);
    const signedIn = await signInAs('ada');
    expect(await outcome(signedIn)).toEqual(welcome);
    const session = await ask(service.url, '/api/auth/get-session', { headers: { cookie: cookiesOf(signedIn) } });
    expect(session.json()).toMatchObject({ user: { email: ADMIN.ADMIN_EMAIL } });
    expect(await rolesOf(ADMIN.ADMIN_EMAIL)).toMatchObject([{ role: 'owner', source: 'given' }]);
  });

  test('takes the place of the identity before, and nobody else’s', async () => {
    await start();
    await signInAs('bob');
    const cookie = await signIn(service, ADMIN);
    const taken = await connect(cookie, 'bob');
    expect(taken.headers.location).toBe('/dashboard/account?error=account_connected');
    for (const subject of ['one', 'two']) {
      provider.people.set(subject, {});
      await connect(cookie, subject);
    }
    const accounts = await db()
      .selectFrom('account')
      .select('accountId')
      .where('providerId', 'like', 'oidc:%')
      .execute();
    expect(accounts.map(({ accountId }) => accountId).toSorted()).toEqual(['bob', 'two']);
  });

  test('is reported to the owner of the account', async () => {
    await start();
    const cookie = await signIn(service, ADMIN);
    const isConnected = async (headers: Record<string, string>) => {
      const answer = await ask(service.url, '/api/auth/oidc/connect', { headers });
      return [answer.status, answer.json().connected];
    };
    expect(await isConnected({})).toEqual([401, undefined]);
    expect(await isConnected({ cookie })).toEqual([200, false]);
    provider.people.set('ada', {});
    await connect(cookie, 'ada');
    expect(await isConnected({ cookie })).toEqual([200, true]);
    expect(await isConnected({ cookie: cookiesOf(await signInAs('bob')) })).toEqual([200, true]);
  });

  test('needs a session, our own origin, and the same account in the end', async () => {
    await start();
    expect((await post('oidc/connect')).status).toBe(401);
    const cookie = await signIn(service, ADMIN);
    const foreign = await post('oidc/connect', undefined, { cookie, origin: 'https://evil.example' });
    expect([foreign.status, foreign.json().code]).toEqual([403, 'foreign_origin']);
    provider.people.set('ada', {});
    const bob = cookiesOf(await signInAs('bob'));
    for (const other of ['', bob]) {
      const begun = await begin(undefined, 'oidc/connect', { cookie });
      const response = await provider.signIn(begun.url.href, 'ada');
      const answer = await callBack(response, `${other}; ${begun.cookie}`);
      expect(answer.headers.location).toBe('/dashboard/account?error=sign_in_expired');
    }
    expect(await db().selectFrom('account').select('userId').where('accountId', '=', 'ada').execute()).toEqual([]);
  });
});

describe('the audit log', () => {
  const entries = async () => {
    const answer = await ask(service.url, '/audit', { headers: { 'x-api-key': TEST_KEY } });
    return (answer.json().entries as { action: string }[]).toReversed();
  };

  test('has new accounts, sign-ins and their failures, with the reason', async () => {
    await start();
    await signInAs('bob');
    await signInAs('bob');
    provider.people.set('eve', { ...BOB, groups: [] });
    await signInAs('eve');
    const [bob] = await db().selectFrom('user').select('id').where('email', '=', 'bob@example.com').execute();
    const actor = { type: 'user', id: bob?.id, name: 'Bob' };
    const provided = { type: 'system', id: null, name: 'Example ID' };
    const detail = { provider: 'Example ID' };
    expect(await entries()).toMatchObject([
      { action: 'member.joined', actor: provided, target: bob?.id, detail: { ...detail, role: 'editor' } },
      { action: 'account.created', actor, target: bob?.id, detail },
      { action: 'session.started', actor, detail },
      { action: 'session.started', actor, detail },
      { action: 'session.failed', actor: { type: 'nobody' }, detail: { ...detail, reason: 'no_role' } },
    ]);
  });

  test('has the roles that groups change, in their space, and no entry for those that stay', async () => {
    await start();
    await addSpace(service.services.database, 'acme');
    const roles: unknown[] = [];
    for (const groups of [['media'], ['media'], ['media', 'acme-team'], ['acme-team'], []]) {
      provider.people.set('bob', { ...BOB, groups });
      await signInAs('bob');
      roles.push((await rolesOf('bob@example.com')).map(({ space, role }) => [space, role]));
    }
    expect(roles).toEqual([
      [['', 'editor']],
      [['', 'editor']],
      [
        ['', 'editor'],
        ['acme', 'admin'],
      ],
      [['acme', 'admin']],
      [],
    ]);
    const log = db().selectFrom('audit').select(['action', 'space', 'actorName']).where('action', 'like', 'member.%');
    expect(await log.orderBy('id').execute()).toEqual([
      { action: 'member.joined', space: '', actorName: 'Example ID' },
      { action: 'member.joined', space: 'acme', actorName: 'Example ID' },
      { action: 'member.removed', space: '', actorName: 'Example ID' },
      { action: 'member.removed', space: 'acme', actorName: 'Example ID' },
    ]);
  });

  test('has connected identities, and no secrets', async () => {
    await start();
    const cookie = await signIn(service, ADMIN);
    provider.people.set('ada', {});
    const begun = await begin(undefined, 'oidc/connect', { cookie });
    const response = await provider.signIn(begun.url.href, 'ada');
    await callBack(response, `${cookie}; ${begun.cookie}`);
    const log = await entries();
    expect(log.map(({ action }) => action)).toEqual(['session.started', 'account.oidc_connected']);
    expect(log[1]).toMatchObject({ actor: { type: 'user' }, detail: { provider: 'Example ID' } });
    const text = JSON.stringify(await db().selectFrom('audit').selectAll().execute());
    const { searchParams } = new URL(response);
    for (const secret of [searchParams.get('code'), searchParams.get('state'), CLIENT_SECRET, begun.cookie]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('PASSWORD_SIGN_IN', () => {
  /** Invites an editor, who makes an account with a password. */
  async function join(): Promise<Answer> {
    const invited = await ask(service.url, '/members/invitations', {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'editor' }),
    });
    const token = String(invited.json().url).split('#token=')[1];
    return post('invitation/accept', { token, email: 'eve@example.com', password: 'a long enough password' });
  }

  test.each(['false', 'owners'])(
    '%s refuses an invited editor with a new password, and makes no account',
    async (who) => {
      await start({ PASSWORD_SIGN_IN: who });
      const answer = await join();
      expect([answer.status, answer.json().code]).toEqual([403, 'password_sign_in_disabled']);
      expect(await users()).toEqual([ADMIN.ADMIN_EMAIL]);
      expect(await db().selectFrom('invitation').select('role').execute()).toEqual([{ role: 'editor' }]);
    },
  );

  test('owners lets an invited owner make an account with a password', async () => {
    await start({ PASSWORD_SIGN_IN: 'owners' });
    const cookie = await signIn(service, ADMIN);
    const invited = await ask(service.url, '/members/invitations', {
      method: 'POST',
      headers: { cookie, origin: service.url, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'owner' }),
    });
    const token = String(invited.json().url).split('#token=')[1];
    const answer = await post('invitation/accept', { token, email: 'eve@example.com', password: 'long enough' });
    expect([answer.status, await isGood(cookiesOf(answer))]).toEqual([200, true]);
  });

  const withPassword = (email: string, password = ADMIN.ADMIN_PASSWORD) => post('sign-in/email', { email, password });

  /** Starts a service without an account, and completes its first visit. */
  async function firstVisit(mode: 'owners' | 'false'): Promise<Answer> {
    service = await startService({
      ...FROM_ANYWHERE,
      DATA_DIR: folder,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      PASSWORD_SIGN_IN: mode,
    });
    const token = await service.services.setup.open();
    return post('setup', { token, email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  }

  test('false lets the first visit begin a session, in which its account is connected with an identity', async () => {
    const answer = await firstVisit('false');
    const cookie = cookiesOf(answer);
    expect([answer.status, await isGood(cookie)]).toEqual([201, true]);
    const begun = await begin(undefined, 'oidc/connect', { cookie });
    await callBack(await provider.signIn(begun.url.href, 'bob'), `${cookie}; ${begun.cookie}`);
    expect(await outcome(await signInAs('bob'))).toEqual(welcome);
    expect(await rolesOf(ADMIN.ADMIN_EMAIL)).toMatchObject([{ role: 'owner' }]);
    const log = await ask(service.url, '/audit?action=account', { headers: { cookie } });
    expect(log.json().entries).toMatchObject([
      { action: 'account.oidc_connected' },
      { action: 'account.created', target: ADMIN.ADMIN_EMAIL, actor: { type: 'user' } },
    ]);
  });

  test('owners lets the first visit sign in with its password, and begins no session', async () => {
    const answer = await firstVisit('owners');
    expect([answer.status, cookiesOf(answer)]).toEqual([201, '']);
    await signIn(service, ADMIN);
  });

  test('false refuses every password', async () => {
    await start({ PASSWORD_SIGN_IN: 'false' });
    expect((await ask(service.url, '/api/auth/methods')).json()).toMatchObject({ password: false });
    const answer = await withPassword(ADMIN.ADMIN_EMAIL);
    expect([answer.status, answer.json().code]).toEqual([403, 'password_sign_in_disabled']);
    expect(await db().selectFrom('session').selectAll().execute()).toEqual([]);
  });

  test('owners lets owners of the installation in, and tells others once their password is right', async () => {
    await start({ PASSWORD_SIGN_IN: 'owners' });
    expect((await ask(service.url, '/api/auth/methods')).json()).toMatchObject({ password: true });
    expect((await withPassword(ADMIN.ADMIN_EMAIL)).status).toBe(200);
    await db().deleteFrom('session').execute();
    await db().updateTable('member').set({ role: 'admin' }).execute();
    expect((await withPassword(ADMIN.ADMIN_EMAIL, 'something else')).status).toBe(401);
    expect((await withPassword('nobody@example.com')).status).toBe(401);
    const answer = await withPassword(ADMIN.ADMIN_EMAIL);
    expect([answer.status, answer.json().code]).toEqual([403, 'password_sign_in_disabled']);
    expect(await db().selectFrom('session').selectAll().execute()).toEqual([]);
    expect(cookiesOf(answer)).toBe('');
  });
});
