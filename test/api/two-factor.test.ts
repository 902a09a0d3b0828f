import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP, URI } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROLES_MIGRATION } from '../../src/db/migrations.ts';
import { type Answer, ask, askJson, cookiesOf } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';
import { inOneStep, STEP_MS } from '../totp-steps.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const SESSION = 'darkroom.session_token';

let folder: string;
let service: TestService;
/** A session from before the second factor. */
let cookie: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-two-factor-'));
  service = await start();
  cookie = await signIn(service, ADMIN);
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
const start = () => startService({ ...ADMIN, ...FROM_ANYWHERE, DATA_DIR: folder });

function post(path: string, body: object, cookies?: string, headers: Record<string, string> = {}): Promise<Answer> {
  const session = cookies !== undefined && { cookie: cookies, origin: service.url };
  const all = { 'x-forwarded-for': anotherAddress(), ...session, ...headers };
  return askJson(service.url, 'POST', `/api/auth/${path}`, body, all);
}

const password = { password: ADMIN.ADMIN_PASSWORD };
const withPassword = (address = anotherAddress()) =>
  post('sign-in/email', { email: ADMIN.ADMIN_EMAIL, ...password }, undefined, { 'x-forwarded-for': address });
const isGood = async (one: string) => (await ask(service.url, '/storage', { headers: { cookie: one } })).status === 200;
const rows = (table: 'session' | 'used_code') => service.services.database.db.selectFrom(table).selectAll().execute();

interface App {
  totp: TOTP;
  backupCodes: string[];
}

/** Scans the secret with an authenticator app, which is not confirmed yet. */
async function scan(): Promise<App> {
  const answer = await post('two-factor/enable', password, cookie);
  expect(answer.status).toBe(200);
  const { totpURI, backupCodes } = answer.json() as { totpURI: string; backupCodes: string[] };
  const totp = URI.parse(totpURI);
  if (!(totp instanceof TOTP)) throw new Error(totpURI);
  return { totp, backupCodes };
}

/** Turns the second factor on; its session goes on in `cookie`. */
async function enable(): Promise<App> {
  const app = await scan();
  const confirm = () => post('two-factor/verify-totp', { code: codeAt(app, -1) }, cookie);
  const answer = await inOneStep(confirm);
  expect(answer.status).toBe(200);
  cookie = cookiesOf(answer);
  return app;
}

/** A code of this moment, or of the step before or after it, which are accepted as well. */
const codeAt = ({ totp }: App, step: -1 | 0 | 1) => totp.generate({ timestamp: Date.now() + step * STEP_MS });

/** Ten wrong codes. */
function wrongCodes({ totp }: App): string[] {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((step) => totp.generate({ timestamp: Date.now() + step * STEP_MS }));
  const codes = Array.from({ length: 20 }, (_, code) => String(code).padStart(6, '0'));
  return codes.filter((code) => !near.includes(code)).slice(0, 10);
}

describe('turning the second factor on', () => {
  test('gives a secret of an authenticator app and ten backup codes, once the password is right', async () => {
    const wrong = await post('two-factor/enable', { password: 'something else' }, cookie);
    expect([wrong.status, wrong.json().code]).toEqual([403, 'wrong_password']);
    const { totp, backupCodes } = await scan();
    expect([totp.issuer, totp.label, totp.digits, totp.period]).toEqual(['Darkroom', ADMIN.ADMIN_EMAIL, 6, 30]);
    expect(new Set(backupCodes).size).toBe(10);
    const stored = JSON.stringify(await service.services.database.db.selectFrom('twoFactor').selectAll().execute());
    for (const secret of [totp.secret.base32, totp.secret.utf8, ...backupCodes]) expect(stored).not.toContain(secret);
  });

  test('changes nothing until a code has confirmed the app, which replaces the session', async () => {
    const app = await scan();
    expect((await withPassword()).json()).toHaveProperty('token');
    const wrong = await post('two-factor/verify-totp', { code: wrongCodes(app)[0] }, cookie);
    expect([wrong.status, wrong.json().code]).toEqual([401, 'invalid_credentials']);
    expect((await withPassword()).json()).toHaveProperty('token');
    const confirmed = await post('two-factor/verify-totp', { code: codeAt(app, 0) }, cookie);
    expect([confirmed.status, confirmed.json()]).toMatchObject([200, { user: { email: ADMIN.ADMIN_EMAIL } }]);
    expect([await isGood(cookie), await isGood(cookiesOf(confirmed))]).toEqual([false, true]);
    expect((await withPassword()).json()).not.toHaveProperty('token');
    const again = await post('two-factor/enable', password, cookiesOf(confirmed));
    expect([again.status, again.json().code]).toEqual([409, 'two_factor_conflict']);
  });

  test('keeps versions away that would ask for no code, once the app is confirmed', async () => {
    const { db } = service.services.database;
    const setting = db.selectFrom('setting').select('value').where('name', '=', 'schema.compatible_from');
    const app = await scan();
    expect((await setting.executeTakeFirst())?.value).not.toBe(ROLES_MIGRATION);
    expect((await post('two-factor/verify-totp', { code: codeAt(app, 0) }, cookie)).status).toBe(200);
    expect((await setting.executeTakeFirst())?.value).toBe(ROLES_MIGRATION);
  });

  test('needs a session and our own origin', async () => {
    for (const path of ['two-factor/enable', 'two-factor/disable']) {
      expect((await post(path, password)).status).toBe(401);
      expect((await post(path, password, undefined, { cookie })).json().code).toBe('foreign_origin');
      const foreign = await post(path, password, cookie, { origin: 'https://evil.example' });
      expect([foreign.status, foreign.json().code]).toEqual([403, 'foreign_origin']);
    }
  });
});

