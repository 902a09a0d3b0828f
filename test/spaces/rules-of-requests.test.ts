import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { call } from './asking.ts';

let service: TestService;
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
      setting: 'MAX_FILE_SIZE_MB',
      bytes,
    });
  },
);
