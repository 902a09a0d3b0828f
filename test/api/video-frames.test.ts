import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask } from '../http.ts';
import { BLUE, isNear, LIME, openStudio, RED, WHITE } from '../video-samples.ts';
import { colourFilm, sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;
let sides: Buffer;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);

beforeAll(async () => {
  const studio = await openStudio();
  film = await colourFilm(studio);
  sides = await sidesFilm(studio);
  await studio.close();
  service = await startVideoService();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await service.close();
});

describe('a frame', () => {
  beforeAll(() => service.place('frames.mp4', film));

  test('carries layers, whose file its status asks for too', async () => {
    const mark = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    await service.place('mark.png', mark);
    const url = 't_true,f_png~l_mark.png,g_nw/frames.mp4';
    const status = async () => (await get(`/video-status/${url}`)).json().status;
    expect(await status()).toBe('not_found');
    const { status: code, body } = await get(`/t/${url}`);
    const picture = await pixels(body);
    expect([code, isNear(picture.at(3, 3), BLUE), isNear(picture.at(80, 45), RED)]).toEqual([200, true, true]);
    expect(await status()).toBe('completed');
    expect((await get('/video-status/t_true,f_png~l_gone.png/frames.mp4')).status).toBe(404);
  });

  test.each([
    ['t_true', RED],
    ['t_true,tt_1.5', LIME],
    ['t_1,thumbnail_time_2.5', BLUE],
    ['t_true,so_3.5', WHITE],
    ['t_true,tt_0.2,so_3.5', RED],
    ['so_1.5,f_jpeg', LIME],
    ['so_2.5,f_png', BLUE],
    ['f_webp', RED],
    ['so_1.6,eo_3,f_jpg', LIME],
    ['t_true,tt_2.6,f_mp4', BLUE],
    ['t_true,tt_500', WHITE],
    ['so_4,f_avif', WHITE],
    ['so_1.5,f_gif', LIME],
  ])('%s is made in the request, cached, and no job', async (segment, colour) => {
    const answer = await get(`/t/${segment}/frames.mp4`);
    expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'miss']);
    const picture = await pixels(answer.body);
    expect([picture.width, picture.height]).toEqual([160, 90]);
    expect(isNear(picture.at(80, 45), colour), `${picture.at(80, 45)}`).toBe(true);
    expect((await get(`/t/${segment}/frames.mp4`)).headers['x-cache']).toBe('hit');
    expect(await service.jobsOf('frames.mp4')).toEqual([]);
  });

  test('that is the same under other words is the same variant', async () => {
    await service.place('same.mp4', film);
    await get('/t/t_true,f_jpeg/same.mp4');
    for (const segment of [
      'f_jpg',
      't_1,tt_0,f_jpeg',
      't_true,tt_0,so_3.5,f_jpeg',
      'so_0,f_jpeg,q_85',
      't_true,eo_2,so_0,f_jpg',
    ]) {
      expect((await get(`/t/${segment}/same.mp4`)).headers['x-cache'], segment).toBe('hit');
    }
  });

  test('without an image format is in one that the client accepts', async () => {
    for (const [accept, type] of [
      ['image/avif,image/webp', 'image/avif'],
      ['image/webp', 'image/webp'],
      ['*/*', 'image/jpeg'],
    ]) {
      const answer = await get('/t/t_true,w_32/frames.mp4', { headers: { accept } });
      expect([answer.headers['content-type'], answer.headers.vary]).toEqual([type, 'Accept']);
    }
    const explicit = await get('/t/t_true,w_32,f_png/frames.mp4', { headers: { accept: 'image/avif' } });
    expect([explicit.headers['content-type'], explicit.headers.vary]).toEqual(['image/png', undefined]);
  });

  test('is sized, cut, turned, rounded and padded as a picture is, to the exact pixel', async () => {
    await service.place('sides.mp4', sides);
    const picture = async (segment: string) => pixels((await get(`/t/t_true,f_png,${segment}/sides.mp4`)).body);
    const odd = await picture('w_51,h_33');
    expect([odd.width, odd.height]).toEqual([51, 33]);
    expect(isNear(odd.at(10, 16), RED) && isNear(odd.at(40, 16), BLUE)).toBe(true);
    const east = await picture('w_30,h_90,g_east');
    expect(isNear(east.at(2, 45), BLUE)).toBe(true);
    const round = await picture('w_90,h_90,r_max');
    expect([round.at(0, 0)[3], round.at(45, 45)[3]]).toEqual([0, 255]);
    const padded = await picture('w_90,h_90,c_pad,b_rgb:00ff00');
    expect(isNear(padded.at(45, 4), LIME) && isNear(padded.at(4, 45), RED)).toBe(true);
    const fitted = await picture('w_90,h_90,c_fit');
    expect([fitted.width, fitted.height]).toEqual([90, 51]);
    const turned = await picture('a_90');
    expect([turned.width, turned.height]).toEqual([90, 160]);
    expect(isNear(turned.at(45, 10), RED) && isNear(turned.at(45, 150), BLUE)).toBe(true);
    const poor = await get('/t/t_true,tt_0.5,f_jpeg,q_5/frames.mp4');
    const rich = await get('/t/t_true,tt_0.5,f_jpeg,q_95/frames.mp4');
    expect(poor.body.length).toBeLessThan(rich.body.length);
  });

  test('is extracted once for all who ask at the same time', async () => {
    await service.place('many.mp4', film);
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/t/t_true,tt_3.5,f_png/many.mp4')));
    expect(new Set(answers.map(({ status: code }) => code))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.toString('base64'))).size).toBe(1);
  });

  test('of a video that cannot be decoded is 422 with the reason', async () => {
    await service.place('frameless.mp4', film.subarray(0, film.length / 2));
    const answer = await get('/t/t_true/frameless.mp4');
    expect(answer.status).toBe(422);
    expect(answer.json().message).toContain('damaged or incomplete');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await get('/t/t_true/missing.mp4')).status).toBe(404);
  });
});

async function pixels(bytes: Buffer) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  return { width: info.width, height: info.height, at };
}
