import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Answer, ask, askJson, cookiesOf, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const WRONG = 'something else';

let service: TestService;
/** A data folder that outlives a service. */
let folder: string | undefined;
afterEach(async () => {
  await service.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
  folder = undefined;
});
const post = (path: string, body: object, address: string) =>
  askJson(service.url, 'POST', path, body, { 'x-forwarded-for': address });
const signIn = (email: string, password: string, address = anotherAddress()) =>
  post('/api/auth/sign-in/email', { email, password }, address);

let strangers = 0;
/** Returns one of enough addresses that none of them tries too often. */
const nextStranger = () => `2001:db8:${(strangers++).toString(16)}::1`;

/** Guesses until further guesses are delayed: how soon depends on the speed of hashing on this host. */
async function guessUntilHeldBack(email: string): Promise<Answer> {
  for (;;) {
    const answer = await signIn(email, WRONG);
    if (answer.status !== 401) return answer;
  }
}

test('an account that is guessed at from many addresses has to wait, one that does not exist just so', async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, SIGN_IN_FAILURES_MAX: '3' });
  for (const email of ['Ada@example.com', 'nobody@example.com']) {
    for (let n = 0; n < 3; n++) expect((await signIn(email, WRONG)).status).toBe(401);
    const refused = await guessUntilHeldBack(email.toLowerCase());
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect([refused.status, refused.json()]).toEqual([
      429,
      {
        error: 'Too many requests',
        code: 'too_many_sign_ins',
        message: expect.stringContaining('Too many failed sign-ins'),
        retryAfter: seconds,
      },
    ]);
  }
});

test('its owner is not kept out where the account was signed in to before', async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, SIGN_IN_FAILURES_MAX: '1' });
  const home = '192.0.2.7';
  expect((await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, home)).status).toBe(200);
  expect((await guessUntilHeldBack(ADMIN.ADMIN_EMAIL)).status).toBe(429);
  expect((await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, home)).status).toBe(200);
});

test('nor is he after he signed out and the service was started again', async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-sign-in-'));
  const settings = { ...ADMIN, ...FROM_ANYWHERE, SIGN_IN_FAILURES_MAX: '1', DATA_DIR: folder };
  service = await startService(settings);
  for (const home of ['192.0.2.8', '2001:db8:1:2::7']) {
    const answer = await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, home);
    const cookie = cookiesOf(answer);
    const headers = { cookie, origin: service.url };
    expect((await ask(service.url, '/api/auth/sign-out', { method: 'POST', headers })).status).toBe(200);
  }
  expect(await service.services.database.db.selectFrom('session').select('id').execute()).toEqual([]);
  await service.close();
  service = await startService(settings);
  expect((await guessUntilHeldBack(ADMIN.ADMIN_EMAIL)).status).toBe(429);
  // Sent together: the account is locked for one second, in which a busy host hashes few passwords.
  const addresses = ['192.0.2.8', '2001:db8:1:2:ffff::9', '2001:db8:1:3::7'];
  const answers = addresses.map((address) => signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, address));
  const [known, sameNetwork, elsewhere] = await Promise.all(answers);
  expect([known?.status, sameNetwork?.status]).toEqual([200, 200]);
  expect([elsewhere?.status, elsewhere?.json().code]).toEqual([429, 'too_many_sign_ins']);
  // A session changes the password, regardless of anonymous sign-in attempts.
  const home = await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, '192.0.2.8');
  const cookie = cookiesOf(home);
  const body = { currentPassword: ADMIN.ADMIN_PASSWORD, newPassword: 'another long password' };
  const changed = await ask(service.url, '/api/auth/change-password', {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, origin: service.url, 'x-forwarded-for': anotherAddress() },
    body: JSON.stringify(body),
  });
  expect(changed.status).toBe(200);
});

test('a full queue of strangers keeps nobody out where the account was signed in to before', async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, SIGN_IN_QUEUE_MAX: '3' });
  const home = '192.0.2.9';
  expect((await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, home)).status).toBe(200);
  let isOver = false;
  const crowd = async () => {
    const statuses: number[] = [];
    while (!isOver)
      statuses.push((await signIn(`someone-${statuses.length}@example.com`, WRONG, nextStranger())).status);
    return statuses;
  };
  const crowds = Array.from({ length: 8 }, crowd);
  // A rejected one shows that the queue is full.
  while ((await signIn('a.stranger@example.com', WRONG, nextStranger())).status !== 429);
  const own = [];
  for (let n = 0; n < 2; n++) own.push((await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD, home)).status);
  isOver = true;
  const statuses = (await Promise.all(crowds)).flat();
  expect(own).toEqual([200, 200]);
  expect(statuses).toContain(429);
});

test('many sign-ins at once stop no file from being read, and those that cannot wait are 429', async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, SIGN_IN_QUEUE_MAX: '20' });
  await writeFile(join(service.originals, 'photo.jpg'), fixture('concert.jpg'));
  let ended = 0;
  const signingIn = Array.from({ length: 40 }, (_, n) =>
    signIn(`someone-${n}@example.com`, WRONG).finally(() => {
      ended++;
    }),
  );
  // A rejected one shows that the queue is full.
  await Promise.any(signingIn.map(async (one) => expect((await one).status).toBe(429)));
  expect((await ask(service.url, '/t/photo.jpg')).body.equals(fixture('concert.jpg'))).toBe(true);
  expect(ended).toBeLessThan(35);
  const answers = await Promise.all(signingIn);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const refused = answers.filter(({ status }) => status === 429);
  for (const { headers, json } of refused) {
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(json()).toMatchObject({
      error: 'Too many requests',
      message: 'Too many passwords are being checked. Retry in 5 s.',
    });
  }
});

test('the first account is made once, however many with the token come at the same time', async () => {
  service = await startService(FROM_ANYWHERE);
  const token = await service.services.setup.open();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      post('/api/auth/setup', { token, email: `admin-${n}@example.com`, password: 'long enough' }, anotherAddress()),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
  expect(await service.services.database.db.selectFrom('user').select('email').execute()).toHaveLength(1);
  expect(await service.services.database.db.selectFrom('account').select('id').execute()).toHaveLength(1);
});