describe('signing in with the second factor', () => {
  test('has no session after the password alone', async () => {
    await enable();
    const before = (await rows('session')).length;
    const answer = await withPassword();
    expect([answer.status, answer.json()]).toEqual([200, { twoFactorRedirect: true, twoFactorMethods: ['totp'] }]);
    expect(cookiesOf(answer)).not.toContain(SESSION);
    expect(await isGood(cookiesOf(answer))).toBe(false);
    expect((await rows('session')).length).toBe(before);
  });

  test('ends with a code of the app', async () => {
    const app = await enable();
    const answer = await post('two-factor/verify-totp', { code: codeAt(app, 0) }, cookiesOf(await withPassword()));
    expect([answer.status, answer.json()]).toMatchObject([200, { user: { twoFactorEnabled: true } }]);
    expect(await isGood(cookiesOf(answer))).toBe(true);
  });

  test('ends with a backup code, which is good once', async () => {
    const [code = ''] = (await enable()).backupCodes;
    const answer = await post('two-factor/verify-backup-code', { code }, cookiesOf(await withPassword()));
    expect(answer.status).toBe(200);
    expect(await isGood(cookiesOf(answer))).toBe(true);
    const again = await post('two-factor/verify-backup-code', { code }, cookiesOf(await withPassword()));
    expect([again.status, again.json().code]).toEqual([401, 'invalid_credentials']);
  });

  test('says what was wrong about a code, by the code of the error', async () => {
    const app = await enable();
    const challenge = cookiesOf(await withPassword());
    const messageOf = async (path: string, code: string, cookies?: string) =>
      (await post(`two-factor/${path}`, { code }, cookies)).json().message;
    expect(await messageOf('verify-totp', wrongCodes(app)[0] ?? '', challenge)).toBe(
      'This code is wrong. Enter the current code of the app.',
    );
    expect(await messageOf('verify-backup-code', 'AAAAA-AAAAA', challenge)).toBe(
      'This backup code is wrong or was used before.',
    );
    expect(await messageOf('verify-backup-code', app.backupCodes[0] ?? '')).toBe(
      'The sign-in has expired: sign in again.',
    );
  });

  test('trusts no device: the next sign-in needs a code again', async () => {
    const app = await enable();
    const body = { code: codeAt(app, 0), trustDevice: true };
    const answer = await post('two-factor/verify-totp', body, cookiesOf(await withPassword()));
    expect(answer.status).toBe(200);
    expect(cookiesOf(answer)).not.toContain('trust_device');
    const next = await post('sign-in/email', { email: ADMIN.ADMIN_EMAIL, ...password }, cookiesOf(answer));
    expect(next.json()).toHaveProperty('twoFactorRedirect', true);
  });

  test('needs the password first, and a challenge is good once', async () => {
    const app = await enable();
    const none = await post('two-factor/verify-totp', { code: codeAt(app, 0) });
    expect([none.status, none.json().code]).toEqual([401, 'invalid_credentials']);
    const challenge = cookiesOf(await withPassword());
    expect((await post('two-factor/verify-totp', { code: codeAt(app, 0) }, challenge)).status).toBe(200);
    expect((await post('two-factor/verify-totp', { code: codeAt(app, 1) }, challenge)).status).toBe(401);
  });

  test('is refused to pages of other sites', async () => {
    const app = await enable();
    const challenge = cookiesOf(await withPassword());
    for (const path of ['verify-totp', 'verify-backup-code']) {
      const body = { code: codeAt(app, 0) };
      const answer = await post(`two-factor/${path}`, body, challenge, { origin: 'https://evil.example' });
      expect([answer.status, answer.json().code]).toEqual([403, 'foreign_origin']);
    }
  });

  test('makes an address known only once it is complete', async () => {
    const app = await enable();
    const known = () => service.services.database.db.selectFrom('sign_in_client').selectAll().execute();
    const before = (await known()).length;
    const address = '203.0.113.77';
    const challenge = cookiesOf(await withPassword(address));
    expect((await known()).length).toBe(before);
    const answer = await post('two-factor/verify-totp', { code: codeAt(app, 0) }, challenge, {
      'x-forwarded-for': address,
    });
    expect(answer.status).toBe(200);
    expect((await known()).length).toBe(before + 1);
  });
});

