import { readdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask } from '../http.ts';
import { strip } from '../pictures/animations.ts';
import { BLUE, isNear, openStudio, RED, type Studio, WHITE } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const SECRET = 'secret-of-animations-0123456789';
const OPAQUE = [255, 0, 0, 255] as const;
const HALF = [0, 0, 255, 255] as const;

let service: VideoService;
let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
  service = await startVideoService({
    PRESETS: 'clip=w_40,an_true,f_mp4',
    API_SECRET: SECRET,
    MAX_VIDEO_OUTPUT_SIDE: '400',
  });
  // The second frame is transparent on its right.
  const moving = strip(80, 60, 2, (index, x) => (index === 0 ? OPAQUE : x < 40 ? HALF : [0, 0, 0, 0]));
  const gif = await moving.gif({ delay: [500, 1000], loop: 0 }).toBuffer();
  for (const name of ['a.gif', 'b.gif', 'c.gif', 'd.gif']) await service.place(name, gif);
  await service.place(
    'moving.webp',
    await strip(80, 60, 2, () => OPAQUE)
      .webp()
      .toBuffer(),
  );
  await service.place(
    'photo.jpg',
    await strip(80, 60, 1, () => OPAQUE)
      .removeAlpha()
      .jpeg()
      .toBuffer(),
  );
  await service.place('broken.gif', gif.subarray(0, 20));
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await Promise.all([service.close(), studio.close()]);
});

const get = (path: string) => ask(service.url, path);
const problemOf = async (path: string) => {
  const { status, body } = await get(path);
  const { code, message } = JSON.parse(body.toString());
  return [status, code, message];
};

describe('an_true with f_mp4 or f_webm on a GIF', () => {
  test.each([
    ['f_mp4', 'video/mp4', 'a.gif'],
    ['f_webm', 'video/webm', 'b.gif'],
  ])('is a job, and then a video: %s', async (format, type, path) => {
    const url = `/t/w_64,an_true,${format}/${path}`;
    const first = await get(url);
    expect([first.status, first.headers['cache-control'], first.headers['retry-after']]).toEqual([
      202,
      'no-store',
      '5',
    ]);
    expect(JSON.parse(first.body.toString())).toMatchObject({
      statusUrl: expect.stringContaining(`/video-status/w_64%2Can_true%2C${format}/${path}`),
    });
    expect(await service.ended(path)).toBe('completed');
    const made = await get(url);
    expect([made.status, made.headers['content-type'], made.headers['accept-ranges']]).toEqual([200, type, 'bytes']);
    await writeFile(studio.path('made'), made.body);
    const frames = await studio.frames(studio.path('made'));
    expect([frames[0]?.width, frames[0]?.height]).toEqual([64, 48]);
    expect(isNear(frames[0]?.at(10, 20), RED)).toBe(true);
    expect([isNear(frames[1]?.at(10, 20), BLUE), isNear(frames[1]?.at(50, 20), WHITE)]).toEqual([true, true]);
    const times = await studio.times(studio.path('made'));
    expect(times.slice(0, 2).concat((times.at(-1) ?? 0) + 0.01)).toEqual([0, 0.5, 1.5]);
    const status = await get(`/video-status/w_64,an_true,${format}/${path}`);
    expect(JSON.parse(status.body.toString())).toMatchObject({ status: 'completed' });
    expect(JSON.parse((await get(`/video-status/w_64,an_true,${format}/${path}/size`)).body.toString())).toEqual({
      size: made.body.length,
      status: 'ready',
    });
  });

  test('is one job however it is written', async () => {
    const path = 'c.gif';
    for (const segment of [
      'w_40,an_true,f_mp4',
      'f_mp4,anim_1,w_40',
      'b_white,w_40,an_true,f_mp4',
      'n_clip',
      'w_20,dpr_2,an_true,f_mp4',
    ]) {
      expect([202, 200]).toContain((await get(`/t/${segment}/${path}`)).status);
    }
    expect(await service.jobsOf(path)).toHaveLength(1);
    const [id] = await service.jobsOf(path);
    const job = await service.services.queue.jobs.find(id ?? '');
    expect(job?.transformation).toBe('w_40,an_true,f_mp4');
  });

  test('is another video on another ground', async () => {
    await get('/t/w_40,an_true,f_mp4,b_000000/d.gif');
    await get('/t/w_40,an_true,f_mp4/d.gif');
    expect(await service.jobsOf('d.gif')).toHaveLength(2);
  });

  test('works in signed URLs', async () => {
    const path = 'w_40,an_true,f_mp4/a.gif';
    expect((await get(`/authenticated/s--${sign(path, SECRET)}/${path}`)).status).toBe(202);
  });

  test('is queued by an upload', async () => {
    const gif = await strip(20, 20, 2, (index) => (index === 0 ? OPAQUE : HALF))
      .gif()
      .toBuffer();
    const answer = await service.upload({ 'sent.gif': gif }, { transformations: 'w_10,an_true,f_mp4' });
    expect(JSON.stringify(await answer.json())).toContain('/t/w_10,an_true,f_mp4/sent.gif');
    expect(await service.ended('sent.gif')).toBe('completed');
    expect((await get('/t/w_10,an_true,f_mp4/sent.gif')).status).toBe(200);
  });

  test('of a broken file ends in an error that says why', async () => {
    expect((await get('/t/an_true,f_mp4/broken.gif')).status).toBe(202);
    expect(await service.ended('broken.gif')).toBe('error');
    expect((await get('/t/an_true,f_mp4/broken.gif')).status).toBe(422);
  });
});

describe('what such a video cannot have is 400 and named', () => {
  test.each([
    'r_10',
    'e_blur',
    'a_90',
    'g_north',
    'rg_0:0:10:10',
    'so_1',
    'b_blur',
    'bo_2:336699',
    'tr',
    'pg_2',
    'q_auto~l_text:Hi',
  ])('%s', async (part) => {
    const [key] = part.split('~');
    const segment = part.includes('~') ? part.replace('~', ',an_true,f_mp4~') : `an_true,f_mp4,${part}`;
    const received = part.includes('~') ? part.slice(key?.length) : part;
    expect(await problemOf(`/t/${segment}/a.gif`)).toEqual([
      400,
      'parameter_out_of_range',
      `A video of a GIF can have w h dpr c b q f with an_true: expected nothing else, received "${received}".`,
    ]);
  });

  test('a side over the limit of videos', async () => {
    expect(await problemOf('/t/w_500,an_true,f_mp4/a.gif')).toEqual([
      400,
      'limit_exceeded',
      'The result would be 500 pixels wide; the limit for a side is 400 (MAX_VIDEO_OUTPUT_SIDE).',
    ]);
  });

  test('a WebP', async () => {
    expect(await problemOf('/t/an_true,f_mp4/moving.webp')).toEqual([
      400,
      'untransformable',
      'Only a GIF can become a video; animated WebP is not supported.',
    ]);
  });

  test('no an_true: f_mp4 on a picture is what it was', async () => {
    const before = await problemOf('/t/f_mp4/photo.jpg');
    expect(before).toEqual([400, 'parameter_out_of_range', expect.stringContaining('Parameter "f": expected')]);
    for (const path of ['f_mp4/a.gif', 'an_false,f_mp4/a.gif', 'an_true,f_mp4/photo.jpg', 'an_true,f_mov/a.gif']) {
      expect((await problemOf(`/t/${path}`)).slice(0, 2)).toEqual([400, 'parameter_out_of_range']);
    }
  });
});
