import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import { type Asking, ask } from '../http.ts';
import { openStudio } from '../video-samples.ts';
import { colourFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;
beforeAll(async () => {
  const studio = await openStudio();
  film = await colourFilm(studio);
  await studio.close();
  service = await startVideoService();
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await service.close();
});

const get = (path: string, asking?: Asking) => ask(service.url, path, asking);
const WEBP = { headers: { accept: 'image/avif,image/webp,*/*' } };

/** Returns the delivered file once the job has ended. */
async function made(url: string, path: string, asking?: Asking) {
  await service.place(path, film);
  const first = await get(`/t/${url}/${path}`, asking);
  expect([first.status, first.headers['retry-after']]).toEqual([202, '5']);
  expect(await service.ended(path)).toBe('completed');
  return get(`/t/${url}/${path}`, asking);
}

describe('a preview', () => {
  test.each([
    ['w_80,an_true,f_webp', 'image/webp', 'webp'],
    ['w_80,an_true,f_gif', 'image/gif', 'gif'],
    ['w_80,anim_1,so_1,eo_3,f_gif', 'image/gif', 'gif'],
  ])('%s is a job, and then an animation', async (segment, type, format) => {
    const answer = await made(segment, `${segment}.mp4`);
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([200, type, undefined]);
    const { pages = 1, ...meta } = await sharp(answer.body).metadata();
    expect([meta.format, meta.width, pages > 1]).toEqual([format, 80, true]);
  });

  test('without a format is WebP for those who accept it, else GIF, each a variant of its own', async () => {
    const webp = await made('w_80,an_true', 'n.mp4', WEBP);
    expect([webp.headers['content-type'], webp.headers.vary]).toEqual(['image/webp', 'Accept']);
    expect((await get('/video-status/w_80,an_true/n.mp4', WEBP)).json().status).toBe('completed');
    expect((await get('/video-status/w_80,an_true/n.mp4')).json().status).toBe('not_found');
    const gif = await made('w_80,an_true,f_auto', 'n.mp4');
    expect([gif.headers['content-type'], gif.headers.vary]).toEqual(['image/gif', 'Accept']);
    const named = await get('/t/an_true,w_80,f_gif,q_40/n.mp4');
    expect([named.status, named.headers.etag]).toEqual([200, gif.headers.etag]);
  });

  test('beside a video format means nothing, and beside t_true and f_json neither', async () => {
    await service.place('still.mp4', film);
    const status = (url: string) => get(`/t/${url}/still.mp4`).then(({ status }) => status);
    expect(await status('w_80,an_true,f_mp4')).toBe(202);
    await service.ended('still.mp4');
    expect([await status('w_80'), await status('w_80,an_true,f_webm')]).toEqual([200, 202]);
    expect((await get('/t/an_true,t_true,f_png/still.mp4')).headers['content-type']).toBe('image/png');
    expect((await get('/t/an_true,f_json/still.mp4')).headers['content-type']).toMatch(/json/);
    await service.ended('still.mp4');
  });

  test('prewarmed without a format is made in both', async () => {
    await service.place('warm.mp4', film);
    const { deliver, config, log } = service.services;
    const { prewarm } = await import('../../src/library/prewarm.ts');
    const prewarming = { deliver, rules: config.limits, deliveryMode: 'open', publicUrl: '', log } as const;
    const { queuedTransformationUrls } = await prewarm(prewarming, TRUSTED, 'warm.mp4' as never, ['an_true,w_40']);
    expect(queuedTransformationUrls).toEqual(['/t/an_true,w_40/warm.mp4']);
    const { jobs } = await service.services.queue.jobs.list({ path: 'warm.mp4' as never, limit: 9, offset: 0 });
    expect(jobs.map(({ transformation }) => transformation).toSorted()).toEqual([
      'w_40,an_true,f_gif',
      'w_40,an_true,f_webp',
    ]);
    await Promise.all(jobs.map(({ id }) => service.services.queue.remove?.(id)));
  });

  test.each([
    ['an_true,w_800', /"w": expected a whole number from 1 to 640, received "800"/],
    ['an_true,w_400,dpr_2', /"w".*640.*400 times dpr_2/],
    ['an_true,f_avif', /"f": expected .*webp.*gif.*received "avif"/],
    ['an_true,f_jpeg', /"f": expected .*webp.*gif.*received "jpeg"/],
    ['an_true,fps_25', /"fps": expected a whole number from 1 to 15, received "25"/],
    ['an_true,eo_3', /"eo": expected a start offset/],
    ['an_true,so_3,eo_2', /"eo": expected a time after so_3/],
    ['an_true,tt_2', /A preview of a video can have so eo fps w h dpr c b q f with an_true.*received "tt_2"/],
    ['an_true~l_logo.png', /A preview of a video has no layers/],
  ])('%s is refused', async (segment, message) => {
    await service.place('refused.mp4', film);
    const answer = await get(`/t/${segment}/refused.mp4`);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('ignores what is for pictures alone', async () => {
    const plain = await made('w_60,an_true,f_gif', 'round.mp4');
    const rounded = await get('/t/w_60,an_true,f_gif,r_20,g_face/round.mp4');
    expect([rounded.status, rounded.headers.etag]).toEqual([200, plain.headers.etag]);
  });
});
