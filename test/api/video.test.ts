import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UploadResult } from '../../src/library/upload.ts';
import { BLUE, isNear, LIME, openStudio, RED, type Studio, WHITE } from '../../src/video/test-samples.ts';
import { type Asking, ask, fixture } from '../http.ts';
import { colourFilm, sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
let film: Buffer;
let sides: Buffer;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);
const status = async (path: string) => (await get(path)).status;

beforeAll(async () => {
  studio = await openStudio();
  [film, sides] = [await colourFilm(studio), await sidesFilm(studio)];
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '1' });
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await Promise.all([service.close(), studio.close()]);
});

/** The variant behind a URL as a file, after its job is done. */
async function transcoded(path: string, segment: string, name = 'result'): Promise<string> {
  const url = `/t/${segment}/${path}`;
  if ((await status(url)) === 202) expect(await service.ended(path)).toBe('completed');
  const answer = await get(url);
  expect(answer.status).toBe(200);
  await writeFile(studio.path(name), answer.body);
  return studio.path(name);
}

describe('a bare video URL', () => {
  test('streams the original with ranges and queues no job', async () => {
    await service.place('bare/film.mp4', film);
    const whole = await get('/t/bare/film.mp4');
    expect([whole.status, whole.headers['content-type']]).toEqual([200, 'video/mp4']);
    expect(whole.headers['accept-ranges']).toBe('bytes');
    expect(whole.body.equals(film)).toBe(true);
    const part = await get('/t/bare/film.mp4', { headers: { range: 'bytes=100-299' } });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 100-299/${film.length}`]);
    expect(part.body.equals(film.subarray(100, 300))).toBe(true);
    const { total } = await service.services.queue.list({ limit: 1, offset: 0 });
    expect(total).toBe(0);
  });
});

describe('a transcode', () => {
  test('is answered with 202 and its status URL until it is ready', async () => {
    await service.place('my films/part 1, "a".mp4', sides);
    const url = '/t/w_80,c_fill/my%20films/part%201%2C%20%22a%22.mp4';
    const answer = await get(url);
    expect(answer.status).toBe(202);
    expect(answer.headers).toMatchObject({
      'retry-after': '5',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    const statusUrl = '/video-status/w_80%2Cc_fill/my%20films/part%201%2C%20%22a%22.mp4';
    expect(answer.json()).toEqual({ status: 'processing', message: expect.any(String), statusUrl });
    await service.ended('my films/part 1, "a".mp4');
    expect((await get(statusUrl)).json()).toMatchObject({ status: 'completed' });
    expect(await status(url)).toBe(200);
  });

  test('comes from the cache then, with ranges and validators, as a video that browsers play', async () => {
    await service.place('ready.mp4', film);
    const file = await transcoded('ready.mp4', 'so_1,eo_3,w_80,h_80');
    expect(await studio.stream(file, 'v')).toMatchObject({
      codec_name: 'h264',
      profile: 'High',
      pix_fmt: 'yuv420p',
      width: '80',
      height: '80',
      sample_aspect_ratio: '1:1',
    });
    const frames = await studio.frames(file);
    expect(frames).toHaveLength(50);
    expect(
      [frames[10], frames[40]].map((frame) => isNear(frame?.at(40, 40), frame === frames[10] ? LIME : BLUE)),
    ).toEqual([true, true]);

    const url = '/t/so_1,eo_3,w_80,h_80/ready.mp4';
    const whole = await get(url);
    const { etag } = whole.headers;
    expect(whole.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(whole.body.length),
      'x-cache': 'hit',
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, must-revalidate',
    });
    expect(whole.headers.vary).toBeUndefined();
    expect(whole.body.indexOf('moov')).toBeLessThan(whole.body.indexOf('mdat'));
    const part = await get(url, { headers: { range: 'bytes=-500' } });
    expect(part.status).toBe(206);
    expect(part.body.equals(whole.body.subarray(-500))).toBe(true);
    expect((await get(url, { headers: { range: `bytes=${whole.body.length}-` } })).status).toBe(416);
    expect((await get(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await get(url, { method: 'HEAD' })).headers['content-length']).toBe(String(whole.body.length));
    await service.services.variants.clear();
    expect((await get(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(await service.jobsOf('ready.mp4')).toHaveLength(1);
  });

  test('is one job, whatever the order and spelling of its parameters and however many ask', async () => {
    await service.place('one.mp4', sides);
    const segments = [
      'w_40,h_40,q_60',
      'q_60,h_40,w_40',
      'w_9,w_40,h_40,q_60,c_fill',
      'h_40,w_40,q_60,c_crop,f_mp4,g_north',
    ];
    const asked = Array.from({ length: 50 }, (_, n) => status(`/t/${segments[n % segments.length]}/one.mp4`));
    expect(new Set(await Promise.all(asked)).difference(new Set([200, 202])).size).toBe(0);
    await service.ended('one.mp4');
    expect(await Promise.all(segments.map((segment) => status(`/t/${segment}/one.mp4`)))).toEqual([200, 200, 200, 200]);
    expect(await service.jobsOf('one.mp4')).toHaveLength(1);
  });

  test.each(['f_auto', 'q_auto', 'f_mp4'])('is asked for by %s alone, at the size of the source', async (segment) => {
    await service.place('alone.mp4', sides);
    expect(await studio.stream(await transcoded('alone.mp4', segment), 'v')).toMatchObject({
      width: '160',
      height: '90',
    });
  });

  test.each([
    ['webm', 'video/webm', 'vp9'],
    ['mov', 'video/quicktime', 'h264'],
  ])('can be %s', async (format, type, codec) => {
    await service.place(`as-${format}.mp4`, sides);
    const file = await transcoded(`as-${format}.mp4`, `f_${format},w_80`);
    expect(await studio.stream(file, 'v')).toMatchObject({ codec_name: codec, width: '80' });
    expect((await get(`/t/f_${format},w_80/as-${format}.mp4`)).headers['content-type']).toBe(type);
  });

  test('of a turned video is upright', async () => {
    await service.place('schizo_90.mp4', fixture('schizo_90.mp4'));
    const source = await studio.stream(`${import.meta.dirname}/../fixtures/schizo_90.mp4`, 'v');
    const result = await studio.stream(await transcoded('schizo_90.mp4', 'w_90,eo_0.5,so_0'), 'v');
    const ratio = Number(source.height) / Number(source.width);
    expect(Number(result.width) / Number(result.height)).toBeCloseTo(ratio, 1);
    expect(Object.keys(result).some((key) => key.includes('rotation'))).toBe(false);
  });

  test('is not what a wrong value asks for: 400 names the parameter', async () => {
    await service.place('wrong.mp4', sides);
    for (const [segment, key] of [
      ['eo_2', 'eo'],
      ['so_2,eo_2', 'eo'],
      ['w_0', 'w'],
      ['q_101', 'q'],
      ['h_99999', 'h'],
    ]) {
      const answer = await get(`/t/${segment}/wrong.mp4`);
      expect(answer.status, segment).toBe(400);
      expect(answer.json().message).toMatch(new RegExp(`^Parameter "${key}": expected .+, received ".+"\\.$`));
    }
    expect(await status('/t/f_avi/wrong.mp4')).toBe(404);
    expect(await service.jobsOf('wrong.mp4')).toEqual([]);
  });

  test('of a replaced video is a new one', async () => {
    await service.place('replaced.mp4', sides);
    await transcoded('replaced.mp4', 'w_20');
    await service.place('replaced.mp4', film);
    // A change by another program is noticed within a second; here at once.
    service.services.originals.forget();
    expect(await studio.frames(await transcoded('replaced.mp4', 'w_20'))).toHaveLength(100);
    expect(await service.jobsOf('replaced.mp4')).toHaveLength(2);
  });
});

describe('a video that cannot be transcoded', () => {
  const broken: [string, () => Buffer, string][] = [
    ['corrupt', () => corrupt(film), 'video'],
    ['empty', () => Buffer.alloc(0), 'The file is empty.'],
    ['truncated', () => film.subarray(0, film.length / 2), 'damaged or incomplete'],
    ['mislabelled', () => fixture('concert.jpg'), 'The file is not an MP4, MOV or WebM video.'],
    [
      'playlist',
      () => Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'),
      'The file is not an MP4, MOV or WebM video.',
    ],
  ];

  test.each(broken)(
    'because it is %s, is tried again and then answered with 422 and the reason',
    async (name, bytes, reason) => {
      const path = `broken/${name}.mp4`;
      await service.place(path, bytes());
      let starts = 0;
      const leave = service.services.events.subscribe(({ type, data }) => {
        if (type === 'job:started' && data.filePath === path) starts++;
      });
      expect(await status(`/t/w_80/${path}`)).toBe(202);
      expect(await service.ended(path)).toBe('error');
      leave();
      expect(starts).toBe(2);
      const answer = await get(`/t/w_80/${path}`);
      expect(answer.status).toBe(422);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.json()).toEqual({ error: 'Unprocessable media', message: expect.stringContaining(reason) });
      expect(answer.body.toString()).not.toContain(service.data);
      expect(answer.body.toString()).not.toContain('passwd');
      // A bare URL gives what is stored all the same.
      expect((await get(`/t/${path}`)).body.equals(bytes())).toBe(true);
    },
  );

  test('says so when it starts past its end', async () => {
    await service.place('past.mp4', sides);
    expect(await status('/t/so_30/past.mp4')).toBe(202);
    expect(await service.ended('past.mp4')).toBe('error');
    expect((await get('/t/so_30/past.mp4')).json().message).toContain('so_30 lies past the end of the video');
  });

  test('is healed by a retry when the trouble was a passing one', async () => {
    await service.place('passing.mp4', sides);
    const { temp } = service.services;
    await rename(temp, `${temp}-away`);
    expect(await status('/t/w_80/passing.mp4')).toBe(202);
    expect(await service.ended('passing.mp4')).toBe('error');
    await rename(`${temp}-away`, temp);
    expect(await status('/t/w_80/passing.mp4')).toBe(422);
    const [id = ''] = await service.jobsOf('passing.mp4');
    const completed = service.event('job:completed', id);
    expect((await service.authorized(`/queue/jobs/${id}/retry`, { method: 'POST' })).status).toBe(200);
    await completed;
    expect(await status('/t/w_80/passing.mp4')).toBe(200);
  });

  test('is tried anew when its job is deleted', async () => {
    await service.place('deleted.mp4', 'no video');
    await get('/t/w_80/deleted.mp4');
    expect(await service.ended('deleted.mp4')).toBe('error');
    const [id = ''] = await service.jobsOf('deleted.mp4');
    expect((await service.authorized(`/queue/jobs/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await status('/t/w_80/deleted.mp4')).toBe(202);
    expect(await service.ended('deleted.mp4')).toBe('error');
  });
});

