import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, askJson, cookiesOf } from '../http.ts';
import { addPerson, PASSWORD, type Person } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { call } from './asking.ts';

const HOST = 'media.acme.test';

let service: TestService;
let stranger: Person;
let member: Person;
beforeAll(async () => {
  service = await startService(FROM_ANYWHERE);
  await call(service, 'POST', '/spaces', { id: 'acme', hosts: [HOST] });
  await call(service, 'POST', '/spaces', { id: 'globex' });
  stranger = await addPerson(service, { role: 'admin', space: 'globex', email: 'stranger@example.com' });
  member = await addPerson(service, { role: 'admin', space: 'acme', email: 'member@example.com' });
});
afterAll(() => service.close());

/** Where a request arrives: below `/b/acme` at the host of the installation, or at the host of the space. */
interface Place {
  host?: string;
  prefix?: string;
}
const PREFIX: Place = { prefix: '/b/acme' };
const AT_HOST: Place = { host: HOST };

function send(
  { host, prefix = '' }: Place,
  method: string,
  path: string,
  body: object | undefined,
  cookie?: string,
): Promise<Answer> {
  const headers = {
    'x-forwarded-for': anotherAddress(),
    ...(host !== undefined && { host }),
    ...(cookie !== undefined && { cookie, origin: host === undefined ? service.url : `http://${host}` }),
  };
  return askJson(service.url, method, prefix + path, body, headers);
}

const signIn = (place: Place, email: string, password = PASSWORD) =>
  send(place, 'POST', '/api/auth/sign-in/email', { email, password });

interface Entry {
  space: string;
  action: string;
  target: string | null;
  actor: { type: string; name: string | null };
}

async function entriesIn(path: string): Promise<Entry[]> {
  return (await call(service, 'GET', path)).data.entries as Entry[];
}

/** The entries that a request leaves, in the log of the space and in the whole one, oldest first. */
async function traceOf(run: () => Promise<Answer>, status: number) {
  const [before, all] = [(await entriesIn('/b/acme/audit')).length, (await entriesIn('/audit')).length];
  expect((await run()).status).toBe(status);
  const inSpace = await entriesIn('/b/acme/audit');
  const whole = await entriesIn('/audit');
  return {
    inSpace: inSpace.slice(0, inSpace.length - before).map(({ action }) => action),
    all: whole.slice(0, whole.length - all).map(({ space, action, actor: { name } }) => [space, action, name]),
  };
}

describe('at the prefix of a space, the log of the space does not have', () => {
  test('who signs in, and out', async () => {
    let cookie = '';
    const start = async () => {
      const answer = await signIn(PREFIX, stranger.email);
      cookie = cookiesOf(answer);
      return answer;
    };
    expect(await traceOf(start, 200)).toEqual({ inSpace: [], all: [['', 'session.started', 'stranger']] });
    const end = () => send(PREFIX, 'POST', '/api/auth/sign-out', {}, cookie);
    expect(await traceOf(end, 200)).toEqual({ inSpace: [], all: [['', 'session.ended', 'stranger']] });
  });

  test('whose sign-in failed', async () => {
    const attempt = () => signIn(PREFIX, 'nobody@elsewhere.example', 'a wrong password');
    expect(await traceOf(attempt, 401)).toEqual({ inSpace: [], all: [['', 'session.failed', null]] });
  });

  test('who changes an account, also of a member of the space', async () => {
    for (const [{ cookie }, name] of [
      [stranger, 'stranger'],
      [member, 'member'],
    ] as const) {
      const rename = () => send(PREFIX, 'PATCH', '/api/auth/account', { name }, cookie);
      expect(await traceOf(rename, 200)).toEqual({ inSpace: [], all: [['', 'account.changed', name]] });
      const password = { currentPassword: PASSWORD, newPassword: PASSWORD, revokeOthers: false };
      const change = () => send(PREFIX, 'POST', '/api/auth/change-password', password, cookie);
      expect(await traceOf(change, 200)).toEqual({ inSpace: [], all: [['', 'account.password_changed', name]] });
      const end = () => send(PREFIX, 'DELETE', '/api/auth/sessions', undefined, cookie);
      expect(await traceOf(end, 200)).toEqual({ inSpace: [], all: [['', 'session.ended', name]] });
    }
  });

  test.each([
    ['of the space', 'GET', '/storage'],
    ['of the installation', 'GET', '/settings'],
    ['that creates spaces', 'POST', '/spaces'],
  ])('which person without a role was refused at an endpoint %s', async (_, method, path) => {
    const headers = { cookie: stranger.cookie, origin: service.url };
    const attempt = () => ask(service.url, `/b/acme${path}`, { method, headers });
    expect(await traceOf(attempt, 403)).toEqual({ inSpace: [], all: [['', 'permission.denied', 'stranger']] });
  });
});

describe('the log of a space has', () => {
  test('who signs in and out at its host, and changes the account with such a session', async () => {
    let cookie = '';
    const start = async () => {
      const answer = await signIn(AT_HOST, member.email);
      cookie = cookiesOf(answer);
      return answer;
    };
    const entry = (action: string) => ({ inSpace: [action], all: [['acme', action, 'member']] });
    expect(await traceOf(start, 200)).toEqual(entry('session.started'));
    expect(await traceOf(() => signIn(AT_HOST, member.email, 'a wrong password'), 401)).toEqual({
      inSpace: ['session.failed'],
      all: [['acme', 'session.failed', null]],
    });
    for (const place of [AT_HOST, PREFIX]) {
      const rename = () => send(place, 'PATCH', '/api/auth/account', { name: 'member' }, cookie);
      expect(await traceOf(rename, 200)).toEqual(entry('account.changed'));
    }
    expect(await traceOf(() => send(AT_HOST, 'POST', '/api/auth/sign-out', {}, cookie), 200)).toEqual(
      entry('session.ended'),
    );
  });

  test('who joins it, wherever the invitation is accepted', async () => {
    const { data } = await call(service, 'POST', '/b/acme/members/invitations', { role: 'viewer' });
    const token = String(data.url).split('#token=')[1];
    const person = { token, email: 'new@example.com', password: PASSWORD };
    const accept = () => send({}, 'POST', '/api/auth/invitation/accept', person);
    expect(await traceOf(accept, 200)).toEqual({ inSpace: ['member.joined'], all: [['acme', 'member.joined', 'new']] });
  });

  test('which member was refused', async () => {
    const headers = { cookie: member.cookie, origin: service.url };
    const attempt = () => ask(service.url, '/b/acme/settings', { headers });
    expect(await traceOf(attempt, 403)).toEqual({
      inSpace: ['permission.denied'],
      all: [['acme', 'permission.denied', 'member']],
    });
  });
});
