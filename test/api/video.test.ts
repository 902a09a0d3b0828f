import { readdir, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, fixture } from '../http.ts';
import { BLUE, isNear, LIME, openStudio, type Studio } from '../video-samples.ts';
import { colourFilm, sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
let film: Buffer;
let sides: Buffer;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);
const status = async (path: string) => (await get(path)).status;

beforeAll(async () => {
  studio = await openStudio();
  film = await colourFilm(studio);
  sides = await sidesFilm(studio);
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '1' });
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await Promise.all([service.close(), studio.close()]);
});

/** Returns the variant behind a URL as a file, after its job is done. */
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
    const { total } = await service.services.queue.jobs.list({ limit: 1, offset: 0 });
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
    // A change by another program is noticed within a second; here immediately.
    service.services.originals.invalidate();
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
      expect(answer.json()).toEqual({
        error: 'Unprocessable media',
        code: 'transcode_failed',
        message: expect.stringContaining(reason),
      });
      expect(answer.body.toString()).not.toContain(service.data);
      expect(answer.body.toString()).not.toContain('passwd');
      // A bare URL delivers the stored file nevertheless.
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

/** Overwrites the payload of the film, leaving its index intact. */
function corrupt(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  return copy.fill(0xff, copy.indexOf('mdat') + 4, copy.indexOf('moov') - 4);
}
