import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { call, upload } from './asking.ts';

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

test('pages go on through all spaces', async () => {
  const first = await call(service, 'GET', `/audit?${QUERY}&limit=2`);
  const rest = await uploads(`/audit?${QUERY}&cursor=${first.data.nextCursor}`);
  expect(rest.entries).toEqual([ACME]);
});
