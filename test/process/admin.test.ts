import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TOTP, URI } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { parsePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { openinaryDatabase } from '../openinary.ts';
import { addPerson } from '../people.ts';
import { COMPILED } from '../processes.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = new URL('../../src/admin.ts', import.meta.url).pathname;
const API_SECRET = 'test-secret-at-least-16-chars-long';

let data: string;
let service: TestService | undefined;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-admin-'));
  await (await openDatabase({ file: join(data, 'darkroom.db') })).close();
});
afterAll(() => rm(data, { recursive: true }));
afterEach(async () => {
  await service?.close();
  service = undefined;
});

/** Runs an operator command to its end. */
async function admin(args: string[], env: Record<string, string> = { DATA_DIR: data }, input = '') {
  const child = spawn(process.execPath, [ADMIN, ...args], { env: { ...COMPILED, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

async function start(environment: Record<string, string> = {}): Promise<TestService> {
  service = await startService({ ...FROM_ANYWHERE, ...environment, DATA_DIR: data });
  return service;
}

test('reset-password sets a password, given or made, and ends every session', async () => {
  const account = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'the first password' };
  const running = await start(account);
  const cookie = await signIn(running, account);
  const session = () => ask(running.url, '/api/auth/get-session', { headers: { cookie } });
  expect((await session()).json()).toMatchObject({ user: { email: 'admin@example.com' } });

  const given = await admin(['reset-password'], { DATA_DIR: data }, 'the second password\n');
  expect(given).toMatchObject({ code: 0, stderr: '' });
  expect((await session()).json()).toBeNull();
  await expect(signIn(running, account)).rejects.toThrow('Signing in failed');
  await signIn(running, { ...account, ADMIN_PASSWORD: 'the second password' });

  const made = /^Password: (\S{12,})$/m.exec((await admin(['reset-password'])).stdout)?.[1] ?? '';
  await signIn(running, { ...account, ADMIN_PASSWORD: made });
});

test('reset-password needs the address where there are several accounts, and ends the sessions of that one alone', async () => {
  const account = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'the first password' };
  const own = { DATA_DIR: await mkdtemp(join(data, 'people-')) };
  const running = await startService({ ...FROM_ANYWHERE, ...account, ...own });
  service = running;
  const eve = await addPerson(running, { role: 'viewer', email: 'eve@example.com' });
  const zoe = await addPerson(running, { role: 'viewer', email: 'zoe@example.com' });
  const refused = await admin(['reset-password'], own, 'the second password\n');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'There are several accounts: name one with --email: admin@example.com, eve@example.com, zoe@example.com.\n',
  ]);
  const done = await admin(['reset-password', '--email', 'EVE@example.com'], own, 'the second password\n');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('eve@example.com');
  const isGood = async (cookie: string) => (await ask(running.url, '/storage', { headers: { cookie } })).status === 200;
  expect([await isGood(eve.cookie), await isGood(zoe.cookie)]).toEqual([false, true]);
  await signIn(running, account);
});

