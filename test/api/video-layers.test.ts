import { readdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cacheTagsOf } from '../../src/delivery/cache-tags.ts';
import { signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { unavailable } from '../../src/errors.ts';
import { parsePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { solid } from '../pictures/studio.ts';
import { played } from '../streams.ts';
import { BLUE, isNear, LIME, openStudio, type Studio, WHITE } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
/** The whole left half. */
const HALF = 'w_0.5,h_1.0,c_scale,g_west';

const square = (...colour: [number, number, number]) =>
  solid(16, 16, [...colour, 255])
    .png()
    .toBuffer();

let service: VideoService;
let studio: Studio;
let film: Buffer;
const get = (path: string, headers = {}) => ask(service.url, path, { headers });

beforeAll(async () => {
  studio = await openStudio();
  film = await sidesFilm(studio);
  service = await startVideoService({
    VIDEO_JOB_RETRY_MAX: '0',
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
    CDN_TAGS: 'true',
    PRESETS: 'marked=w_80~l_brand:logo.png,w_0.5,h_1.0,c_scale,g_west',
  });
  await service.place('brand/logo.png', await square(0, 255, 0));
  await service.place('brand/words.png', 'no picture');
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await Promise.all([service.close(), studio.close()]);
});

/** Returns the first frame behind a URL, after its job is done. */
async function frameOf(path: string, url: string) {
  const first = await get(url);
  if (first.status === 202) expect(await service.ended(path)).toBe('completed');
  const answer = await get(url);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'video/mp4']);
  await writeFile(studio.path('result.mp4'), answer.body);
  const [frame] = await studio.frames(studio.path('result.mp4'));
  return { frame, etag: answer.headers.etag, headers: answer.headers };
}

describe('a layer over a video', () => {
  const url = `/t/w_80~l_brand%3Alogo.png,g_west,${HALF}/film.mp4`;

  test('is a job whose result has it in every frame, under its own name in the cache', async () => {
    await service.place('film.mp4', film);
    expect((await get(url)).json().statusUrl).toBe(
      `/video-status/${encodeURIComponent(`w_80~l_brand:logo.png,g_west,${HALF}`)}/film.mp4`,
    );
    const { frame, etag, headers } = await frameOf('film.mp4', url);
    expect([isNear(frame?.at(20, 22), LIME), isNear(frame?.at(60, 22), BLUE)]).toEqual([true, true]);
    expect((await studio.frames(studio.path('result.mp4'))).every((one) => isNear(one.at(20, 22), LIME))).toBe(true);
    expect(String(headers['cache-tag']).split(',')).toEqual(
      expect.arrayContaining(cacheTagsOf(parsePath('brand/logo.png'))),
    );
    const same = [`/t/w_80~l_brand:logo.png,g_west,h_1.0,w_0.5,c_scale,o_100/film.mp4`, '/t/n_marked/film.mp4'];
    for (const one of same) expect((await get(one)).headers.etag).toBe(etag);
    const { jobs } = (await (await service.authorized('/queue/jobs')).json()) as { jobs: Record<string, string>[] };
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.transformation).toBe('w_80~l_brand:logo.png,w_0.5,h_1.0,c_scale,g_west');
    const status = await get(`/video-status/n_marked/film.mp4`);
    expect(status.json()).toMatchObject({ status: 'completed' });
  });

  test('may be a text, whose lengths dpr multiplies', async () => {
    await service.place('titled.mp4', film);
    const text = 'l_text:W,fs_32,co_white,b_white,pd_100';
    const { frame } = await frameOf('titled.mp4', `/t/w_40,dpr_2~${text}/titled.mp4`);
    expect([frame?.width, isNear(frame?.at(60, 22), WHITE)]).toEqual([80, true]);
    const { jobs } = await service.services.queue.jobs.list({ path: parsePath('titled.mp4'), limit: 9, offset: 0 });
    expect(jobs[0]?.transformation).toBe('w_80~l_text:W,fs_64,co_ffffff,b_ffffff,pd_200');
  });

  test('that is replaced is seen at once, also where the answer had been prepared', async () => {
    await service.place('film.mp4', film);
    const before = await frameOf('film.mp4', url);
    await get(url);
    const put = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: await square(255, 255, 255) };
    expect((await service.authorized('/storage/brand/logo.png', put)).status).toBe(200);
    expect((await get(url, { 'if-none-match': before.etag })).status).toBe(202);
    const after = await frameOf('film.mp4', url);
    expect([isNear(after.frame?.at(20, 22), WHITE), after.etag === before.etag]).toEqual([true, false]);
  });

  test.each([
    ['w_80~l_brand:gone.png', 404, 'There is no file "brand/gone.png" for a layer.'],
    [
      'w_80~l_film.mp4',
      400,
      'Expected an image as a layer, as in l_brand:logo.png, received "film.mp4", whose type is video.',
    ],
    ['w_80~l_brand:logo.png,bl_multiply', 400, 'Parameter "bl": expected normal over a video, received "multiply".'],
    ['f_m3u8,au_aac~l_brand:logo.png', 400, 'The audio of a stream has no layers. Request them with its video.'],
    [
      'an_true~l_brand:logo.png',
      400,
      'A preview of a video has no layers: expected an_true, received "an_true~l_brand:logo.png".',
    ],
  ])('%s is %i', async (segment, status, message) => {
    await service.place('film.mp4', film);
    const answer = await get(`/t/${segment}/film.mp4`);
    expect([answer.status, answer.json().message]).toEqual([status, message]);
  });

  test('that cannot be painted at the moment keeps its job waiting; nothing is given up', async () => {
    vi.spyOn(service.services.pool, 'run').mockRejectedValueOnce(unavailable('All places are taken.', 'queue_full'));
    await service.place('busy.mp4', film);
    expect((await get('/t/w_80~l_brand:logo.png/busy.mp4')).status).toBe(202);
    expect(await service.ended('busy.mp4')).toBe('completed');
  });

  test('that cannot be decoded is 422 with its name, when the job has found that out', async () => {
    const path = '/t/w_80~l_brand:words.png/film.mp4';
    expect((await get(path)).status).toBe(202);
    expect(await service.ended('film.mp4')).toBe('error');
    const answer = await get(path);
    expect([answer.status, answer.json().message]).toEqual([
      422,
      'The layer "brand/words.png" cannot be decoded as an image.',
    ]);
  });
});

