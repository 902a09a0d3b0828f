import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { insertPerson } from '../../test/people.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createInvitations, type Guest, MAX_OPEN_INVITATIONS, type NewInvitation } from './invitations.ts';
import { type Actor, roleWithin } from './member-rows.ts';

const KEY: Actor = { type: 'key', id: 'a key' };
const PASSWORD = 'a long enough password';
const refused = (status: number, code: string) => expect.objectContaining({ status, code });
/** Hashing takes long, and is tested elsewhere. */
const passwords = { hash: async (password: string) => `hash of ${password}`, verify: async () => false };

let folder: string;
let database: OpenDatabase;
let owner: Actor;
let now: number;
const open = () => openTestDatabase(join(folder, 'darkroom.db'));
let changes: number;
const onChange = async () => {
  changes++;
};
const invitationsOf = (node: OpenDatabase) =>
  createInvitations({ database: node, passwords, onChange, now: () => now });
const create = (invitation: Partial<NewInvitation> = {}) =>
  invitationsOf(database).create({ space: '', actor: owner, role: 'editor', ...invitation });
const accept = (token: string, guest: Guest = { email: 'eve@example.com', password: PASSWORD }) =>
  invitationsOf(database).accept(token, guest);
const roleIn = (userId: string, space = '') =>
  database.db.transaction().execute((transaction) => roleWithin(transaction, userId, space));
const people = async () => (await database.db.selectFrom('user').select('email').orderBy('email').execute()).length;

