import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { call, upload } from './asking.ts';

let service: TestService;
let key: string | undefined;
beforeAll(async () => {
  service = await startService();
  await call(service, 'POST', '/spaces', { id: 'acme' });
});
afterAll(() => service.close());

test('the name of a preset is refused with what is expected and what was received', async () => {
  const answer = await call(service, 'PATCH', '/spaces/acme', { presets: { 'big one': 'w_200' } });
  expect([answer.status, answer.data.code, answer.data.message]).toEqual([
    400,
    'validation_failed',
    'In "presets": expected a name of letters, digits, _ and -, received "big one".',
  ]);
});

test.each([1_234_567, 5 * 1024 * 1024])(
  'the limits of a space have its largest file of %i bytes exactly',
  async (bytes) => {
    expect((await call(service, 'PATCH', '/spaces/acme', { maxFileBytes: bytes })).status).toBe(200);
    const { limits } = (await call(service, 'GET', '/b/acme/limits')).data as { limits: { name: string }[] };
    expect(limits.find(({ name }) => name === 'upload file')).toEqual({
      name: 'upload file',
      value: bytes / 1024 / 1024,
      unit: 'MB',
      setting: 'maxFileBytes',
      bytes,
    });
  },
);

test('a file over the limit of a space is refused with the rule, and in the library with the setting', async () => {
  await call(service, 'PATCH', '/spaces/acme', { maxFileBytes: 10 });
  const refused = await upload(service, '/b/acme', 'large.png');
  expect(JSON.stringify(refused.body)).toContain('The file is larger than the limit of 10 bytes (maxFileBytes).');
  await call(service, 'PATCH', '/spaces/acme', { maxFileBytes: null });
  const { limits } = (await call(service, 'GET', '/b/acme/limits')).data as { limits: object[] };
  expect(limits).toContainEqual(expect.objectContaining({ name: 'upload file', setting: 'MAX_FILE_SIZE_MB' }));
});

test('the extensions that can be uploaded are those of the types that a space accepts', async () => {
  const extensionsAt = async (prefix: string) =>
    ((await call(service, 'GET', `${prefix}/limits`)).data as { extensions: string[] }).extensions;
  expect(await extensionsAt('')).toEqual(expect.arrayContaining(['jpg', 'mp4', 'glb']));
  expect(await extensionsAt('')).not.toContain('svg');
  await call(service, 'PATCH', '/spaces/acme', { types: ['image/png'] });
  expect(await extensionsAt('/b/acme')).toEqual(['apng', 'png']);
  await call(service, 'PATCH', '/spaces/acme', { types: null });
});

describe('below /t/, a key of a space', () => {
  beforeAll(async () => {
    await upload(service, '/b/acme', 'logo.png');
    await upload(service, '/b/acme', 'plan.png', { fields: { folder: 'drafts' } });
    await call(service, 'PATCH', '/spaces/acme', { addPrivateFolders: ['drafts'] });
  });

  test.each([
    ['is ignored for what everyone may have', '/t/w_20/acme/logo.png', 200, undefined],
    ['is refused where a rule requires one', '/t/w_20/acme/drafts/plan.png', 403, 'wrong_space'],
    ['does not lead into its space', '/t/w_20/logo.png', 404, 'file_not_found'],
    ['admits in its space', '/b/acme/t/w_20/drafts/plan.png', 200, undefined],
    ['leads into its space for downloads', '/download/drafts/plan.png', 200, undefined],
  ])('%s', async (_, path, status, code) => {
    key ??= ((await call(service, 'POST', '/b/acme/api-keys/create', {})).data.apiKey as { key: string }).key;
    const answer = await call(service, 'GET', path, undefined, { 'x-api-key': key });
    expect([answer.status, answer.data.code]).toEqual([status, code]);
  });
});
