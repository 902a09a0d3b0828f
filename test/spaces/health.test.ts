import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await call(service, 'POST', '/spaces', { id: 'acme' });
  await upload(service, '/b/acme', 'a.png');
  await upload(service, '/b/acme', 'b.png');
  await upload(service, '', 'outside.png');
});
afterAll(() => service.close());

const health = async (path: string, headers = {}) => (await call(service, 'GET', path, undefined, headers)).data;

test('the health of a space counts its files', async () => {
  await expect
    .poll(() => health('/b/acme/health'))
    .toMatchObject({ status: 'ok', catalog: { state: 'ready', files: 2 } });
  await call(service, 'DELETE', '/b/acme/storage/b.png');
  expect(await health('/b/acme/health')).toMatchObject({ catalog: { files: 1 } });
});

test('the health of the library counts its files of now', async () => {
  const files = async () => ((await health('/health')) as { catalog: { files: number } }).catalog.files;
  const before = await files();
  await upload(service, '', 'later.png');
  expect(await files()).toBe(before + 1);
  await call(service, 'DELETE', '/storage/later.png');
  expect(await files()).toBe(before);
});

test('the health of a space that delivers signed URLs only hides the number of its files', async () => {
  await call(service, 'PATCH', '/spaces/acme', { delivery: 'signed' });
  expect(await health('/b/acme/health')).not.toHaveProperty('catalog');
  expect(await health('/b/acme/health', ADMIN)).toMatchObject({ catalog: { files: 1 } });
  expect(await health('/health')).toHaveProperty('catalog');
});
