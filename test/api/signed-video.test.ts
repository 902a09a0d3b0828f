import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import type { StoragePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';
import { openStudio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const NAME = 'films/a b,1.mp4';
const VIDEO = 'films/a%20b,1.mp4';

let service: VideoService;
let open: VideoService;
let cookie: string;
beforeAll(async () => {
  const studio = await openStudio();
  const film = await sidesFilm(studio);
  await studio.close();
  service = await startVideoService({ ...ADMIN, ...FROM_ANYWHERE, DELIVERY_MODE: 'signed', API_SECRET: SECRET });
  open = await startVideoService({ API_SECRET: SECRET });
  for (const one of [service, open]) await one.place(NAME, film);
  cookie = await signIn(service, ADMIN);
});
afterAll(() => Promise.all([service.close(), open.close()]));
beforeEach(async () => {
  for (const { services } of [service, open]) await services.queue.removeWithin('' as StoragePath);
});

const get = (path: string, headers: Record<string, string> = {}, at = service) => ask(at.url, path, { headers });
const signed = (raw: string, expires?: number) =>
  signDeliveryUrl(raw, { secret: SECRET, limits: service.services.config.limits, expires });
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
/** Returns the status of a signed URL. */
const statusOf = (url: string) => url.replace('/authenticated/', '/video-status/');
const key = { 'x-api-key': TEST_KEY };

async function readOnlyKey(permission: 'read' | 'upload'): Promise<{ authorization: string }> {
  const { key } = await service.services.keyring.create({ permissions: [permission] });
  return { authorization: `bearer ${key}` };
}

async function expectRefusal(path: string, status: number, headers: Record<string, string> = {}): Promise<void> {
  const answer = await get(path, headers);
  expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, status, 'no-store']);
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
  // A URL with an invalid format is shown as received.
  if (status !== 400) expect(answer.body.toString()).not.toContain('films');
}

describe('in signed mode the 202 of a signed URL', () => {
  test.each([
    ['for good', `w_80,h_40/${VIDEO}`, undefined],
    ['for a while', `w_80,h_40/${VIDEO}`, inSeconds(600)],
    ['of another spelling', `h_40%2Cw_80/${VIDEO}`, undefined],
  ])('%s names a status that its visitor may follow, without a key', async (_, raw, expires) => {
    const url = signed(raw, expires);
    const pending = await get(url);
    expect(pending.status).toBe(202);
    const { statusUrl } = pending.json() as { statusUrl: string };
    expect(statusUrl).toBe(statusOf(url));
    expect((await get(statusUrl)).json()).toMatchObject({ status: 'pending', progress: 0 });
    expect((await get(`/api${statusUrl}`)).json()).toMatchObject({ status: 'pending' });
    const size = await get(`${statusUrl}/size`);
    expect([size.status, size.json().error]).toEqual([404, 'Not processed yet']);

    service.services.worker?.start();
    expect(await service.ended(NAME)).toBe('completed');
    await service.services.worker?.stop();
    expect((await get(statusUrl)).json()).toMatchObject({ status: 'completed', progress: 100 });
    const { length } = (await get(url)).body;
    expect((await get(`${statusUrl}/size`)).json()).toEqual({ size: length, status: 'ready' });
    await service.services.variants.clear();
  });

  test('asked for with a key names the usual status, which takes the key', async () => {
    const { statusUrl } = (await get(`/t/w_80/${VIDEO}`, key)).json() as { statusUrl: string };
    expect(statusUrl).toBe('/video-status/w_80/films/a%20b%2C1.mp4');
    expect((await get(statusUrl, key)).json()).toMatchObject({ status: 'pending' });
    await expectRefusal(statusUrl, 401);
  });
});

describe('in signed mode a status', () => {
  test('is told to nobody without a signature, a key or a session, whether or not there is a file', async () => {
    for (const path of [
      `w_80/${VIDEO}`,
      VIDEO,
      `${VIDEO}/size`,
      'w_80/missing.mp4',
      'missing.mp4',
      'w_0/missing.mp4',
    ]) {
      await expectRefusal(`/video-status/${path}`, 401);
      await expectRefusal(`/video-status/${path}`, 401, { 'x-api-key': 'wrong' });
      await expectRefusal(`/video-status/${path}`, 403, await readOnlyKey('upload'));
    }
    for (const headers of [key, await readOnlyKey('read'), { cookie }]) {
      expect((await get(`/video-status/w_80/${VIDEO}`, headers)).json()).toMatchObject({ status: 'not_found' });
      expect((await get('/video-status/missing.mp4', headers)).status).toBe(404);
    }
  });

  test('needs the signature of this very URL, and as long as it runs', async () => {
    const good = statusOf(signed(`w_80/${VIDEO}`));
    expect((await get(good)).status).toBe(200);
    await expectRefusal(good.replace('w_80', 'w_81'), 401);
    await expectRefusal(good.replace('a%20b', 'other'), 401);
    await expectRefusal(good.replace(/s--[0-9a-f]{4}/, 's--0000'), 401);
    await expectRefusal(good.replace('/w_80', '--9999999999/w_80'), 401);
    await expectRefusal(statusOf(signed(`w_80/${VIDEO}`, inSeconds(-10))), 401);
    await expectRefusal(`/video-status/s--short/w_80/${VIDEO}`, 400);
    expect((await get(statusOf(signed(VIDEO)))).json()).toMatchObject({ status: 'not_found' });
  });
});

describe('in signed mode the events', () => {
  const listen = async (headers: Record<string, string>) => {
    const request = http.get(`${service.url}/queue/events`, { headers });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.destroy();
    return [response.statusCode, response.headers['content-type']];
  };

  test('are for keys with "read" and for the session', async () => {
    for (const headers of [key, await readOnlyKey('read'), { cookie }]) {
      expect(await listen(headers)).toEqual([200, 'text/event-stream']);
    }
    await expectRefusal('/queue/events', 401);
    await expectRefusal('/api/queue/events', 401, { 'x-api-key': 'wrong' });
    await expectRefusal('/queue/events', 403, await readOnlyKey('upload'));
  });
});

describe('in open mode', () => {
  test('the status of a signed URL is the usual one, open to all; a folder may begin with "s--"', async () => {
    const pending = await get(signed(`w_80/${VIDEO}`), {}, open);
    expect(pending.json()).toMatchObject({ statusUrl: '/video-status/w_80/films/a%20b%2C1.mp4' });
    expect((await get(`/video-status/w_80/${VIDEO}`, {}, open)).json()).toMatchObject({ status: 'pending' });
    await open.place('s--0123456789abcdef/a.mp4', 'no video');
    expect((await get('/video-status/s--0123456789abcdef/a.mp4', {}, open)).status).toBe(200);
  });
});
