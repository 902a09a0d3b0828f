import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { call, PHOTO, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const id of ['acme', 'globex']) {
    await call(service, 'POST', '/spaces', { id });
    await upload(service, `/b/${id}`, `of-${id}.png`);
  }
  await upload(service, '', 'of-library.png');
});
afterAll(() => service.close());

async function uploads(path: string) {
  const { status, data } = await call(service, 'GET', path);
  const entries = (data.entries ?? []) as { space: string; target: string }[];
  return { status, code: data.code, entries: entries.map(({ space, target }) => [space, target]) };
}

const QUERY = 'action=file.uploaded';
const ACME = ['acme', 'of-acme.png'];
const GLOBEX = ['globex', 'of-globex.png'];
const LIBRARY = ['', 'of-library.png'];

test.each([
  ['the entries of all spaces in the library', `/audit?${QUERY}`, [LIBRARY, GLOBEX, ACME]],
  ['those of one space in the library', `/audit?${QUERY}&space=acme`, [ACME]],
  ['those of the installation in the library', `/audit?${QUERY}&space=`, [LIBRARY]],
  ['none of a space that does not exist', `/audit?${QUERY}&space=nothing`, []],
  ['in a space its own', `/b/acme/audit?${QUERY}`, [ACME]],
  ['in a space its own by its id', `/b/acme/audit?${QUERY}&space=acme`, [ACME]],
])('lists %s', async (_, path, entries) => {
  expect(await uploads(path)).toEqual({ status: 200, code: undefined, entries });
});

test.each(['globex', '', 'nothing'])('in a space no other one exists: "%s"', async (space) => {
  expect(await uploads(`/b/acme/audit?space=${space}`)).toMatchObject({ status: 404, code: 'space_not_found' });
});

test.each([
  ['of all in the library', '/usage', '', 3],
  ['of one space in the library', '/usage?space=acme', 'acme', 1],
  ['of a space that does not exist, which are none', '/usage?space=nothing', 'nothing', 0],
  ['in a space its own', '/b/acme/usage', 'acme', 1],
  ['in a space its own by its id', '/b/acme/usage?space=acme', 'acme', 1],
])('gives the figures %s', async (_, path, space, files) => {
  const { status, data } = await call(service, 'GET', path);
  const { uploadedBytes } = data.total as { uploadedBytes: number };
  expect([status, data.space, uploadedBytes]).toEqual([200, space, files * PHOTO.length]);
});

test.each(['globex', '', 'nothing'])('in a space there are no figures of another one: "%s"', async (space) => {
  const { status, data } = await call(service, 'GET', `/b/acme/usage?space=${space}`);
  expect([status, data.code]).toEqual([404, 'space_not_found']);
});

test('pages go on through all spaces', async () => {
  const first = await call(service, 'GET', `/audit?${QUERY}&limit=2`);
  const rest = await uploads(`/audit?${QUERY}&cursor=${first.data.nextCursor}`);
  expect(rest.entries).toEqual([ACME]);
});

async function keyOf(space: string) {
  const { data } = await call(service, 'POST', `/b/${space}/api-keys/create`, { name: `of ${space}` });
  return data.apiKey as { id: string; key: string };
}

async function denials(prefix: string) {
  const { data } = await call(service, 'GET', `${prefix}/audit?action=permission.denied`);
  const entries = data.entries as { space: string; actor: object; detail: { code: string } }[];
  return entries.map(({ space, actor, detail }) => ({ space, actor, code: detail.code }));
}

test('a refusal by an endpoint of the installation names the key', async () => {
  const { id, key } = await keyOf('acme');
  for (const prefix of ['', '/b/acme']) {
    expect((await call(service, 'GET', `${prefix}/settings`, undefined, { 'x-api-key': key })).status).toBe(403);
    const [entry] = await denials('/b/acme');
    expect(entry).toEqual({
      space: 'acme',
      actor: { type: 'key', id, name: 'of acme' },
      code: 'installation_only',
    });
  }
});

test('credentials of another space are named where they belong, and not where they were refused', async () => {
  const before = await denials('/b/acme');
  const { id, key } = await keyOf('globex');
  expect((await call(service, 'GET', '/b/acme/storage', undefined, { 'x-api-key': key })).status).toBe(403);
  const actor = { type: 'key', id, name: 'of globex' };
  expect((await denials('/b/globex'))[0]).toEqual({ space: 'globex', actor, code: 'wrong_space' });
  const { data } = await call(service, 'GET', '/b/globex/audit?action=permission.denied&limit=1');
  expect(data.entries).toMatchObject([{ target: '/b/acme/storage' }]);
  const { userId, cookie } = await addPerson(service, { role: 'admin', space: 'globex' });
  expect((await call(service, 'GET', '/b/acme/storage', undefined, { cookie })).status).toBe(403);
  expect((await denials(''))[0]).toMatchObject({
    space: '',
    actor: { type: 'user', id: userId },
    code: 'wrong_space',
  });
  expect(await denials('/b/acme')).toEqual(before);
});

test('names who moved a private folder, and where it is private then, in the log of the rule', async () => {
  const updates = async (prefix: string, target: string) => {
    const { data } = await call(service, 'GET', `${prefix}/audit?action=space.updated`);
    const entries = data.entries as { target: string; space: string; actor: { name: string }; detail: object }[];
    const moved = entries.filter((entry) => entry.target === target && 'privateFolders' in entry.detail);
    return moved.map(({ space, actor, detail }) => ({ space, name: actor.name, detail }));
  };
  const detail = (...privateFolders: string[]) => ({ fields: ['privateFolders'], privateFolders });
  await call(service, 'PATCH', '/spaces/acme', { privateFolders: ['secret'] });
  await call(service, 'PATCH', '/spaces/default', { privateFolders: ['acme/closed'] });
  for (const folder of ['secret', 'closed/deep']) await upload(service, '/b/acme', 'plan.png', { fields: { folder } });
  const { key } = await keyOf('acme');
  const headers = { authorization: `Bearer ${key}` };
  await call(service, 'PATCH', '/b/acme/storage/secret', { name: 'hidden' }, headers);
  await call(service, 'POST', '/b/acme/storage/closed/deep/move', { destination: 'open' }, headers);
  // A move that is refused leaves the rules as they are.
  await call(service, 'PATCH', '/b/acme/storage/hidden', { name: 'open' }, headers);
  expect(await updates('/b/acme', 'acme')).toEqual([{ space: 'acme', name: 'of acme', detail: detail('hidden') }]);
  expect(await updates('/b/acme', 'default')).toEqual([]);
  const ofLibrary = { space: '', name: 'of acme', detail: detail('acme/open/deep') };
  expect(await updates('', 'default')).toEqual([ofLibrary]);
  const { data } = await call(service, 'GET', '/b/acme/audit?action=file.moved');
  const moves = data.entries as { target: string }[];
  expect(moves.slice(-2).map(({ target }) => target)).toEqual(['closed/deep', 'secret']);
});