describe('where only signed URLs deliver', () => {
  let strict: VideoService;
  const sign = (segment: string) =>
    signDeliveryUrl(`${segment}/film.mp4`, { secret: SECRET, limits: strict.services.config.limits });
  beforeAll(async () => {
    strict = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0', DELIVERY_MODE: 'signed', API_SECRET: SECRET });
    await strict.place('film.mp4', film);
    await strict.place('logo.png', await square(255, 255, 255));
  });
  afterAll(() => strict.close());

  test('a job whose layer is replaced before it begins fails and says so', async () => {
    const url = sign('w_80~l_logo.png');
    expect((await ask(strict.url, url)).status).toBe(202);
    await strict.place('logo.png', await square(0, 255, 0));
    strict.services.worker?.start();
    expect(await strict.ended('film.mp4')).toBe('error');
    const { jobs } = await strict.services.queue.jobs.list({ path: parsePath('film.mp4'), limit: 1, offset: 0 });
    expect(jobs[0]?.error).toBe('A layer was replaced while the video was transcoded.');
  });

  test('a stream has the layer in all its pictures, and is another than that without', async () => {
    const url = sign(`f_hls~l_logo.png,${HALF}`);
    expect((await ask(strict.url, url)).status).toBe(202);
    await strict.allEnded('film.mp4');
    const master = (await ask(strict.url, url)).body.toString();
    const layered = `h_360,c_fit,f_m3u8~l_logo.png,w_0.5,h_1.0,c_scale,g_west`;
    expect(master).toContain(`/${layered}/film.mp4`);
    expect((await played(strict.url + url, 'v:0')).frames).toBe(10);
    const file = studio.path('rung.mp4');
    await writeFile(file, (await ask(strict.url, sign(layered.replace('f_m3u8', 'f_cmaf')))).body);
    const [frame] = await studio.frames(file);
    expect([isNear(frame?.at(40, 45), LIME), isNear(frame?.at(120, 45), BLUE)]).toEqual([true, true]);
    const without = sign('h_360,c_fit,f_cmaf');
    expect((await ask(strict.url, without)).status).toBe(202);
  });
});
