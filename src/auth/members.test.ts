import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { insertPerson } from '../../test/people.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createOwner, hasOwner } from './accounts.ts';
import { type Actor, deleteMembersOf, roleWithin } from './member-rows.ts';
import { createMembers, type Members } from './members.ts';

const KEY: Actor = { type: 'key', id: 'a key' };
const user = (id: string): Actor => ({ type: 'user', id });
const refused = (status: number, code: string) => expect.objectContaining({ status, code });

let folder: string;
let database: OpenDatabase;
let members: Members;
let owner: string;
let changes: number;
const open = () => openTestDatabase(join(folder, 'darkroom.db'));
const rowsOf = (userId: string) =>
  database.db
    .selectFrom('member')
    .select(['space', 'role', 'source'])
    .where('userId', '=', userId)
    .orderBy('space')
    .execute();
const roleIn = (userId: string, space: string) =>
  database.db.transaction().execute((transaction) => roleWithin(transaction, userId, space));
const exists = async (userId: string) =>
  (await database.db.selectFrom('user').select('id').where('id', '=', userId).execute()).length === 1;
const session = (userId: string) =>
  database.db
    .insertInto('session')
    .values({
      id: `of ${userId}`,
      token: `token of ${userId}`,
      userId,
      expiresAt: '2100-01-01T00:00:00.000Z',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      ipAddress: null,
      userAgent: null,
    })
    .execute();
const invite = (createdBy: string, role: string, space = '') =>
  database.db
    .insertInto('invitation')
    .values({
      id: `${space} ${role} by ${createdBy}`,
      hash: `${space} ${role} by ${createdBy}`,
      space,
      role,
      email: null,
      createdBy,
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2100-01-01T00:00:00.000Z',
    })
    .execute();
const invited = async () =>
  (await database.db.selectFrom('invitation').select('role').orderBy('role').execute()).map(({ role }) => role);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-members-'));
  database = await open();
  changes = 0;
  members = createMembers({
    database,
    onChange: async () => {
      changes++;
    },
  });
  owner = await insertPerson(database, { role: 'owner', email: 'owner@example.com' });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test('the first account is an owner of the installation', async () => {
  await database.db.deleteFrom('user').execute();
  await createOwner({ db: database.db, email: 'ada@example.com', password: 'a long enough password', name: 'Ada' });
  expect(await members.list('')).toMatchObject([{ email: 'ada@example.com', role: 'owner', source: 'given' }]);
});

