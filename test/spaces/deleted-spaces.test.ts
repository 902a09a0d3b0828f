import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { call, PHOTO, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const id of ['acme', 'globex']) await call(service, 'POST', '/spaces', { id });
});
afterAll(() => service.close());

const codeOf = async (...[method, path, body]: [string, string, object?]) => {
  const { status, data } = await call(service, method, path, body);
  return [status, data.code];
};

const TUS = { 'tus-resumable': '1.0.0', 'x-api-key': TEST_KEY };

test('what refers to a deleted space by its id leads nowhere, because no other space gets the id', async () => {
  await upload(service, '/b/acme', 'secret.png');
  const ticket = await call(service, 'POST', '/b/acme/download-zip/ticket', { items: [{ path: 'secret.png' }] });
  const begun = await ask(service.url, '/b/acme/upload/resumable', {
    method: 'POST',
    headers: {
      ...TUS,
      'upload-length': String(PHOTO.length),
      'upload-metadata': `filename ${Buffer.from('late.png').toString('base64')}`,
    },
  });
  expect([ticket.status, begun.status]).toEqual([200, 201]);
  const location = new URL(String(begun.headers.location), `${service.url}/b/acme/upload/resumable`).pathname;
  expect(await codeOf('DELETE', '/spaces/acme')).toEqual([200, undefined]);

  for (const folder of ['acme', 'elsewhere']) {
    const { status, data } = await call(service, 'POST', '/spaces', { id: 'acme', folder });
    expect([status, data.code]).toEqual([409, 'space_id_used']);
    expect(data.message).toMatch(/^The id "acme" was that of a space that was deleted at \d{4}-\d\d-\d\dT/);
  }
  const { url } = ticket.data as { url: string };
  expect((await ask(service.url, url)).json().code).toBe('space_not_found');
  const resumed = await ask(service.url, location, { method: 'HEAD', headers: TUS });
  expect(resumed.status).toBe(404);
});

test('the library keeps the audit log and the usage of a deleted space', async () => {
  const { data } = await call(service, 'GET', '/audit?space=acme');
  expect((data.entries as { action: string }[]).map(({ action }) => action)).toContain('file.uploaded');
  const usage = await call(service, 'GET', '/usage?by=space');
  expect((usage.data.rows as { space: string }[]).map(({ space }) => space)).toContain('acme');
});

test('the folder of a deleted space with its files can be that of another one, which gets nothing else', async () => {
  expect(await codeOf('POST', '/spaces', { id: 'acme-2', folder: 'acme' })).toEqual([200, undefined]);
  const { data } = await call(service, 'GET', '/b/acme-2/storage?path=');
  expect((data.files as { path: string }[]).map(({ path }) => path)).toEqual(['secret.png']);
  expect((await call(service, 'GET', '/b/acme-2/audit')).data.entries).toEqual([]);
  expect((await call(service, 'GET', '/b/acme-2/usage')).data.total).toMatchObject({ uploadedBytes: 0 });
});

test('no space gets the trash of a deleted one with its folder', async () => {
  await upload(service, '/b/globex', 'secret.png');
  await call(service, 'DELETE', '/b/globex/storage/secret.png?trash=true');
  await call(service, 'DELETE', '/spaces/globex');
  expect(await codeOf('POST', '/spaces', { id: 'globex-2', folder: 'globex' })).toEqual([409, 'space_conflict']);
  expect(await codeOf('POST', '/spaces', { id: 'globex-2', folder: 'globex/inner' })).toEqual([200, undefined]);
  await call(service, 'DELETE', '/spaces/globex-2');
  const { data } = await call(service, 'GET', '/trash');
  for (const { id } of data.items as { id: string }[]) await call(service, 'DELETE', `/trash/${id}`);
  expect(await codeOf('POST', '/spaces', { id: 'globex-3', folder: 'globex' })).toEqual([200, undefined]);
});
