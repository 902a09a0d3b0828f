import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { addPerson } from '../people.ts';
import { API_SECRET, presignedFields } from '../presigned.ts';
import { startService, type TestService } from '../service.ts';
import { tusAt } from '../tus.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let service: TestService;
/** Credentials of another space. */
let strangers: Record<string, string>[];
beforeAll(async () => {
  service = await startService({ API_SECRET });
  await call(service, 'POST', '/spaces', { id: 'acme' });
  expect((await upload(service, '/b/acme', 'logo.png')).status).toBe(200);
  expect((await upload(service, '', 'base.png')).status).toBe(200);
  await call(service, 'PATCH', '/spaces/default', { privateFolders: ['acme/secret'] });
  expect((await upload(service, '', 'plan.png', { fields: { folder: 'acme/secret' } })).status).toBe(200);
  expect((await upload(service, '', 'plan.png', { fields: { folder: 'acme/open' } })).status).toBe(200);
  await call(service, 'POST', '/spaces', { id: 'inner', folder: 'around/inner' });
  expect((await upload(service, '/b/inner', 'logo.png')).status).toBe(200);
  await call(service, 'POST', '/spaces', { id: 'other' });
  const { cookie } = await addPerson(service, { role: 'admin', space: 'other' });
  const { data } = await call(service, 'POST', '/api-keys/create', { space: 'other' });
  strangers = [{ cookie }, { 'x-api-key': (data.apiKey as { key: string }).key }];
});
afterAll(() => service.close());
beforeEach(() => setEnabled(true));

async function setEnabled(enabled: boolean): Promise<void> {
  for (const id of ['acme', 'inner'])
    expect((await call(service, 'PATCH', `/spaces/${id}`, { enabled })).status).toBe(200);
}

const DISABLED = { status: 403, code: 'space_disabled' };

async function read(url: string, headers: Record<string, string> = {}) {
  const answer = await ask(service.url, url, { headers });
  const { code } = answer.status >= 400 ? (answer.json() as { code?: string }) : {};
  return { ...answer, code };
}

async function signed(path: string, transformation?: string): Promise<string> {
  const { data } = await call(service, 'POST', '/delivery/sign', { path, transformation });
  return String(data.url);
}

