import { readFile, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import type { StoragePath } from '../../src/path.ts';
import { type Asking, ask } from '../http.ts';
import { played, readMediaPlaylist, streamFilm } from '../streams.ts';
import { H264, openStudio, redLeftBlueRight, type Studio, tone } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
let small: Buffer;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);

beforeAll(async () => {
  studio = await openStudio();
  small = await readFile(
    await studio.make('small.mp4', ...redLeftBlueRight('160x90', 3), ...tone(3), '-c:a', 'aac', ...H264),
  );
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0' });
  service.services.worker?.start();
});
afterAll(() => Promise.all([service.close(), studio.close()]));
beforeEach(() => service.services.queue.removeWithin('' as StoragePath));

/** Requests a stream and waits for all its jobs. */
async function streamed(path: string, segment = 'f_hls') {
  const url = `/t/${segment}/${path}`;
  await get(url);
  await service.allEnded(path);
  return get(url);
}

test('of an original that is replaced there is a new stream, under a new ETag', async () => {
  await service.place('changing.mp4', small);
  const before = await streamed('changing.mp4');
  expect(before.status).toBe(200);
  const other = await readFile(await studio.make('other.mp4', ...redLeftBlueRight('200x120', 4), ...H264));
  await writeFile(studio.path('new.mp4'), other);
  await rename(studio.path('new.mp4'), `${service.data}/originals/changing.mp4`);
  await expect.poll(async () => (await get('/t/f_hls/changing.mp4')).status).toBe(202);
  const after = await streamed('changing.mp4');
  expect(after.body.toString()).toContain('RESOLUTION=200x120');
  expect(after.body.toString()).not.toContain('AUDIO');
  expect(after.headers.etag).not.toBe(before.headers.etag);
  expect((await get('/t/f_hls/changing.mp4', { headers: { 'if-none-match': before.headers.etag } })).status).toBe(200);
});

test('what was evicted is made again, and the playlist is the same then', async () => {
  await service.place('evicted.mp4', small);
  const before = await streamed('evicted.mp4');
  await service.services.variants.clear();
  expect((await get('/video-status/f_hls/evicted.mp4')).json()).toMatchObject({ status: 'not_found' });
  const file = '/t/h_360,c_fit,f_cmaf/evicted.mp4';
  expect((await get(file, { headers: { range: 'bytes=0-99' } })).status).toBe(202);
  const after = await streamed('evicted.mp4');
  expect((await get(file, { headers: { range: 'bytes=0-99' } })).status).toBe(206);
  expect([after.status, after.body.equals(before.body), after.headers.etag]).toEqual([200, true, before.headers.etag]);
});

test('what is made again with other bytes, by another machine, has the playlist of these', async () => {
  await service.place('again.mp4', small);
  await streamed('again.mp4', 'h_360,c_fit,f_m3u8');
  const { headers } = await get('/t/h_360,c_fit,f_cmaf/again.mp4', { method: 'HEAD' });
  const other = await streamed('again.mp4', 'h_360,c_fit,q_30,f_cmaf');
  await service.services.variants.clear();
  await writeFile(studio.path('other.cmaf'), other.body);
  const key = JSON.parse(headers.etag ?? '""');
  await service.services.variants.put('again.mp4' as StoragePath, key, 'mp4', studio.path('other.cmaf'));
  const { segments } = readMediaPlaylist((await get('/t/h_360,c_fit,f_m3u8/again.mp4')).body.toString());
  const last = segments.at(-1);
  expect((last?.start ?? 0) + (last?.bytes ?? 0)).toBe(other.body.length);
});

test('what has failed for good is left out, and nothing keeps the playlist', async () => {
  const film = await streamFilm(studio, 'loud.mp4');
  await service.place('failing.mp4', film);
  // Its 540-line frames exceed the limit of this service, those with 360 lines do not.
  const strict = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0', MAX_VIDEO_OUTPUT_SIDE: '800' });
  await strict.place('failing.mp4', film);
  strict.services.worker?.start();
  await ask(strict.url, '/t/f_hls/failing.mp4');
  await strict.allEnded('failing.mp4');
  const answer = await ask(strict.url, '/t/f_hls/failing.mp4');
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(answer.body.toString().match(/RESOLUTION=\S+?,/g)).toEqual(['RESOLUTION=640x360,']);
  const status = (await ask(strict.url, '/video-status/f_hls/failing.mp4')).json();
  expect(status).toMatchObject({ status: 'completed', progress: 100, error: expect.stringContaining('MAX_VIDEO') });
  expect(status.rungs).toMatchObject([{ status: 'completed' }, { height: 540, status: 'error' }, { kind: 'sound' }]);
  await strict.close();
});

