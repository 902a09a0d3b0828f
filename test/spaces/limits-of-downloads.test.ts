import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { metadata, pathOf, tusAt } from '../tus.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await upload(service, '', 'outside.png');
});
afterAll(() => service.close());

let spaces = 0;
let space: string;
let above: string;
/** Each test has a space with the file `a.png`, which has a version. */
beforeEach(async () => {
  space = `space-${++spaces}`;
  above = `above-${spaces}`;
  await call(service, 'POST', '/spaces', { id: space, folder: `${above}/inner` });
  await upload(service, `/b/${space}`, 'a.png');
  const headers = { ...ADMIN, 'content-type': 'image/png' };
  await ask(service.url, `/b/${space}/storage/a.png`, { method: 'PUT', headers, body: PHOTO });
});

const limit = (rules: object) => call(service, 'PATCH', `/spaces/${space}`, rules);

async function useUp() {
  await call(service, 'GET', `/b/${space}/t/a.png`);
  await limit({ quota: { transferPerMonth: 1 } });
}

async function outcomeOf(method: string, path: string, body?: object) {
  const { status, data } = await call(service, method, path, body);
  return status === 429 ? data.code : status;
}

async function versionPath(): Promise<string> {
  const { data } = await call(service, 'GET', `/b/${space}/storage/a.png/versions`);
  return `a.png/versions/${(data.versions as { id: string }[])[0]?.id}`;
}

async function ticketPath(prefix: string, path: string): Promise<string> {
  const { data } = await call(service, 'POST', `${prefix}/download-zip/ticket`, { paths: [path] });
  return new URL(String(data.url), service.url).pathname;
}

/** Downloads that lead into the space. */
async function downloads(): Promise<[string, string, object?][]> {
  const version = await versionPath();
  await call(service, 'POST', '/redirects', { from: `old-${above}`, to: above });
  return [
    ['GET', `/download-folder/${above}`],
    ['GET', `/download-folder/old-${above}`],
    ['POST', '/download-zip', { paths: ['outside.png', `${above}/inner/a.png`] }],
    ['POST', '/download-zip', { items: [{ path: above, kind: 'folder' }] }],
    ['POST', `/b/${space}/download-zip`, { paths: ['a.png'] }],
    ['GET', await ticketPath('', above)],
    ['GET', await ticketPath(`/b/${space}`, 'a.png')],
    ['GET', `/storage/${above}/inner/${version}`],
    ['GET', `/b/${space}/storage/${version}`],
  ];
}

describe('a used-up transfer', () => {
  test('refuses every archive with files of the space, and versions', async () => {
    const paths = await downloads();
    await useUp();
    for (const [method, path, body] of paths)
      expect([path, await outcomeOf(method, path, body)]).toEqual([path, 'transfer_exceeded']);
    expect(await outcomeOf('POST', '/download-zip', { paths: ['outside.png'] })).toBe(200);
  });

  test('refuses nothing else', async () => {
    await useUp();
    for (const path of [
      'health',
      'limits',
      'transformations',
      'storage',
      'storage/a.png/metadata',
      'storage/a.png/versions',
    ])
      expect([path, await outcomeOf('GET', `/b/${space}/${path}`)]).toEqual([path, 200]);
    const tus = tusAt(service.url);
    const headers = { 'upload-length': PHOTO.length, 'upload-metadata': metadata({ filename: 'b.png' }) };
    const begun = await tus.call('POST', `/b/${space}/upload/resumable`, { headers });
    expect((await tus.call('HEAD', `/b/${space}${pathOf(begun)}`)).status).toBe(200);
  });
});

describe('the rate limit', () => {
  test('counts every archive with files of the space, and versions, once', async () => {
    const paths = await downloads();
    await limit({ rateLimit: { total: paths.length } });
    for (const [method, path, body] of paths) expect([path, await outcomeOf(method, path, body)]).toEqual([path, 200]);
    expect(await outcomeOf('POST', `/b/${space}/download-zip`, { paths: ['a.png'] })).toBe('rate_limited');
  });

  test('counts nothing else', async () => {
    await limit({ rateLimit: { total: 1 } });
    for (const path of ['health', 'limits', 'transformations', 'health'])
      expect([path, await outcomeOf('GET', `/b/${space}/${path}`)]).toEqual([path, 200]);
  });
});
