import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { ask } from '../http.ts';
import { API_SECRET } from '../presigned.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call as request, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ API_SECRET, PUBLIC_RATE_LIMIT_MAX: '0' });
  await call('POST', '/spaces', { id: 'acme', folder: 'customers/acme', hosts: ['acme.test'] });
  await call('POST', '/spaces', { id: 'globex' });
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  request(service, method, path, body, headers);
const get = (path: string, headers: Record<string, string> = {}) => ask(service.url, path, { headers });
const statusOf = async (path: string, headers?: Record<string, string>) => (await get(path, headers)).status;

async function put(path: string, prefix = ''): Promise<void> {
  const [name = '', ...folders] = path.split('/').reverse();
  const fields = { folder: folders.reverse().join('/') };
  expect((await upload(service, prefix, name, { fields })).status).toBe(200);
}

const redirect = (from: string, to: string, prefix = '') => call('POST', `${prefix}/redirects`, { from, to });
async function listed(prefix: string): Promise<string[][]> {
  const { redirects } = (await call('GET', `${prefix}/redirects`)).data as {
    redirects: { from: string; to: string }[];
  };
  return redirects.map(({ from, to }) => [from, to]);
}

describe('a redirect in a space', () => {
  test('has inner paths there, and outer ones in the library', async () => {
    await put('brand/new.png', '/b/acme');
    const { status, data } = await redirect('old.png', 'brand/new.png', '/b/acme');
    expect([status, data]).toEqual([
      201,
      { redirect: expect.objectContaining({ from: 'old.png', to: 'brand/new.png' }) },
    ]);
    expect(await listed('/b/acme')).toEqual([['old.png', 'brand/new.png']]);
    expect(await listed('')).toEqual([['customers/acme/old.png', 'customers/acme/brand/new.png']]);
    expect(await listed('/b/globex')).toEqual([]);
    for (const [url, host, link] of [
      ['/b/acme/t/w_9,f_png/old.png', undefined, '/b/acme/t/w_9,f_png/brand/new.png'],
      ['/t/w_9,f_png/old.png', 'acme.test', '/t/w_9,f_png/brand/new.png'],
      ['/t/w_9,f_png/customers/acme/old.png', undefined, '/t/w_9,f_png/customers/acme/brand/new.png'],
      ['/b/acme/download/old.png', undefined, '/b/acme/download/brand/new.png'],
    ] as const) {
      for (let n = 0; n < 3; n++) {
        const { status, headers } = await get(url, host === undefined ? {} : { host });
        expect([url, status, headers.link]).toEqual([url, 200, `<${link}>; rel="canonical"`]);
      }
    }
    expect((await call('DELETE', '/b/globex/redirects?from=old.png')).status).toBe(404);
    expect((await call('DELETE', '/b/acme/redirects?from=old.png')).status).toBe(200);
    expect(await statusOf('/b/acme/t/w_9,f_png/old.png')).toBe(404);
  });

  test('follows moves in it, by whichever URL', async () => {
    await put('one.png', '/b/acme');
    await call('PATCH', '/b/acme/storage/one.png', { name: 'two.png', redirect: true });
    await call('POST', '/storage/customers/acme/two.png/move', { destination: 'customers/acme/deep', redirect: true });
    expect(await listed('/b/acme')).toEqual([
      ['one.png', 'deep/two.png'],
      ['two.png', 'deep/two.png'],
    ]);
    expect(await statusOf('/b/acme/t/one.png')).toBe(200);
    await call('DELETE', '/b/acme/storage/deep?recursive=true&trash=true');
    expect(await listed('/b/acme')).toEqual([
      ['one.png', 'deep/two.png'],
      ['two.png', 'deep/two.png'],
    ]);
    expect(await statusOf('/b/acme/t/one.png')).toBe(404);
    await call('DELETE', '/b/acme/trash');
    expect(await listed('/b/acme')).toEqual([]);
  });

  test('leads neither in nor out, whether it is made so or becomes so', async () => {
    await put('inside.png', '/b/acme');
    await put('outside.png');
    for (const [from, to] of [
      ['out.png', 'customers/acme/inside.png'],
      ['customers/acme/in.png', 'outside.png'],
      ['globex/in.png', 'customers/acme/inside.png'],
    ] as const)
      expect((await redirect(from, to)).data.code).toBe('space_conflict');
    const moved = await call('POST', '/storage/customers/acme/inside.png/move', { destination: '', redirect: true });
    expect(moved.data.code).toBe('space_conflict');
    await redirect('customers/acme/was.png', 'customers/acme/inside.png');
    await call('POST', '/storage/customers/acme/inside.png/move', { destination: 'left' });
    for (const url of ['/b/acme/t/was.png', '/t/customers/acme/was.png', '/b/acme/download/was.png'])
      expect([url, await statusOf(url, ADMIN)]).toEqual([url, 404]);
    expect(await listed('/b/acme')).toEqual([]);
    expect((await call('DELETE', '/b/acme/redirects?from=was.png')).status).toBe(404);
    expect((await redirect('customers', 'left')).status).toBe(201);
    expect(await statusOf('/b/acme/t/inside.png', ADMIN)).toBe(404);
    expect(await statusOf('/t/customers/acme/inside.png', ADMIN)).toBe(404);
    expect(await statusOf('/t/customers/inside.png')).toBe(200);
    expect((await call('DELETE', '/redirects?from=customers')).status).toBe(200);
  });
});