test('of a file that is no video the stream is 422', async () => {
  await service.place('text.mp4', 'no video');
  const answer = await get('/t/f_hls/text.mp4');
  expect([answer.status, answer.json().code]).toEqual([422, 'unprocessable_media']);
});

test('when nothing can be made of a video, its stream is 422', async () => {
  const strict = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0', MAX_VIDEO_OUTPUT_SIDE: '100' });
  await strict.place('wide.mp4', await sidesFilm(studio));
  strict.services.worker?.start();
  for (const segment of ['f_hls', 'f_dash', 'h_360,c_fit,f_m3u8']) {
    await ask(strict.url, `/t/${segment}/wide.mp4`);
    await strict.allEnded('wide.mp4');
    const answer = await ask(strict.url, `/t/${segment}/wide.mp4`);
    expect([answer.status, answer.json().code]).toEqual([422, 'transcode_failed']);
    expect((await ask(strict.url, `/video-status/${segment}/wide.mp4`)).json()).toMatchObject({ status: 'error' });
  }
  await strict.close();
});

test('a video without sound has none in its stream; one below all heights has a rung of its own', async () => {
  await service.place('silent.mp4', await sidesFilm(studio));
  const answer = (await streamed('silent.mp4')).body.toString();
  expect(answer).not.toContain('AUDIO');
  expect(answer).toMatch(/CODECS="avc1\.6400\w\w",RESOLUTION=160x90,FRAME-RATE=10\.000\n/);
  await service.place('quiet.mp4', small);
  expect((await streamed('quiet.mp4', 'f_hls,au_none')).body.toString()).not.toContain('AUDIO');
});

test('of a WebM it is played too by ffmpeg, which judges by the end of a name whether something is a segment', async () => {
  const sound = ['-c:v', 'libvpx', '-c:a', 'libopus'];
  const film = await readFile(await studio.make('film.webm', ...redLeftBlueRight(), ...tone(1), ...sound));
  await service.place('film.webm', film);
  await streamed('film.webm');
  for (const stream of ['v:0', 'a:0']) {
    const { seconds } = await played(`${service.url}/t/f_hls/film.webm`, stream);
    expect(Math.abs(seconds - 1)).toBeLessThan(1 / 10);
  }
});

test('q, fps, so and eo are those of every rung, and h the greatest height', async () => {
  await service.place('part.mp4', small);
  const answer = await streamed('part.mp4', 'so_0.5,eo_2,h_60,fps_5,q_40,f_hls');
  expect(answer.body.toString()).toContain('so_0.5,eo_2,fps_5,h_60,q_40,f_m3u8/part.mp4');
  expect(answer.body.toString()).toContain('FRAME-RATE=5.000');
  expect(answer.body.toString()).toContain('so_0.5,eo_2,au_aac,f_m3u8/part.mp4');
  const list = (await get('/t/so_0.5,eo_2,fps_5,h_60,q_40,f_m3u8/part.mp4')).body.toString();
  const [, seconds] = /#EXTINF:([\d.]+)/.exec(list) ?? [];
  expect(Number(seconds)).toBeCloseTo(1.5, 0);
});

test('a width is refused: the rungs have the shape of the video', async () => {
  const answer = await get('/t/f_hls,w_640/part.mp4');
  expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining('received w_640')]);
});

test('uploads have streams made as visitors do', async () => {
  const { prewarm } = await import('../../src/library/prewarm.ts');
  await service.place('warm.mp4', small);
  expect((await get('/t/warm.mp4')).status).toBe(200);
  const { deliver, config, log } = service.services;
  const prewarming = { deliver, rules: config.limits, deliveryMode: 'open', publicUrl: 'http://x', log } as const;
  const result = await prewarm(prewarming, TRUSTED, 'warm.mp4' as StoragePath, ['f_hls']);
  expect(result.queuedTransformationUrls).toEqual(['http://x/t/f_hls/warm.mp4']);
  expect(await service.jobsOf('warm.mp4')).toHaveLength(2);
});

test.each(['f_hls,au_opus', 'f_cmaf,au_mp3', 'f_dash,vc_av1'])(
  'what streams do not have is refused: %s',
  async (segment) => {
    const answer = await get(`/t/${segment}/part.mp4`);
    expect([answer.status, answer.json().code]).toEqual([400, 'parameter_out_of_range']);
  },
);