describe('a role', () => {
  test('in the installation counts in each space, one in a space only there, and the higher one counts', async () => {
    const editor = await insertPerson(database, { role: 'editor' });
    await members.setClaimedRoles(editor, [
      { space: 'acme', role: 'viewer' },
      { space: 'zoo', role: 'admin' },
    ]);
    const roles = await Promise.all(['', 'acme', 'zoo', 'other'].map((space) => roleIn(editor, space)));
    expect(roles).toEqual(['editor', 'editor', 'admin', 'editor']);
    const guest = await insertPerson(database, { role: 'viewer', space: 'acme' });
    expect(await Promise.all(['', 'acme', 'zoo'].map((space) => roleIn(guest, space)))).toEqual([
      undefined,
      'viewer',
      undefined,
    ]);
  });

  test('is listed at its place only, with the data of the account', async () => {
    const guest = await insertPerson(database, { role: 'viewer', space: 'acme', email: 'guest@example.com' });
    await database.db.updateTable('user').set({ twoFactorEnabled: 1 }).where('id', '=', guest).execute();
    expect((await members.list('')).map(({ userId }) => userId)).toEqual([owner]);
    expect(await members.list('acme')).toEqual([
      {
        userId: guest,
        name: 'guest',
        email: 'guest@example.com',
        role: 'viewer',
        source: 'given',
        twoFactor: true,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  test('is changed, and then given by a person; other nodes are notified', async () => {
    const person = await insertPerson(database, { role: 'viewer', source: 'oidc' });
    const changed = await members.change({ userId: person, space: '', role: 'editor', actor: user(owner) });
    expect(changed).toMatchObject({ userId: person, role: 'editor', source: 'given' });
    expect(await rowsOf(person)).toEqual([{ space: '', role: 'editor', source: 'given' }]);
    expect(changes).toBe(1);
  });

  test('of an account that is not a member here is 404', async () => {
    const guest = await insertPerson(database, { role: 'viewer', space: 'acme' });
    for (const userId of ['unknown', guest]) {
      const change = { userId, space: '', actor: user(owner) };
      await expect(members.change({ ...change, role: 'admin' })).rejects.toEqual(refused(404, 'member_not_found'));
      await expect(members.remove(change)).rejects.toEqual(refused(404, 'member_not_found'));
    }
    expect(changes).toBe(0);
  });

  test('above the own one is not given, changed or removed', async () => {
    const admin = await insertPerson(database, { role: 'admin' });
    const editor = await insertPerson(database, { role: 'editor' });
    for (const actor of [user(admin), KEY]) {
      const on = (userId: string) => ({ userId, space: '', actor });
      const tooHigh = refused(403, 'role_too_high');
      await expect(members.change({ ...on(editor), role: 'owner' })).rejects.toEqual(tooHigh);
      await expect(members.change({ ...on(owner), role: 'viewer' })).rejects.toEqual(tooHigh);
      await expect(members.remove(on(owner))).rejects.toEqual(tooHigh);
    }
    expect(await rowsOf(owner)).toMatchObject([{ role: 'owner' }]);
    await members.change({ userId: editor, space: '', actor: KEY, role: 'admin' });
    await members.remove({ userId: editor, space: '', actor: user(admin) });
    expect(await exists(editor)).toBe(false);
  });

  test('is given in a space by its own admins and by those of the installation, up to their own role', async () => {
    const outer = await insertPerson(database, { role: 'admin' });
    const inner = await insertPerson(database, { role: 'owner', space: 'acme' });
    const guest = await insertPerson(database, { role: 'viewer', space: 'acme' });
    const change = (actor: string, role: 'owner' | 'admin') =>
      members.change({ userId: guest, space: 'acme', actor: user(actor), role });
    await expect(change(outer, 'owner')).rejects.toEqual(refused(403, 'role_too_high'));
    expect(await change(outer, 'admin')).toMatchObject({ role: 'admin' });
    expect(await change(inner, 'owner')).toMatchObject({ role: 'owner' });
    await expect(members.remove({ userId: owner, space: '', actor: user(inner) })).rejects.toEqual(
      refused(403, 'missing_permission'),
    );
  });

  test('is not changed by someone whose own one was lost meanwhile', async () => {
    const editor = await insertPerson(database, { role: 'editor' });
    const change = { userId: owner, space: '', actor: user(editor) };
    await expect(members.remove(change)).rejects.toEqual(refused(403, 'missing_permission'));
    await expect(members.remove({ ...change, actor: user('gone') })).rejects.toEqual(
      refused(403, 'missing_permission'),
    );
  });
});

describe('the last owner of the installation', () => {
  test('stays, and keeps the role, until there is another one', async () => {
    const last = refused(409, 'last_owner');
    const own = { userId: owner, space: '', actor: user(owner) };
    await insertPerson(database, { role: 'owner', space: 'acme' });
    await expect(members.remove(own)).rejects.toEqual(last);
    await expect(members.change({ ...own, role: 'admin' })).rejects.toEqual(last);
    expect(await members.change({ ...own, role: 'owner' })).toMatchObject({ role: 'owner' });
    const other = await insertPerson(database, { role: 'owner' });
    await members.remove(own);
    expect([await exists(owner), await exists(other)]).toEqual([false, true]);
  });

  test.each(['remove', 'change'] as const)('stays when all owners %s one another at the same time', async (act) => {
    const owners = [owner];
    for (let n = 0; n < 4; n++) owners.push(await insertPerson(database, { role: 'owner' }));
    const nodes = await Promise.all(owners.map(open));
    const onNodes = nodes.map((node) => createMembers({ database: node, onChange: async () => undefined }));
    const outcomes = await Promise.allSettled(
      onNodes.map((node, n) => {
        const userId = owners[n] as string;
        const change = { userId, space: '', actor: user(userId) };
        return act === 'remove' ? node.remove(change) : node.change({ ...change, role: 'viewer' as const });
      }),
    );
    await Promise.all(nodes.map((node) => node.close()));
    const failed = outcomes.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: refused(409, 'last_owner') }]);
    expect((await members.list('')).filter(({ role }) => role === 'owner')).toHaveLength(1);
  });

  test('of a space may go', async () => {
    const inner = await insertPerson(database, { role: 'owner', space: 'acme' });
    await members.remove({ userId: inner, space: 'acme', actor: user(inner) });
    expect(await members.list('acme')).toEqual([]);
  });
});

describe('an account', () => {
  test('is deleted with its sessions when its last role is removed, and not before', async () => {
    const person = await insertPerson(database, { role: 'viewer' });
    await session(person);
    await members.setClaimedRoles(person, [{ space: 'acme', role: 'editor' }]);
    await members.remove({ userId: person, space: '', actor: user(owner) });
    expect(await exists(person)).toBe(true);
    await members.remove({ userId: person, space: 'acme', actor: KEY });
    expect(await exists(person)).toBe(false);
    expect(await database.db.selectFrom('session').select('id').execute()).toEqual([]);
    expect(await hasOwner(database.db)).toBe(true);
  });

  test('is deleted with a space in which it has its only role', async () => {
    const guest = await insertPerson(database, { role: 'viewer', space: 'acme' });
    const both = await insertPerson(database, { role: 'viewer' });
    await members.setClaimedRoles(both, [{ space: 'acme', role: 'editor' }]);
    await invite(owner, 'viewer', 'acme');
    await database.db.transaction().execute((transaction) => deleteMembersOf(transaction, 'acme'));
    expect([await exists(guest), await exists(both), await members.list('acme')]).toEqual([false, true, []]);
    expect(await invited()).toEqual([]);
  });

  test('that loses a role leaves no invitation by which it could come back', async () => {
    await insertPerson(database, { role: 'owner' });
    for (const role of ['viewer', 'admin', 'owner']) await invite(owner, role);
    await members.change({ userId: owner, space: '', role: 'admin', actor: user(owner) });
    expect(await invited()).toEqual(['admin', 'viewer']);
    await members.change({ userId: owner, space: '', role: 'editor', actor: user(owner) });
    expect(await invited()).toEqual([]);
  });
});

describe('roles of an identity provider', () => {
  test('are replaced, and those that people gave stay', async () => {
    const person = await insertPerson(database, { role: 'viewer', space: 'given' });
    await members.setClaimedRoles(person, [
      { space: '', role: 'viewer' },
      { space: 'acme', role: 'viewer' },
      { space: 'acme', role: 'editor' },
      { space: 'given', role: 'admin' },
    ]);
    expect(await rowsOf(person)).toEqual([
      { space: '', role: 'viewer', source: 'oidc' },
      { space: 'acme', role: 'editor', source: 'oidc' },
      { space: 'given', role: 'viewer', source: 'given' },
    ]);
    expect(await members.setClaimedRoles(person, [{ space: 'acme', role: 'contributor' }])).toBe(true);
    expect(await rowsOf(person)).toEqual([
      { space: 'acme', role: 'contributor', source: 'oidc' },
      { space: 'given', role: 'viewer', source: 'given' },
    ]);
  });

  test('that stay the same are no change, of which other nodes were notified', async () => {
    const person = await insertPerson(database, { role: 'viewer', source: 'oidc' });
    for (const [role, expected] of [
      ['viewer', 0],
      ['editor', 1],
      ['editor', 1],
    ] as const) {
      expect(await members.setClaimedRoles(person, [{ space: '', role }])).toBe(true);
      expect([role, changes]).toEqual([role, expected]);
    }
    await members.setClaimedRoles(person, []);
    expect(changes).toBe(2);
  });

  test('that are all gone end the account', async () => {
    const person = await insertPerson(database, { role: 'viewer', source: 'oidc' });
    expect(await members.setClaimedRoles(person, [])).toBe(false);
    expect(await exists(person)).toBe(false);
  });

  test('do not take the last owner away', async () => {
    const claimed = await insertPerson(database, { role: 'owner', source: 'oidc' });
    await members.remove({ userId: owner, space: '', actor: user(claimed) });
    expect(await members.setClaimedRoles(claimed, [{ space: '', role: 'viewer' }])).toBe(true);
    expect(await rowsOf(claimed)).toEqual([{ space: '', role: 'owner', source: 'oidc' }]);
  });
});

test('work within a change is part of it: when it fails, nothing has changed', async () => {
  const person = await insertPerson(database, { role: 'viewer' });
  const within = async () => {
    throw new Error('not written');
  };
  const change = { userId: person, space: '', actor: user(owner), within };
  await expect(members.remove(change)).rejects.toThrow('not written');
  await expect(members.change({ ...change, role: 'admin' })).rejects.toThrow('not written');
  await expect(members.setClaimedRoles(person, [{ space: 'acme', role: 'editor' }], within)).rejects.toThrow(
    'not written',
  );
  expect(await rowsOf(person)).toEqual([{ space: '', role: 'viewer', source: 'given' }]);
  expect(changes).toBe(0);
});
