import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatBytes } from '../../src/bytes.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { metadata, tusAt } from '../tus.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ VERSIONS_KEEP: '2' });
});
afterAll(() => service.close());

let spaces = 0;
let space: string;
/** Each test has a space with the file `a.png`. */
beforeEach(async () => {
  space = `space-${++spaces}`;
  await call(service, 'POST', '/spaces', { id: space });
  expect((await upload(service, `/b/${space}`, 'a.png')).status).toBe(200);
});

/** @param files of which the quota has room for, with some bytes more */
const limit = (files: number) =>
  call(service, 'PATCH', `/spaces/${space}`, { quota: { bytes: files * PHOTO.length + 10 } });

async function usedFiles(): Promise<number> {
  const { data } = await call(service, 'GET', `/b/${space}/usage`);
  return (data.quota as { usedBytes: number }).usedBytes / PHOTO.length;
}

async function replace(path: string, bytes: Uint8Array = PHOTO): Promise<number | string> {
  const headers = { ...ADMIN, 'content-type': 'image/png' };
  const answer = await ask(service.url, `/storage/${path}`, { method: 'PUT', headers, body: bytes });
  return answer.status === 200 ? 200 : String(answer.json().code);
}

const move = async (path: string, destination: string) => {
  const { status, data } = await call(service, 'POST', `/storage/${path}/move`, { destination });
  return status === 200 ? 200 : String(data.code);
};

describe('a replacement by a URL of the library', () => {
  test('counts the new bytes whole, because the present ones become a version', async () => {
    await limit(1);
    expect(await replace(`${space}/a.png`)).toBe('quota_exceeded');
    // A smaller one grows the space as well.
    expect(await replace(`${space}/a.png`, PHOTO.subarray(0, PHOTO.length - 100))).toBe('quota_exceeded');
    expect(await usedFiles()).toBe(1);
    await limit(2);
    expect(await replace(`${space}/a.png`)).toBe(200);
    expect(await replace(`${space}/a.png`)).toBe('quota_exceeded');
    expect(await usedFiles()).toBe(2);
  });

  test('does not exceed the quota together with others of the same moment', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `${n}.png`);
    for (const name of names) await upload(service, `/b/${space}`, name);
    await limit(12);
    const results = await Promise.all(names.map((name) => replace(`${space}/${name}`)));
    const stored = results.filter((result) => result === 200).length;
    // A change that ends may count twice for a moment, so fewer may fit, and never more.
    expect([1, 2, 3]).toContain(stored);
    expect(await usedFiles()).toBe(names.length + 1 + stored);
    expect(new Set(results)).toEqual(new Set([200, 'quota_exceeded']));
  });

  test('fits in a full space if it replaces the oldest version', async () => {
    for (let round = 0; round < 2; round++) expect(await replace(`${space}/a.png`)).toBe(200);
    expect(await usedFiles()).toBe(3);
    await limit(3);
    expect(await replace(`${space}/a.png`)).toBe(200);
    expect(await usedFiles()).toBe(3);
  });
});

describe('what comes into a space brings its versions along', () => {
  test('as a file', async () => {
    await upload(service, '', `${space}.png`);
    expect(await replace(`${space}.png`)).toBe(200);
    await limit(2);
    expect(await move(`${space}.png`, space)).toBe('quota_exceeded');
    await limit(3);
    expect(await move(`${space}.png`, space)).toBe(200);
    expect(await usedFiles()).toBe(3);
  });

  test('in a folder', async () => {
    const folder = `folder-of-${space}`;
    await upload(service, '', 'b.png', { fields: { folder: `${folder}/below` } });
    expect(await replace(`${folder}/below/b.png`)).toBe(200);
    await limit(2);
    expect(await move(folder, space)).toBe('quota_exceeded');
    await limit(3);
    expect(await move(folder, space)).toBe(200);
    expect(await usedFiles()).toBe(3);
  });
});

test('the versions of files in the trash count', async () => {
  await upload(service, `/b/${space}`, 'b.png', { fields: { folder: 'below' } });
  expect(await replace(`${space}/a.png`)).toBe(200);
  expect(await replace(`${space}/below/b.png`)).toBe(200);
  expect(await usedFiles()).toBe(4);
  for (const path of ['a.png?trash=true', 'below?trash=true&recursive=true'])
    expect((await call(service, 'DELETE', `/b/${space}/storage/${path}`)).status).toBe(200);
  expect(await usedFiles()).toBe(4);
  expect((await call(service, 'DELETE', `/b/${space}/trash`)).status).toBe(200);
  expect(await usedFiles()).toBe(0);
});

describe.each([
  ['the space', () => `/b/${space}`, () => ''],
  ['the library', () => '', () => space],
])('an upload from %s into a full space', (_, prefix, folder) => {
  const send = async (name: string, existing: string) => {
    const { status, body } = await upload(service, prefix(), name, { fields: { folder: folder(), existing } });
    return { status, body };
  };

  test('is skipped if the file is there', async () => {
    await limit(1);
    const { status, body } = await send('a.png', 'skip');
    expect([status, body.files]).toEqual([200, [expect.objectContaining({ skipped: true })]]);
  });

  test('is told that its name is taken, as with room', async () => {
    const before = await send('a.png', 'error');
    expect(before.body.errors?.[0]?.code).toBe('name_taken');
    await limit(1);
    expect(await send('a.png', 'error')).toEqual(before);
  });

  test('is refused otherwise', async () => {
    await limit(1);
    for (const existing of ['rename', 'skip', 'error'])
      expect(await send('b.png', existing)).toMatchObject({ status: 507, body: { code: 'quota_exceeded' } });
    expect(await send('a.png', 'rename')).toMatchObject({ status: 507 });
  });

  test('is refused as a resumable one at its beginning', async () => {
    await limit(1);
    const begin = (filename: string, existing: string) => {
      const fields = metadata({ filename, existing, folder: folder() });
      const headers = { 'upload-length': PHOTO.length, 'upload-metadata': fields };
      return tusAt(service.url).call('POST', `${prefix()}/upload/resumable`, { headers });
    };
    const begun = await begin('b.png', 'rename');
    expect([begun.status, begun.json().code]).toEqual([507, 'quota_exceeded']);
    // Its bytes decide.
    expect((await begin('a.png', 'skip')).status).toBe(201);
  });
});

test('a refusal names sizes that people can read', async () => {
  await limit(1);
  const { data } = await call(service, 'POST', `/b/${space}/storage/a.png/copy`);
  const size = formatBytes(PHOTO.length);
  const quota = formatBytes(PHOTO.length + 10);
  expect(data).toMatchObject({
    error: 'Insufficient storage',
    code: 'quota_exceeded',
    message: `Expected at most 10 bytes, which are left of the quota of ${quota}, received ${size}.`,
  });
});