/** Each URL by which a file may be had, by a path of the library or of a space. */
const WAYS: [way: string, url: (path: string) => string][] = [
  ['the original', (path) => `/t/${path}`],
  ['a variant', (path) => `/t/w_8,f_png/${path}`],
  ['a layer', (path) => `/t/w_8,f_png~l_${path.replaceAll('/', ':')},w_2/shown.png`],
  ['facts', (path) => `/t/f_json/${path}`],
  ['a download', (path) => `/download/${path}`],
  ['a download of a folder', (path) => `/download-folder/${path.replace(/\/[^/]*$/, '')}`],
  ['a status', (path) => `/video-status/w_8,f_png/${path}`],
];

describe.each([
  { place: 'the library', id: 'default', prefix: '' },
  { place: 'a space', id: 'globex', prefix: '/b/globex' },
])('rules of $place', ({ id, prefix }) => {
  beforeAll(async () => {
    await call('PATCH', `/spaces/${id}`, { privateFolders: ['closed'] });
    for (const path of ['shown.png', 'closed/there.png', 'open/there.png']) await put(path, prefix);
    await redirect('to-closed', 'closed', prefix);
    await redirect('to-open', 'open', prefix);
    await redirect('closed/to-open', 'open', prefix);
  });

  describe.each(WAYS)('for %s', (_way, url) => {
    const answer = async (path: string, headers: Record<string, string> = {}) => {
      const { status, body } = await get(prefix + url(path), headers);
      return { status, text: body.toString('latin1') };
    };
    const without = (text: string, name: string) => text.replaceAll(name, '*');

    test('do not tell a private target from a missing one, nor from a path without a redirect', async () => {
      const [there, missing, none] = await Promise.all(
        ['to-closed/there.png', 'to-closed/nothing.png', 'nowhere/nothing.png'].map((path) => answer(path)),
      );
      expect(there?.status).toBe(404);
      expect(missing?.status).toBe(404);
      expect(without(there?.text ?? '', 'there.png')).toBe(without(missing?.text ?? '', 'nothing.png'));
      const folderless = (text = '') => without(without(text, 'to-closed'), 'nowhere');
      expect(folderless(missing?.text)).toBe(folderless(none?.text));
    });

    test('give it to a key, and to everyone what is open', async () => {
      expect((await answer('to-closed/there.png', ADMIN)).status).toBe(200);
      expect((await answer('to-open/there.png')).status).toBe(200);
    });

    test('close a path in a private folder, wherever its redirect leads', async () => {
      expect((await answer('closed/to-open/there.png')).status).toBe(401);
      expect((await answer('closed/to-open/nothing.png')).status).toBe(401);
      expect((await answer('closed/to-open/there.png', ADMIN)).status).toBe(200);
    });
  });

  test('let no cache store what a key has opened', async () => {
    for (let n = 0; n < 3; n++) {
      const { headers } = await get(`${prefix}/t/w_8,f_png/to-closed/there.png`, ADMIN);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(await statusOf(`${prefix}/t/w_8,f_png/to-closed/there.png`)).toBe(404);
    }
  });

  test('keep stored bytes to whoever may have them', async () => {
    await call('PATCH', `/spaces/${id}`, { originals: 'protected' });
    expect(await statusOf(`${prefix}/t/to-open/there.png`)).toBe(401);
    expect(await statusOf(`${prefix}/download/to-open/there.png`)).toBe(401);
    expect(await statusOf(`${prefix}/t/w_8,f_png/to-open/there.png`)).toBe(200);
    expect(await statusOf(`${prefix}/t/to-open/there.png`, ADMIN)).toBe(200);
    await call('PATCH', `/spaces/${id}`, { originals: 'open' });
  });
});

test('a signed URL of a previous path leads to a private file', async () => {
  const { limits } = service.services.config;
  const url = signDeliveryUrl('w_8,f_png/to-closed/there.png', { secret: API_SECRET, limits });
  expect(await statusOf(url)).toBe(200);
});

test('a disabled space delivers nothing by previous paths', async () => {
  await put('new.png', '/b/acme');
  await redirect('previous.png', 'new.png', '/b/acme');
  expect(await statusOf('/t/customers/acme/previous.png')).toBe(200);
  await call('PATCH', '/spaces/acme', { enabled: false });
  for (const url of ['/t/customers/acme/previous.png', '/t/w_9,f_png/customers/acme/previous.png'])
    expect([url, await statusOf(url)]).toEqual([url, 403]);
});

test('the redirects of a space take no room from the library, and those of the library none from a space', async () => {
  await call('PATCH', '/spaces/acme', { enabled: true });
  await put('target.png');
  await put('target.png', '/b/acme');
  const { db } = service.services.database;
  const fill = (folder: string) =>
    sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
      insert into redirect ("from", "to", "isFolder", "createdAt")
      select ${`${folder}many/`} || n || '.png', ${`${folder}target.png`}, 0, 1 from numbers
    `.execute(db);
  const create = async (prefix: string) =>
    (await call('POST', `${prefix}/redirects`, { from: 'one-more.png', to: 'target.png' })).status;
  for (const [full, free] of [
    ['/b/acme', ''],
    ['', '/b/acme'],
  ] as const) {
    await fill(full === '' ? '' : 'customers/acme/');
    expect([await create(full), await create(free)]).toEqual([409, 201]);
    await db.deleteFrom('redirect').execute();
  }
});