beforeEach(async () => {
  changes = 0;
  now = Date.parse('2026-01-01T00:00:00Z');
  folder = await mkdtemp(join(tmpdir(), 'darkroom-invitations-'));
  database = await open();
  owner = { type: 'user', id: await insertPerson(database, { role: 'owner', email: 'owner@example.com' }) };
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

describe('an invitation', () => {
  test('lasts seven days, or as long as it says, and has a token that is not stored', async () => {
    const { token, invitation } = await create({ email: 'Eve@Example.com' });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(invitation).toEqual({
      id: expect.any(String),
      email: 'eve@example.com',
      role: 'editor',
      createdBy: owner.id,
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-08T00:00:00.000Z',
    });
    expect(JSON.stringify(await database.db.selectFrom('invitation').selectAll().execute())).not.toContain(token);
    const short = await create({ expiresInSeconds: 3600, actor: KEY });
    expect(short.invitation).toMatchObject({ createdBy: null, expiresAt: '2026-01-01T01:00:00.000Z' });
  });

  test('names its terms to the holder of the token', async () => {
    const { token } = await create({ email: 'eve@example.com' });
    const terms = { space: null, role: 'editor', email: 'eve@example.com', invitedBy: 'owner' };
    expect(await invitationsOf(database).describe(token)).toEqual(terms);
    const byKey = await create({ actor: KEY });
    expect(await invitationsOf(database).describe(byKey.token)).toMatchObject({ invitedBy: null });
    expect(await invitationsOf(database).describe('another')).toBeUndefined();
  });

  test('to a space names it, and gives a role there only', async () => {
    await database.db
      .insertInto('space')
      .values({
        id: 'acme',
        name: 'Acme',
        folder: 'acme',
        enabled: 1,
        hosts: '[]',
        rules: '{}',
        secret: 'x'.repeat(43),
        previousSecret: null,
        previousUntil: null,
        createdAt: '2026-01-01T00:00:00.000Z',
      })
      .execute();
    const { token } = await create({ space: 'acme' });
    expect(await invitationsOf(database).describe(token)).toMatchObject({ space: { id: 'acme', name: 'Acme' } });
    const { user } = await accept(token);
    expect([await roleIn(user.id, 'acme'), await roleIn(user.id)]).toEqual(['editor', undefined]);
  });

  test('is listed at its place until it is used, deleted or expired', async () => {
    const used = await create();
    const deleted = await create();
    const short = await create({ expiresInSeconds: 3600 });
    const listed = async () => (await invitationsOf(database).list('')).map(({ id }) => id);
    expect(await invitationsOf(database).list('acme')).toEqual([]);
    expect((await listed()).toSorted()).toEqual(
      [used, deleted, short].map(({ invitation }) => invitation.id).toSorted(),
    );
    await accept(used.token);
    await invitationsOf(database).remove(deleted.invitation.id, { space: '', actor: owner });
    expect(await listed()).toEqual([short.invitation.id]);
    now += 3_600_000;
    expect(await listed()).toEqual([]);
    for (const { token } of [used, deleted, short]) {
      expect(await invitationsOf(database).describe(token)).toBeUndefined();
      await expect(accept(token)).rejects.toEqual(refused(404, 'invitation_not_found'));
    }
  });

  test('to a role above the own one is neither created nor deleted', async () => {
    const tooHigh = refused(403, 'role_too_high');
    await expect(create({ role: 'owner', actor: KEY })).rejects.toEqual(tooHigh);
    const { invitation } = await create({ role: 'owner' });
    const remove = (actor: Actor, space = '') => invitationsOf(database).remove(invitation.id, { space, actor });
    await expect(remove(KEY)).rejects.toEqual(tooHigh);
    await expect(remove(owner, 'acme')).rejects.toEqual(refused(404, 'invitation_not_found'));
    expect(await remove(owner)).toEqual(invitation);
    await expect(remove(owner)).rejects.toEqual(refused(404, 'invitation_not_found'));
  });

  test('beyond the limit is refused; those that expired make room and are deleted', async () => {
    for (let n = 0; n < MAX_OPEN_INVITATIONS; n++) await create({ expiresInSeconds: 3600 });
    await expect(create()).rejects.toEqual(refused(409, 'too_many_invitations'));
    await create({ space: 'acme' });
    now += 3_600_000;
    await create();
    expect(await database.db.selectFrom('invitation').select('id').execute()).toHaveLength(2);
  });
});

test('the first invitation keeps versions that know no roles from starting', async () => {
  const required = database.db.selectFrom('setting').select('value').where('name', '=', 'schema.compatible_from');
  expect(await required.execute()).toEqual([{ value: '003-outbox' }]);
  await create();
  expect(await required.execute()).toEqual([{ value: '005-spaces' }]);
});

describe('accepting', () => {
  test('notifies other nodes only of a role that a present account gets', async () => {
    await accept((await create()).token);
    expect(changes).toBe(0);
    const userId = await insertPerson(database, { role: 'viewer' });
    await accept((await create()).token, { userId });
    expect(changes).toBe(1);
  });

  test('creates an account with a password and the role', async () => {
    const { token } = await create();
    const { user, isNew } = await accept(token, { email: 'Eve@Example.com', password: PASSWORD });
    expect([isNew, user.email, user.name, await roleIn(user.id)]).toEqual([true, 'eve@example.com', 'eve', 'editor']);
    const account = database.db.selectFrom('account').select(['password', 'providerId']);
    expect(await account.where('userId', '=', user.id).execute()).toEqual([
      { password: `hash of ${PASSWORD}`, providerId: 'credential' },
    ]);
  });

  test('takes the invited address where none is given, and refuses another one', async () => {
    const { token } = await create({ email: 'eve@example.com' });
    await expect(accept(token, { email: 'mallory@example.com', password: PASSWORD })).rejects.toEqual(
      refused(400, 'bad_request'),
    );
    await expect(accept(token, { userId: owner.id })).rejects.toEqual(refused(400, 'bad_request'));
    expect((await accept(token, { name: 'Eve', password: PASSWORD })).user).toMatchObject({
      name: 'Eve',
      email: 'eve@example.com',
    });
  });

  test('needs an address and a password for a new account', async () => {
    const { token } = await create();
    for (const guest of [{}, { email: 'eve@example.com' }, { password: PASSWORD }])
      await expect(accept(token, guest)).rejects.toEqual(refused(400, 'missing_input'));
  });

  test('is refused for an address with an account, and the invitation stays open', async () => {
    const { token } = await create();
    await expect(accept(token, { email: 'Owner@example.com', password: PASSWORD })).rejects.toEqual(
      refused(409, 'account_exists'),
    );
    expect(await people()).toBe(1);
    expect((await accept(token)).isNew).toBe(true);
  });

  test('with a session gives the role to its account, and never takes one away', async () => {
    const userId = await insertPerson(database, { role: 'viewer', source: 'oidc' });
    expect((await accept((await create()).token, { userId })).isNew).toBe(false);
    expect(await roleIn(userId)).toBe('editor');
    await accept((await create({ role: 'viewer' })).token, { userId });
    expect(await roleIn(userId)).toBe('editor');
    await accept((await create({ role: 'admin', space: 'acme' })).token, { userId });
    expect([await roleIn(userId, 'acme'), await roleIn(userId)]).toEqual(['admin', 'editor']);
  });

  test('works once, also when many accept at the same time on several nodes', async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, open));
    const { token } = await create();
    const tries = nodes.map((node, n) =>
      invitationsOf(node).accept(token, { email: `eve-${n}@example.com`, password: PASSWORD }),
    );
    const outcomes = await Promise.allSettled(tries);
    await Promise.all(nodes.map((node) => node.close()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const others = outcomes.filter(({ status }) => status === 'rejected');
    expect(others).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: refused(404, 'invitation_not_found') })),
    );
    expect(await people()).toBe(2);
  });

  test('of two invitations with the same new address creates one account', async () => {
    const tokens = [(await create()).token, (await create()).token];
    const outcomes = await Promise.allSettled(tokens.map((token) => accept(token)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: refused(409, 'account_exists') },
    ]);
    expect(await people()).toBe(2);
  });

  test('is undone by work within it that fails', async () => {
    const { token } = await create();
    const within = async () => {
      throw new Error('not written');
    };
    const failed = invitationsOf(database).accept(token, { email: 'eve@example.com', password: PASSWORD }, within);
    await expect(failed).rejects.toThrow('not written');
    expect(await people()).toBe(1);
    expect(await invitationsOf(database).describe(token)).toBeDefined();
  });
});
