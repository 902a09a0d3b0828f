import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../../http.ts';
import { startService, type TestService } from '../../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ COMPAT: 'cloudinary' });
});
afterAll(() => service.close());

const get = (name: string) => ask(service.url, `/image/upload/w_20/${name}`);

test('a file that was uploaded, renamed or moved is found by its stem at once, and not where it was', async () => {
  await service.upload({ 'cover.jpg': fixture('concert.jpg') }, { folder: 'blog' });
  expect(await get('blog/cover')).toMatchObject({ status: 200 });
  expect(await get('blog/cover.webp')).toMatchObject({ status: 200 });
  const body = JSON.stringify({ name: 'title.jpg' });
  const headers = { 'content-type': 'application/json' };
  expect((await service.authorized('/storage/blog/cover.jpg', { method: 'PATCH', headers, body })).status).toBe(200);
  expect([(await get('blog/cover')).status, (await get('blog/title')).status]).toEqual([404, 200]);
  expect((await service.authorized('/storage/blog/title.jpg', { method: 'DELETE' })).status).toBe(200);
  expect(await get('blog/title')).toMatchObject({ status: 404 });
});
