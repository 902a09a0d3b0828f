import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { call, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

let spaces = 0;
let space: string;
beforeEach(async () => {
  space = `space-${++spaces}`;
  await call(service, 'POST', '/spaces', { id: space });
  await upload(service, `/b/${space}`, 'a.png');
});

const remove = (files: string) => call(service, 'DELETE', `/spaces/${space}?files=${files}`);
const statusOf = async (path: string) => (await call(service, 'GET', path)).status;

async function trashed(): Promise<number> {
  const { data } = await call(service, 'GET', '/trash');
  return (data.items as { path: string }[]).filter(({ path }) => path === space).length;
}

describe('a deletion that is cut short', () => {
  test.each([
    ['before the files go to the trash', 0, () => vi.spyOn(service.services.trash, 'put')],
    ['before the space goes', 1, () => vi.spyOn(service.services.spaceManager, 'remove')],
  ] as const)('%s is completed when it is repeated', async (_, there, spyOn) => {
    spyOn().mockRejectedValueOnce(new Error('killed'));
    expect((await remove('trash')).status).toBe(500);
    expect(await trashed()).toBe(there);
    // Nothing new comes in meanwhile.
    expect((await call(service, 'GET', `/spaces/${space}`)).data.space).toMatchObject({ enabled: false });
    expect((await upload(service, `/b/${space}`, 'late.png')).status).toBe(403);
    expect((await remove('trash')).status).toBe(200);
    expect(await trashed()).toBe(1);
    expect([await statusOf(`/spaces/${space}`), await statusOf(`/storage/${space}/a.png/metadata`)]).toEqual([
      404, 404,
    ]);
  });

  test('keeps files that stay', async () => {
    vi.spyOn(service.services.spaceManager, 'remove').mockRejectedValueOnce(new Error('killed'));
    expect((await remove('keep')).status).toBe(500);
    expect((await remove('keep')).status).toBe(200);
    expect([await statusOf(`/spaces/${space}`), await statusOf(`/storage/${space}/a.png/metadata`)]).toEqual([
      404, 200,
    ]);
  });
});

test('the folder of a space goes to the trash with it alone', async () => {
  expect((await call(service, 'DELETE', `/storage/${space}?recursive=true&trash=true`)).data.code).toBe(
    'space_conflict',
  );
  expect((await remove('trash')).status).toBe(200);
  expect(await trashed()).toBe(1);
});
