import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { insertPerson } from '../../test/people.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createMembers } from './members.ts';
import { prepareSessionHolder, tokenOf } from './session-holder.ts';

let folder: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-holder-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Adds a session whose cookie is `<token>.signature`. */
async function addSession(userId: string, token: string, space = ''): Promise<void> {
  const time = '2026-01-01T00:00:00.000Z';
  await database.db
    .insertInto('session')
    .values({
      id: `id of ${token}`,
      token,
      userId,
      space,
      expiresAt: '2100-01-01T00:00:00.000Z',
      createdAt: time,
      updatedAt: time,
      ipAddress: null,
      userAgent: null,
    })
    .execute();
}
const find = (token: string, space = '') => prepareSessionHolder(database)(`${token}.signature`, space);

test('finds the person, with the highest role in the space', async () => {
  const userId = await insertPerson(database, { role: 'contributor', email: 'eve@example.com' });
  await addSession(userId, 'abc');
  const members = createMembers({ database, onChange: async () => undefined });
  await members.setClaimedRoles(userId, [
    { space: 'acme', role: 'admin' },
    { space: 'zoo', role: 'viewer' },
  ]);
  const person = { sessionId: 'id of abc', userId, name: 'eve', hasSecondFactor: false, space: '' };
  expect(await find('abc')).toEqual({ ...person, role: 'contributor' });
  expect(await find('abc', 'acme')).toEqual({ ...person, role: 'admin' });
  expect(await find('abc', 'zoo')).toEqual({ ...person, role: 'contributor' });
  expect(await find('unknown')).toBeUndefined();
});

test('finds a person without a role in the space, and no account without any role', async () => {
  const userId = await insertPerson(database, { role: 'owner', space: 'acme' });
  await addSession(userId, 'abc');
  expect(await find('abc')).toMatchObject({ userId, role: undefined });
  await database.db.deleteFrom('member').execute();
  expect(await find('abc')).toBeUndefined();
});

test('finds nobody for a session that is restricted to another space', async () => {
  const userId = await insertPerson(database, { role: 'owner' });
  await addSession(userId, 'abc', 'acme');
  expect(await find('abc', 'acme')).toMatchObject({ userId, role: 'owner', space: 'acme' });
  expect([await find('abc'), await find('abc', 'zoo')]).toEqual([undefined, undefined]);
});

test('a token ends at the dot before its signature, however the cookie is encoded', () => {
  expect(['a%2Bb.c%3D', 'a%2Bb%2Ec', 'a%2Bb%2ec', 'abc', '%zz.c'].map(tokenOf)).toEqual([
    'a+b',
    'a+b',
    'a+b',
    'abc',
    '%zz',
  ]);
});