describe('a code of the app', () => {
  test('is accepted once, also by another challenge, and the next one is accepted after it', async () => {
    const app = await enable();
    const code = codeAt(app, 0);
    expect((await post('two-factor/verify-totp', { code }, cookiesOf(await withPassword()))).status).toBe(200);
    const challenge = cookiesOf(await withPassword());
    const again = await post('two-factor/verify-totp', { code }, challenge);
    expect([again.status, again.json()]).toMatchObject([
      401,
      { code: 'invalid_credentials', message: 'This code was used before: wait for the next one.' },
    ]);
    expect((await post('two-factor/verify-totp', { code: codeAt(app, 1) }, challenge)).status).toBe(200);
  });

  test('that confirmed the app does not sign in', async () => {
    const app = await scan();
    const code = codeAt(app, 0);
    expect((await post('two-factor/verify-totp', { code }, cookie)).status).toBe(200);
    expect((await post('two-factor/verify-totp', { code }, cookiesOf(await withPassword()))).status).toBe(401);
  });

  test('lets one of two concurrent sign-ins in', async () => {
    const app = await enable();
    const challenges = [cookiesOf(await withPassword()), cookiesOf(await withPassword())];
    const code = codeAt(app, 0);
    const answers = await Promise.all(challenges.map((one) => post('two-factor/verify-totp', { code }, one)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('is stored as a hash, and deleted in passing', async () => {
    const app = await enable();
    const used = await rows('used_code');
    expect(used).toHaveLength(1);
    expect(used[0]?.hash).toMatch(/^[\w-]{43}$/);
    const { db } = service.services.database;
    await db
      .updateTable('used_code')
      .set({ usedAt: new Date(Date.now() - 601_000).toISOString() })
      .execute();
    await post('two-factor/verify-totp', { code: codeAt(app, 0) }, cookiesOf(await withPassword()));
    expect(await rows('used_code')).toHaveLength(1);
    expect((await rows('used_code'))[0]?.hash).not.toBe(used[0]?.hash);
  });

  test.each(['12345', '1234567', ' 12345', '12345a', ''])('%j is 400', async (code) => {
    const answer = await post('two-factor/verify-totp', { code });
    expect([answer.status, answer.json().code]).toEqual([400, 'validation_failed']);
  });

  test('counts as a try of its address, as a sign-in does', async () => {
    const address = { 'x-forwarded-for': '203.0.113.9' };
    const statuses: number[] = [];
    for (const path of ['verify-totp', 'verify-backup-code', 'verify-totp', 'verify-backup-code'])
      statuses.push((await post(`two-factor/${path}`, { code: '123456' }, undefined, address)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await withPassword('203.0.113.9')).status).toBe(429);
  });
});

describe('ten wrong codes in a row', () => {
  /** Guesses with five codes for each challenge, more of which a challenge does not take. */
  async function guessTenTimes(app: App): Promise<void> {
    const codes = wrongCodes(app);
    for (let n = 0; n < 2; n++) {
      const challenge = cookiesOf(await withPassword());
      for (let guess = 0; guess < 5; guess++) {
        const path = guess === 4 ? 'verify-backup-code' : 'verify-totp';
        const code = guess === 4 ? 'AAAAA-AAAAA' : codes[n * 5 + guess];
        expect((await post(`two-factor/${path}`, { code }, challenge)).status).toBe(401);
      }
      const over = await post('two-factor/verify-backup-code', { code: 'x' }, challenge);
      if (n === 0) expect([over.status, over.json().message]).toEqual([401, 'Too many wrong codes: sign in again.']);
    }
  }

  test('lock the second factor for 15 minutes, also after a restart, and no session', async () => {
    const app = await enable();
    await guessTenTimes(app);
    const locked = async (code: string, path = 'verify-totp') => {
      const answer = await post(`two-factor/${path}`, { code }, cookiesOf(await withPassword()));
      return [answer.status, answer.json().code, answer.headers['retry-after']];
    };
    const refused = [429, 'too_many_sign_ins', '900'];
    expect(await locked(codeAt(app, 0))).toEqual(refused);
    expect(await locked(app.backupCodes[0] ?? '', 'verify-backup-code')).toEqual(refused);
    expect(await isGood(cookie)).toBe(true);
    await service.close();
    service = await start();
    expect(await isGood(cookie)).toBe(true);
    expect(await locked(codeAt(app, 1))).toEqual(refused);
    const { db } = service.services.database;
    const [row] = await db.selectFrom('twoFactor').select('lockedUntil').execute();
    const left = Date.parse(row?.lockedUntil ?? '') - Date.now();
    expect(left).toBeGreaterThan(600_000);
    expect(left).toBeLessThanOrEqual(900_000);
    await db
      .updateTable('twoFactor')
      .set({ lockedUntil: new Date(Date.now() - 1).toISOString() })
      .execute();
    const [, code = ''] = app.backupCodes;
    const answer = await post('two-factor/verify-backup-code', { code }, cookiesOf(await withPassword()));
    expect(answer.status).toBe(200);
    expect(await db.selectFrom('twoFactor').select(['failedVerificationCount', 'lockedUntil']).execute()).toEqual([
      { failedVerificationCount: 0, lockedUntil: null },
    ]);
  });
});

describe('turning the second factor off', () => {
  test('needs the password, and then the password is enough to sign in', async () => {
    await enable();
    const wrong = await post('two-factor/disable', { password: 'something else' }, cookie);
    expect([wrong.status, wrong.json().code]).toEqual([403, 'wrong_password']);
    const answer = await post('two-factor/disable', password, cookie);
    expect([answer.status, answer.json()]).toEqual([200, { success: true }]);
    expect([await isGood(cookie), await isGood(cookiesOf(answer))]).toEqual([false, true]);
    expect((await withPassword()).json()).toHaveProperty('token');
    const { db } = service.services.database;
    expect(await db.selectFrom('twoFactor').selectAll().execute()).toEqual([]);
  });
});

test('the audit log has a session only after the code, wrong codes, and the changes of the second factor, without secrets', async () => {
  const app = await enable();
  const challenge = cookiesOf(await withPassword());
  expect((await post('two-factor/verify-totp', { code: wrongCodes(app)[0] }, challenge)).status).toBe(401);
  const code = codeAt(app, 0);
  const signedIn = cookiesOf(await post('two-factor/verify-totp', { code }, challenge));
  // Confirms nothing: the second factor is on already.
  expect((await post('two-factor/verify-totp', { code: codeAt(app, 1) }, signedIn)).status).toBe(200);
  expect((await post('two-factor/disable', password, cookie)).status).toBe(200);
  const log = await ask(service.url, '/audit', { headers: { 'x-api-key': TEST_KEY } });
  const [ada] = await service.services.database.db.selectFrom('user').select(['id', 'name']).execute();
  const actor = { type: 'user', ...ada };
  const detail = { secondFactor: true };
  const entries = [
    { action: 'session.started', actor, detail: {} },
    { action: 'account.two_factor_enabled', actor, target: ada?.id, detail: {} },
    { action: 'session.failed', actor: { type: 'nobody', id: null, name: null }, target: ADMIN.ADMIN_EMAIL, detail },
    { action: 'session.started', actor, detail },
    { action: 'account.two_factor_disabled', actor, target: ada?.id, detail: {} },
  ];
  expect((log.json().entries as object[]).toReversed()).toMatchObject(entries);
  for (const secret of [code, app.totp.secret.base32, ...app.backupCodes])
    expect(log.body.toString()).not.toContain(secret);
});
