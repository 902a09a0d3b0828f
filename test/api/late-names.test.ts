import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const concert = fixture('concert.jpg');

/** Starts with folders that existed before their names became transformations. */
async function startWithFolders(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startService(environment);
  await service.place('top.jpg', concert);
  for (const folder of ['tr', 'b_auto', 'e_blur', 'e_brightness:300', 'g_focal', 'g_fp:0.5:0.5', 'n_soft', 'w_100'])
    await service.place(`${folder}/inside.jpg`, 'the original');
  await service.place('e_blur/top.jpg', 'in the way');
  await service.place('e_blur/deep/er.jpg', 'the original');
  return service;
}

describe('a folder whose name has become a transformation', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWithFolders({ CDN_CACHE_TAGS: 'true', PRESETS: 'soft=e_blur:4,w_50' });
  });
  afterAll(() => service.close());
  const get = (path: string) => ask(service.url, path);

  test.each([
    '/t/tr/inside.jpg',
    '/t/b_auto/inside.jpg',
    '/t/e_blur/inside.jpg',
    '/t/e_brightness:300/inside.jpg',
    '/t/e_blur/deep/er.jpg',
    '/t/g_focal/inside.jpg',
    '/t/g_fp:0.5:0.5/inside.jpg',
    '/t/n_soft/inside.jpg',
  ])('gives its files as they are: %s', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.body.toString(), answer.headers['x-cache']]).toEqual([
      200,
      'the original',
      undefined,
    ]);
  });

  test('is a transformation where that has a file', async () => {
    const answer = await get('/t/e_blur/top.jpg');
    expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'miss']);
    expect((await get('/t/e_blur:10/top.jpg')).headers['x-cache'], 'the same variant').toBe('hit');
  });

  test('is none where the name was a transformation all along', async () => {
    expect((await get('/t/w_100/inside.jpg')).status).toBe(404);
  });

  test('does not hide what is wrong with a value', async () => {
    for (const path of ['/t/e_brightness:300/top.jpg', '/t/e_brightness:300/nothing.jpg']) {
      const answer = await get(path);
      expect(answer.status).toBe(400);
      expect(answer.json().message).toContain('expected a whole number from -100 to 100, received "300"');
    }
  });

  test('is not there at all: 404, as for every transformation of no file', async () => {
    expect((await get('/t/e_negate/nothing.jpg')).status).toBe(404);
  });

  test('cannot have a name that is too long for one: 404', async () => {
    const long = Array.from({ length: 30 }, (_, n) => `e_blur:${n + 1}.25`).join(',');
    expect((await get(`/t/${long}/nothing.jpg`)).status).toBe(404);
    expect((await get(`/t/${long}/top.jpg`)).status).toBe(200);
  });

  test('is asked about as it is delivered', async () => {
    expect((await get('/video-status/e_blur/inside.jpg')).json()).toMatchObject({ status: 'not_found' });
    expect((await get('/video-status/e_negate/nothing.jpg')).status).toBe(404);
  });
});

test('where only presets are delivered, such a folder gives its files too', async () => {
  const service = await startWithFolders({ DELIVERY_MODE: 'presets', PRESETS: 'soft=e_blur:4,w_50' });
  try {
    for (const folder of ['e_blur', 'g_focal', 'n_soft']) {
      expect((await ask(service.url, `/t/${folder}/inside.jpg`)).body.toString()).toBe('the original');
    }
    expect((await ask(service.url, '/t/e_negate/top.jpg')).status).toBe(403);
    expect((await ask(service.url, '/t/n_soft/top.jpg')).status).toBe(200);
  } finally {
    await service.close();
  }
});
