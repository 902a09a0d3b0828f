import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let service: TestService;
let source: Server;
beforeAll(async () => {
  service = await startService({ OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8' });
  source = createServer((_request, response) => response.end(PHOTO)).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
});
afterAll(async () => {
  source.close();
  await service.close();
});

let spaces = 0;
let space: string;
/** Each test has a space with the file `a.png`. */
beforeEach(async () => {
  space = `space-${++spaces}`;
  await call(service, 'POST', '/spaces', { id: space });
  expect((await upload(service, `/b/${space}`, 'a.png')).status).toBe(200);
});

/** @param files of which the quota has space for, with some bytes more */
const limit = (files: number) =>
  call(service, 'PATCH', `/spaces/${space}`, { quota: { bytes: files * PHOTO.length + 10 } });

async function usedFiles(): Promise<number> {
  const { data } = await call(service, 'GET', `/b/${space}/usage`);
  return (data.quota as { usedBytes: number }).usedBytes / PHOTO.length;
}

const REFUSED = { status: 507, data: { code: 'quota_exceeded' } };

function replace(bytes: Uint8Array = PHOTO) {
  const headers = { ...ADMIN, 'content-type': 'image/png' };
  return ask(service.url, `/b/${space}/storage/a.png`, { method: 'PUT', headers, body: bytes });
}

describe('beyond its quota a space takes no', () => {
  test('copy', async () => {
    await limit(1);
    expect(await call(service, 'POST', `/b/${space}/storage/a.png/copy`)).toMatchObject(REFUSED);
    await limit(2);
    expect((await call(service, 'POST', `/b/${space}/storage/a.png/copy`)).status).toBe(200);
    expect(await usedFiles()).toBe(2);
  });

  test('other bytes of a file, whose present ones stay without another version', async () => {
    await limit(1);
    const refused = await replace();
    expect([refused.status, refused.json().code]).toEqual([507, 'quota_exceeded']);
    expect(await usedFiles()).toBe(1);
    await limit(2);
    expect((await replace()).status).toBe(200);
    expect(await usedFiles()).toBe(2);
  });

  test('file of a URL', async () => {
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/b.png`;
    await limit(1);
    expect(await call(service, 'POST', `/b/${space}/upload/url`, { url })).toMatchObject(REFUSED);
    await limit(2);
    expect((await call(service, 'POST', `/b/${space}/upload/url`, { url })).status).toBe(200);
  });

  test('resumable upload, from its announcement on', async () => {
    await limit(1);
    const begun = await ask(service.url, `/b/${space}/upload/resumable`, {
      method: 'POST',
      headers: {
        ...ADMIN,
        'tus-resumable': '1.0.0',
        'upload-length': String(PHOTO.length),
        'upload-metadata': `filename ${Buffer.from('b.png').toString('base64')}`,
      },
    });
    expect([begun.status, begun.json().code]).toEqual([507, 'quota_exceeded']);
  });

  test('upload, copy or move from the library', async () => {
    await upload(service, '', `${space}.png`);
    await upload(service, '', 'a.png', { fields: { folder: `folder-of-${space}` } });
    await limit(1);
    expect(await upload(service, '', 'b.png', { fields: { folder: space } })).toMatchObject({
      status: 507,
      code: 'quota_exceeded',
    });
    for (const [path, destination] of [
      [`${space}.png/copy`, space],
      [`${space}.png/move`, space],
      [`folder-of-${space}/move`, space],
      [`${space}/a.png/copy`, space],
    ] as const)
      expect(await call(service, 'POST', `/storage/${path}`, { destination })).toMatchObject(REFUSED);
    // Within the space, moved files add nothing.
    expect((await call(service, 'POST', `/storage/${space}/a.png/move`, { destination: `${space}/b` })).status).toBe(
      200,
    );
    await limit(2);
    expect((await call(service, 'POST', `/storage/folder-of-${space}/move`, { destination: space })).status).toBe(200);
    expect(await usedFiles()).toBe(2);
  });
});

test('uploads at the same time do not exceed the quota together', async () => {
  await limit(4);
  const uploads = Array.from({ length: 12 }, (_, n) => upload(service, `/b/${space}`, `parallel-${n}.png`));
  const statuses = (await Promise.all(uploads)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 507)).toHaveLength(9);
  expect(await usedFiles()).toBe(4);
});

test('what is restored counts already: it fits in a full space', async () => {
  expect((await replace()).status).toBe(200);
  await call(service, 'POST', `/b/${space}/storage/a.png/copy`);
  const removed = await call(service, 'DELETE', `/b/${space}/storage/a%20copy.png?trash=true`);
  expect(removed.status).toBe(200);
  await limit(3);
  expect(await usedFiles()).toBe(3);
  const { data } = await call(service, 'GET', `/b/${space}/storage/a.png/versions`);
  const [version] = data.versions as { id: string }[];
  expect((await call(service, 'POST', `/b/${space}/storage/a.png/versions/${version?.id}/restore`)).status).toBe(200);
  const trash = await call(service, 'GET', `/b/${space}/trash`);
  const [item] = trash.data.items as { id: string }[];
  expect((await call(service, 'POST', `/b/${space}/trash/${item?.id}/restore`)).status).toBe(200);
  expect(await usedFiles()).toBe(3);
  expect(await upload(service, `/b/${space}`, 'more.png')).toMatchObject({ status: 507 });
});