describe('a disabled space', () => {
  test('is a page for browsers, and JSON for programs', async () => {
    await setEnabled(false);
    const page = await ask(service.url, '/b/acme/dashboard', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers['content-type'], page.headers['cache-control'], page.headers.vary]).toEqual([
      403,
      'text/html; charset=utf-8',
      'no-store',
      'Accept',
    ]);
    expect(page.body.toString()).toContain('<h1>This space is disabled</h1>');
    for (const accept of [undefined, '*/*', 'application/json']) {
      const answer = await ask(service.url, '/b/acme/dashboard', { headers: { ...(accept && { accept }) } });
      expect([answer.status, answer.json().code]).toEqual([403, 'space_disabled']);
    }
  });

  test('varies by origin too where the endpoint does', async () => {
    const own = await startService({ CORS_ORIGIN: 'https://app.example' });
    try {
      await call(own, 'POST', '/spaces', { id: 'acme' });
      await call(own, 'PATCH', '/spaces/acme', { enabled: false });
      const answer = await ask(own.url, '/b/acme/storage', { headers: { accept: 'text/html' } });
      expect([answer.status, answer.headers.vary]).toEqual([403, 'Origin, Accept']);
    } finally {
      await own.close();
    }
  });

  test.each([
    ['a variant', 'acme/logo.png', 'w_20'],
    ['an original', 'acme/logo.png', undefined],
    ['a layer', 'base.png', 'w_20~l_acme:logo.png'],
    ['a file that is missing', 'acme/nothing.png', 'w_20'],
  ])('delivers nothing by signed URLs of the library: %s', async (_what, path, transformation) => {
    const url = await signed(path, transformation);
    const before = path.includes('nothing') ? 404 : 200;
    for (let round = 0; round < 3; round++) expect((await read(url)).status).toBe(before);
    await setEnabled(false);
    expect(await read(url)).toMatchObject(DISABLED);
    const byAdmin = await read(url, ADMIN);
    expect(byAdmin.status).toBe(before);
    if (before === 200) expect(byAdmin.headers['cache-control']).toBe('private, no-cache');
    await setEnabled(true);
    expect((await read(url)).status).toBe(before);
  });

  test.each([
    ['a variant', '/t/w_20/acme/logo.png', 200],
    ['an original', '/t/acme/logo.png', 200],
    ['a layer', '/t/w_20~l_acme:logo.png/base.png', 200],
    ['a file that is missing', '/t/w_20/acme/nothing.png', 404],
    ['a file in a private folder of the library', '/t/w_20/acme/secret/plan.png', 401],
    ['a stream', '/t/f_hls/acme/film.mp4', 404],
    ['a rendition', '/t/f_mp4,h_360/acme/film.mp4', 404],
    ['a status', '/video-status/w_20/acme/logo.png', 200],
    ['a status of a layer', '/video-status/w_20~l_acme:logo.png/base.png', 200],
    ['a size', '/video-status/w_20/acme/film.mp4/size', 404],
    ['a download', '/download/acme/logo.png', 200],
    ['an archive of the space', '/download-folder/Acme', 401],
    ['an archive of a folder in it', '/download-folder/acme/open', 200],
    ['an archive of a folder around it', '/download-folder/around', 200],
  ])('is 403 by all URLs of the library without a right to it: %s', async (_what, url, before) => {
    for (let round = 0; round < 2; round++) expect((await read(url)).status).toBe(before);
    const byAdmin = (await read(url, ADMIN)).status;
    await setEnabled(false);
    expect(await read(url)).toMatchObject(DISABLED);
    // A key leads into its own space, but not below /t/.
    const others = url.startsWith('/t/') ? strangers : strangers.slice(0, 1);
    for (const headers of others) expect(await read(url, headers)).toMatchObject(DISABLED);
    expect((await read(url, ADMIN)).status).toBe(byAdmin);
    await setEnabled(true);
    expect((await read(url)).status).toBe(before);
  });

  test.each([
    ['a file', 'acme/logo.png'],
    ['the folder of the space', 'acme'],
    ['a folder around it', 'around'],
  ])('delivers nothing by tickets of the library: %s', async (_what, path) => {
    const ticket = async () => {
      const { data } = await call(service, 'POST', '/download-zip/ticket', { paths: ['base.png', path] });
      return new URL(String(data.url), service.url).pathname;
    };
    const tickets = [await ticket(), await ticket()];
    await setEnabled(false);
    expect(await read(tickets[0] as string)).toMatchObject(DISABLED);
    expect((await read(tickets[1] as string, ADMIN)).status).toBe(200);
    await setEnabled(true);
    expect((await read(await ticket())).status).toBe(200);
  });

  test('tells nothing of its variants by signed URLs of the library', async () => {
    const url = (await signed('acme/film.mp4', 'w_20')).replace('/authenticated/', '/video-status/');
    expect((await read(url)).status).toBe(404);
    await setEnabled(false);
    expect(await read(url)).toMatchObject(DISABLED);
  });

  test.each([
    ['by the folder', 'acme/in', 'a.png'],
    ['by the name', '', 'acme/a.png'],
    ['in another case', 'ACME/in', 'a.png'],
  ])('takes no presigned uploads of the library, %s', async (_how, folder, name) => {
    await setEnabled(false);
    const fields = { ...presignedFields(folder), names: name };
    const refused = await upload(service, '', 'sent.png', { headers: {}, fields });
    expect([refused.status, refused.code]).toEqual([DISABLED.status, DISABLED.code]);
    const begun = await tusAt(service.url, {}).begin(PHOTO.length, { ...fields, filename: 'sent.png' });
    expect([begun.status, begun.json().code]).toEqual([DISABLED.status, DISABLED.code]);
    expect((await read('/storage?path=acme', ADMIN)).json().files).toHaveLength(1);
  });

  test('takes uploads of keys of the library', async () => {
    await setEnabled(false);
    expect((await upload(service, '', 'by-key.png', { fields: { folder: 'acme/keys' } })).status).toBe(200);
  });

  test('does not end a resumable upload that began before', async () => {
    const client = tusAt(service.url, {});
    const begun = await client.begin(PHOTO.length, { ...presignedFields('acme/late'), filename: 'a.png' });
    expect(begun.status).toBe(201);
    await setEnabled(false);
    const path = `/upload/${begun.headers.location}`;
    expect((await client.patch(path, 0, PHOTO)).status).toBe(403);
    expect((await read('/storage?path=acme/late', ADMIN)).json().files).toEqual([]);
    await setEnabled(true);
    expect((await client.call('HEAD', path)).status).toBe(200);
    expect((await read('/storage?path=acme/late', ADMIN)).json().files).toHaveLength(1);
  });
});