describe('a frame', () => {
  beforeAll(() => service.place('frames.mp4', film));

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
    expect(await status('/t/t_true/missing.mp4')).toBe(404);
  });
});

describe('an upload', () => {
  const files = async (transformations: string, name: string) => {
    const response = await service.upload({ [name]: sides }, { transformations });
    expect(response.status).toBe(200);
    return ((await response.json()) as UploadResult).files[0];
  };

  test('queues its transcodes behind those of visitors, and renders its frames at once', async () => {
    await service.services.worker?.stop();
    const file = await files('["w_64", "t_true,w_32,f_png"]', 'uploaded.mp4');
    expect(file).toMatchObject({
      queuedTransformationUrls: [`${service.url}/t/w_64/uploaded.mp4`],
      prewarmedUrls: [`${service.url}/t/t_true,w_32,f_png/uploaded.mp4`],
      prewarmErrors: [],
      queueErrors: [],
    });
    expect((await get('/t/t_true,w_32,f_png/uploaded.mp4')).headers['x-cache']).toBe('hit');
    const [id = ''] = await service.jobsOf('uploaded.mp4');
    const priority = async () => (await service.services.queue.find(id))?.priority;
    expect(await priority()).toBe(3);
    expect(await status('/t/w_64/uploaded.mp4')).toBe(202);
    expect(await priority()).toBe(2);
    service.services.worker?.start();
    expect(await service.ended('uploaded.mp4')).toBe('completed');
    expect(await status('/t/w_64/uploaded.mp4')).toBe(200);
  });

  test('without transformations queues nothing', async () => {
    expect(await files('', 'plain.mp4')).toMatchObject({ queuedTransformationUrls: [], prewarmedUrls: [] });
    expect(await service.jobsOf('plain.mp4')).toEqual([]);
  });

  test('tells MP4, MOV and WebM apart by their bytes', async () => {
    const webm = await readFile(
      await studio.make('real.webm', '-f', 'lavfi', '-i', 'color=red:s=16x16:d=0.2', '-c:v', 'libvpx'),
    );
    const mov = await readFile(await studio.make('real.mov', '-f', 'lavfi', '-i', 'color=red:s=16x16:d=0.2'));
    const codes = async (name: string, bytes: Buffer) => (await service.upload({ [name]: bytes })).status;
    expect(await codes('a.webm', webm)).toBe(200);
    expect(await codes('a.mov', mov)).toBe(200);
    expect(await codes('b.mp4', webm)).toBe(400);
    expect(await codes('b.webm', sides)).toBe(400);
  });
});

