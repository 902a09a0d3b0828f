import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { bytes, startPlace } from '../old-place.ts';
import { startService, type TestService } from '../service.ts';
import { call, PHOTO } from './asking.ts';

let old: Awaited<ReturnType<typeof startPlace>>;
let service: TestService;
beforeAll(async () => {
  old = await startPlace();
  service = await startService({ ORIGINS: `customers=${old.url}` });
});
afterAll(async () => {
  old.close();
  await service.close();
});
afterEach(() => {
  old.asked.length = 0;
});

let spaces = 0;
let space: string;
beforeEach(async () => {
  space = `space-${++spaces}`;
  await call(service, 'POST', '/spaces', { id: space, folder: `customers/${space}` });
  for (const name of ['a.png', 'b.png']) old.answers[`/${space}/${name}`] = bytes(PHOTO);
});

const rule = (rules: object) => call(service, 'PATCH', `/spaces/${space}`, rules);
const get = (path: string) => ask(service.url, path);

test('a file that its origin has and the quota has no room for is 507, and is not requested again', async () => {
  await rule({ quota: { bytes: PHOTO.length + 10 } });
  expect((await get(`/b/${space}/t/a.png`)).status).toBe(200);
  for (const [path, quoted] of [
    [`/b/${space}/t/b.png`, '"b.png"'],
    [`/b/${space}/t/w_20/b.png`, '"b.png"'],
    [`/t/customers/${space}/b.png`, `"customers/${space}/b.png"`],
  ] as const) {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 507, headers: { 'retry-after': '60', 'cache-control': 'no-store' } });
    expect(answer.json()).toMatchObject({
      code: 'quota_exceeded',
      message: `${quoted} is not fetched: with it, the quota of its space would be exceeded.`,
    });
  }
  expect(old.asked).toEqual([`/${space}/a.png`, `/${space}/b.png`]);
  expect((await get(`/b/${space}/t/missing.png`)).status).toBe(404);
});

test('an origin that does not answer is named by the path inside the space', async () => {
  old.answers[`/${space}/a.png`] = (_, response) => response.destroy();
  const { status, body } = await get(`/b/${space}/t/a.png`);
  expect([status, JSON.parse(body.toString()).message]).toEqual([
    503,
    '"a.png" cannot be fetched from where it was at the moment.',
  ]);
});

test('files of kinds that the space does not take are not fetched', async () => {
  await rule({ types: ['video'] });
  for (const path of [`/b/${space}/t/a.png`, `/t/customers/${space}/a.png`]) expect((await get(path)).status).toBe(404);
  expect(old.asked).toEqual([]);
  await rule({ types: ['image/png'] });
  expect((await get(`/b/${space}/t/a.png`)).status).toBe(200);
});

test('files that are too large for the space are not kept', async () => {
  await rule({ maxFileBytes: PHOTO.length - 1 });
  expect((await get(`/b/${space}/t/a.png`)).status).toBe(404);
});
