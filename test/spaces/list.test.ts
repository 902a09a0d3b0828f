import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const id of ['acme', 'closed', 'globex', 'initech'])
    await call(service, 'POST', '/spaces', { id, folder: `customers/${id}` });
});
afterAll(() => service.close());

async function list(headers: Record<string, string>, prefix = '') {
  const { status, data } = await call(service, 'GET', `${prefix}/spaces`, undefined, headers);
  const spaces = (data.spaces ?? []) as { id: string; folder: string | null }[];
  return { status, code: data.code, spaces: spaces.map(({ id, folder }) => [id, folder]) };
}

const ALL = [
  ['default', ''],
  ['acme', 'customers/acme'],
  ['closed', 'customers/closed'],
  ['globex', 'customers/globex'],
  ['initech', 'customers/initech'],
];

async function keyOf(prefix: string, permissions: readonly string[]) {
  const { data } = await call(service, 'POST', `${prefix}/api-keys/create`, { name: 'key', permissions });
  return { 'x-api-key': (data.apiKey as { key: string }).key };
}

test('lists all to keys of the installation, with any permission', async () => {
  expect(await list(ADMIN)).toMatchObject({ status: 200, spaces: ALL });
  expect(await list(await keyOf('', ['upload']))).toMatchObject({ status: 200, spaces: ALL });
});

test('lists all to people with a role in the installation', async () => {
  const { cookie } = await addPerson(service, { role: 'viewer' });
  expect(await list({ cookie })).toMatchObject({ status: 200, spaces: ALL });
});

test('lists to others the spaces that they may enter, without the folders around them', async () => {
  const { userId, cookie } = await addPerson(service, { role: 'viewer', space: 'globex' });
  expect(await list({ cookie })).toMatchObject({ status: 200, spaces: [['globex', null]] });
  const { db } = service.services.database;
  for (const space of ['acme', 'closed', 'no-longer'])
    await db
      .insertInto('member')
      .values({ userId, space, role: 'editor', source: 'given', createdAt: new Date().toISOString() })
      .execute();
  await call(service, 'PATCH', '/spaces/closed', { enabled: false });
  expect((await list({ cookie })).spaces).toEqual([
    ['acme', null],
    ['globex', null],
  ]);
  expect(await list({ cookie }, '/b/acme')).toMatchObject({ status: 200, spaces: [['acme', null]] });
  expect(await list({ cookie }, '/b/initech')).toMatchObject({ status: 403, code: 'wrong_space' });
});

test('lists to a key of a space that space', async () => {
  const key = await keyOf('/b/acme', ['upload']);
  expect(await list(key)).toMatchObject({ status: 200, spaces: [['acme', null]] });
  expect(await list(key, '/b/globex')).toMatchObject({ status: 403, code: 'wrong_space' });
});

test('is 401 without credentials', async () => {
  expect(await list({})).toMatchObject({ status: 401 });
  expect(await list({}, '/b/acme')).toMatchObject({ status: 401 });
});