test('deleting, renaming or moving a video deletes its jobs', async () => {
  await service.services.worker?.stop();
  const { queue } = service.services;
  for (const name of ['delete', 'rename', 'move']) {
    await service.place(`gone/${name}.mp4`, sides);
    expect(await status(`/t/w_80/gone/${name}.mp4`)).toBe(202);
  }
  const json = { headers: { 'content-type': 'application/json' } };
  const deleted = await service.authorized('/storage/gone/delete.mp4', { method: 'DELETE' });
  expect(((await deleted.json()) as { details: object }).details).toMatchObject({ jobsDeleted: 1 });
  await service.authorized('/storage/gone/rename.mp4', { method: 'PATCH', body: '{"name":"new.mp4"}', ...json });
  await service.authorized('/storage/gone/move.mp4/move', { method: 'POST', body: '{"destination":"else"}', ...json });
  const left = (await queue.list({ limit: 100, offset: 0 })).jobs.filter(({ path }) => path.startsWith('gone/'));
  expect(left).toEqual([]);
  expect(await status('/t/w_80/gone/new.mp4')).toBe(202);
  service.services.worker?.start();
});

/** Overwrites what lies within the film, its index left whole. */
function corrupt(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  return copy.fill(0xff, copy.indexOf('mdat') + 4, copy.indexOf('moov') - 4);
}

async function pixels(bytes: Buffer) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  return { width: info.width, height: info.height, at };
}