test('reset-two-factor turns the second factor of an account off, and leaves its password and its sessions', async () => {
  const account = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'a long enough password' };
  const running = await start();
  await admin(['reset-password'], { DATA_DIR: data }, account.ADMIN_PASSWORD);
  const cookie = await signIn(running, account);
  const post = (path: string, body: object) =>
    ask(running.url, `/api/auth/two-factor/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin: running.url },
      body: JSON.stringify(body),
    });
  const { totpURI } = (await post('enable', { password: account.ADMIN_PASSWORD })).json();
  const code = (URI.parse(String(totpURI)) as TOTP).generate();
  expect((await post('verify-totp', { code })).status).toBe(200);
  const session = 'darkroom.session_token=';
  expect(await signIn(running, account)).not.toContain(session);

  const unknown = await admin(['reset-two-factor', '--email', 'eve@example.com']);
  expect(unknown).toMatchObject({ code: 1, stderr: 'There is no account with the address eve@example.com.\n' });
  const done = await admin(['reset-two-factor', '--email', 'Admin@Example.com']);
  expect([done.code, done.stdout]).toEqual([0, 'Two-factor authentication of admin@example.com was turned off.\n']);
  expect(await signIn(running, account)).toContain(session);
  const again = await admin(['reset-two-factor']);
  expect([again.code, again.stdout]).toEqual([0, 'Two-factor authentication of admin@example.com is off already.\n']);
  const { db } = running.services.database;
  const { id } = await db.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const entries = db.selectFrom('audit').select(['actorType', 'actorName', 'target']);
  expect(await entries.where('action', '=', 'account.two_factor_disabled').execute()).toEqual([
    { actorType: 'system', actorName: 'command of the operator', target: id },
  ]);
});

test('verify names what the catalog says wrongly and ends with 1, repairs it, and reindex compares everything', async () => {
  const running = await start();
  await running.place('known.txt', 'known');
  await running.services.sync.reconciliation.run();
  await running.close();
  service = undefined;
  await writeFile(join(data, 'originals', 'added.txt'), 'added');
  await rm(join(data, 'originals', 'known.txt'));
  const found = await admin(['verify']);
  expect(found).toMatchObject({ code: 1, stdout: '' });
  expect(found.stderr).toContain(
    'missing: "added.txt"\ngone: "known.txt"\n1 stored but not in the catalog, 1 in the catalog',
  );
  expect(await admin(['verify', '--repair'])).toMatchObject({ code: 0, stderr: '' });
  expect(await admin(['verify'])).toMatchObject({ code: 0, stderr: '' });
  expect((await admin(['reindex'])).stdout).toContain('The catalog knows 1 files (5 bytes) in 0 folders.');
});

test('verify names files that hide each other by the forms of their names, and those that no path leads to', async () => {
  const originals = join(data, 'originals');
  const composed = '\u00e9.txt';
  const decomposed = 'e\u0301.txt';
  await writeFile(join(originals, decomposed), 'decomposed');
  expect(await admin(['verify', '--repair'])).toMatchObject({ code: 0, stderr: '' });
  expect((await admin(['verify'])).stdout).toContain('\n0 stored under names that cannot be served.\n');
  await writeFile(join(originals, composed), 'composed');
  await writeFile(join(originals, 'back\\slash.txt'), 'x');
  const found = await admin(['verify', '--repair']);
  expect(found.code).toBe(1);
  const lines = found.stderr.split('\n');
  expect(lines).toContain('hidden: "e\\u0301.txt" by "\u00e9.txt", which is the same name in Unicode NFC');
  expect(lines).toContain('cannot be served: "back\\\\slash.txt"');
  expect(lines).toContain('2 stored under names that cannot be served.');
  for (const name of [composed, decomposed, 'back\\slash.txt']) await rm(join(originals, name));
  expect(await admin(['verify', '--repair'])).toMatchObject({ code: 0, stderr: '' });
});

test('verify names what is kept without a row and rows without bytes, and repairs both without removing bytes', async () => {
  const running = await start();
  const { versions, trash, catalog, sync } = running.services;
  const replaced = async (name: string) => {
    await running.place(name, 'before');
    const file = join(running.services.temp, name);
    await writeFile(file, 'after!');
    await versions.replace(parsePath(name), file, () => true);
    return (await versions.list(parsePath(name)))[0]?.id ?? '';
  };
  await sync.reconciliation.run();
  const rowless = await replaced('a.txt');
  const bytesless = await replaced('b.txt');
  await running.place('c.txt', 'deleted');
  await trash.put(parsePath('c.txt'), { recursive: false });
  const deleted = (await trash.list({ limit: 1 })).items[0]?.id ?? '';
  await catalog.versions.remove([rowless]);
  await running.close();
  service = undefined;
  for (const id of [bytesless, deleted]) await rm(join(data, 'attic', id));

  const found = await admin(['verify']);
  expect(found.code).toBe(1);
  for (const line of [`no row: ${rowless}`, `version without bytes: ${bytesless}`, `trash without bytes: ${deleted}`])
    expect(found.stderr.split('\n')).toContain(line);
  expect(await admin(['verify', '--repair'])).toMatchObject({ code: 0, stderr: '' });
  expect(await admin(['verify'])).toMatchObject({ code: 0, stderr: '' });

  const again = await start();
  const { items } = await again.services.trash.list({ limit: 10 });
  expect(items).toMatchObject([{ id: rowless, path: `recovered/${rowless}`, size: 6, fileCount: 1 }]);
  await again.services.sweep.run(Date.now() + 1000 * 24 * 60 * 60 * 1000);
  expect(await again.services.trash.restore(rowless)).toBe(`recovered/${rowless}`);
  expect((await ask(again.url, `/download/recovered/${rowless}`)).body.toString()).toBe('before');
  expect(await again.services.versions.list(parsePath('b.txt'))).toEqual([]);
});

describe('keys', () => {
  const listed = async (url: string, key: string) => (await ask(url, '/storage', bearer(key))).status;
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

  test('are made, listed and revoked beside a running service, which heeds it at once', async () => {
    const { url } = await start();
    const made = await admin([
      'keys',
      'create',
      '--name',
      'Website "one"',
      '--permissions',
      'read, upload',
      '--days',
      '30',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [, key = '', id = '', permissions, ends = ''] =
      /^API Key: (\S{64})\n.*Id (\S+), permissions (.*), expires (.*)\.\n$/.exec(made.stdout) ?? [];
    expect(permissions).toBe('read, upload');
    expect(Math.round((Date.parse(ends) - Date.now()) / 86_400_000)).toBe(30);
    expect(await listed(url, key)).toBe(200);
    expect((await ask(url, '/metrics', bearer(key))).status).toBe(403);

    const list = await admin(['keys', 'list']);
    expect(list).toMatchObject({ code: 0, stderr: '' });
    const line = list.stdout.split('\n').find((row) => row.startsWith(id)) ?? '';
    for (const part of ['"Website \\"one\\""', key.slice(0, 6), 'read,upload', 'enabled', ends])
      expect(line).toContain(part);
    expect(list.stdout).not.toContain(key);
    expect(list.stdout).not.toContain(TEST_KEY);

    expect(await admin(['keys', 'revoke', id])).toMatchObject({ code: 0, stderr: '' });
    expect(await listed(url, key)).toBe(401);
    expect((await admin(['keys', 'list'])).stdout).not.toContain(id);
  });

  test('are made with a quota and a rate limit', async () => {
    const { services } = await start();
    const made = await admin(['keys', 'create', '--remaining', '10000', '--rate-limit', '60/30']);
    const id = /Id (\S+),/.exec(made.stdout)?.[1];
    const key = (await services.keyring.list()).find((one) => one.id === id);
    expect(key).toMatchObject({ remaining: 10_000, rateLimit: { max: 60, window: 30 } });
  });

  test('may only read, for 90 days, unless told otherwise', async () => {
    const { stdout } = await admin(['keys', 'create']);
    const [, ends = ''] = /permissions read, expires (.*)\.$/m.exec(stdout) ?? [];
    expect(Math.round((Date.parse(ends) - Date.now()) / 86_400_000)).toBe(90);
  });

  test.each([
    [
      ['keys', 'create', '--permissions', 'read,write'],
      'Expected permissions out of read, upload, manage, admin, received "write".',
    ],
    [['keys', 'create', '--permissions', ''], 'Expected permissions out of read, upload, manage, admin, received "".'],
    [['keys', 'create', '--days', '3651'], 'Expected 1 to 3650 days, received "3651".'],
    [['keys', 'create', '--days', '0'], 'Expected 1 to 3650 days, received "0".'],
    [['keys', 'create', '--name', '  '], 'Expected a name of 1 to 100 characters, received "  ".'],
    [['keys', 'create', '--remaining', 'many'], 'Expected a number of requests, received "many".'],
    [
      ['keys', 'create', '--rate-limit', '60'],
      'Expected a rate limit as <requests>/<seconds> with at most 31536000 seconds, received "60".',
    ],
    [['keys', 'revoke', 'nobody'], 'No key has the id "nobody".'],
    [['keys', 'revoke'], 'Expected the id of a key after "keys revoke", received nothing.'],
    [['keys', 'list', 'all'], 'Expected nothing after "keys list", received "all".'],
  ])('%j is refused', async (args, message) => {
    expect(await admin(args)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
  });

  test('of the environment come back, and revoking one says so', async () => {
    await (await start()).close();
    service = undefined;
    expect((await admin(['keys', 'revoke', 'environment'])).stdout).toContain('while API_KEY is set');
  });
});

test('import-openinary takes over keys once, and says what is wrong with a file', async () => {
  const file = join(data, 'auth.db');
  await openinaryDatabase(file, [{ name: 'Website', key: 'a key of Openinary' }]);
  const terms = 'permissions read, upload, manage; never expires; at most 100 requests in 60 s';
  const first = await admin(['import-openinary', file]);
  const second = await admin(['import-openinary', file]);
  expect(first).toEqual({ code: 0, stderr: '', stdout: `Imported 1 of 1 keys:\n  "Website": ${terms}\n` });
  expect(second.stdout).toBe('Imported 0 of 1 keys.\nSkipped:\n  "Website": it exists already\n');
  expect((await admin(['keys', 'list'])).stdout).toContain('"Website"');
  const none = join(data, 'none.db');
  const refused = { code: 1, stdout: '', stderr: `The file "${none}" is missing or unreadable for this user.\n` };
  expect(await admin(['import-openinary', none])).toEqual(refused);
});

test.each([[['reset-password']], [['keys', 'list']], [['keys', 'create']]])(
  '%j makes no database where there is none',
  async (args) => {
    const empty = await mkdtemp(join(data, 'empty-'));
    const { code, stderr } = await admin(args, { DATA_DIR: empty }, 'a new password\n');
    expect([code, stderr]).toEqual([1, `No database in ${empty}. Set DATA_DIR as for the service.\n`]);
    expect(await readdir(empty)).toEqual([]);
  },
);

describe('sign', () => {
  test.each([
    ['a b.jpg', 'a%20b.jpg'],
    ['/t/w_20,f_png/höhe [1].png', 'w_20,f_png/h%C3%B6he%20%5B1%5D.png'],
    ['w_20,f_png/h%C3%B6he%20[1].png', 'w_20,f_png/h%C3%B6he%20%5B1%5D.png'],
    ['100% of it.png', '100%25%20of%20it.png'],
    ['why?.png', 'why%3F.png'],
  ])('%s gives a URL that may stand in a page: .../%s', async (given, path) => {
    const { code, stdout } = await admin(['sign', given], { API_SECRET });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\/authenticated\/s--[0-9a-f]+\/[\x21-\x7e]+\n$/);
    expect(stdout.trimEnd().split('/').slice(3).join('/')).toBe(path);
  });

  test.each(['uploads:1999999999', 't/uploads%3A1999999999', 'w_20/a:7', '1999999999:w_20/a.png'])(
    'refuses %s, whose signature would be good for something else',
    async (path) => {
      const { code, stdout, stderr } = await admin(['sign', path], { API_SECRET });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Expected a path that does not (end in|begin with) /);
    },
  );

  test('the service accepts it', async () => {
    const running = await start({ API_SECRET });
    await running.upload({ 'a b.png': fixture('flag-alpha.png') });
    for (const path of ['a b.png', 'w_20/a b.png', 'w_20/a%20b.png']) {
      const { stdout } = await admin(['sign', path, '--expires', '60'], { API_SECRET });
      expect((await ask(running.url, stdout.trimEnd())).status, path).toBe(200);
    }
  });
});

test.each([[['--help']], [['keys', 'create', '--help']], [['-h']]])(
  '%j prints what there is, also without a service',
  async (args) => {
    const { code, stdout, stderr } = await admin(args, { PORT: 'wrong' });
    expect([code, stderr]).toEqual([0, '']);
    for (const command of ['keys list', 'keys create', 'keys revoke', 'reset-password', 'sign'])
      expect(stdout).toContain(command);
  },
);

test.each([[[]], [['keys']], [['dance']], [['sign', 'a', '--email', 'x']]])(
  '%j is an error that says what was expected',
  async (args) => {
    const { code, stdout, stderr } = await admin(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Expected a command|--email/);
  },
);
