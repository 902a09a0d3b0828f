import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { colourPerSecond, H264, openStudio, tone } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;
let mute: Buffer;
let song: Buffer;
let podcast: Buffer;
beforeAll(async () => {
  const studio = await openStudio();
  const colours = colourPerSecond('32x32', 5);
  film = await readFile(await studio.make('film.mp4', ...colours, ...tone(4), ...H264, '-c:a', 'aac'));
  mute = await readFile(await studio.make('mute.mp4', ...colours, ...H264));
  song = await readFile(await studio.make('song.mp3', ...tone(2)));
  podcast = await readFile(await studio.make('podcast.mp4', ...tone(1), '-c:a', 'aac'));
  await studio.close();
  service = await startVideoService();
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await service.close();
});

const get = (path: string) => ask(service.url, path);

async function made(segment: string, path: string, bytes: Buffer) {
  await service.place(path, bytes);
  const first = await get(`/t/${segment}/${path}`);
  expect([first.status, first.json().statusUrl]).toEqual([202, expect.stringContaining(`/${path}`)]);
  const end = await service.ended(path);
  const status = (await get(`/video-status/${segment}/${path}`)).json();
  expect(status).toMatchObject(end === 'completed' ? { status: end, progress: 100 } : { status: end });
  return get(`/t/${segment}/${path}`);
}

describe('sound alone', () => {
  test.each([
    ['au_aac', 'audio/mp4', 'ftypM4A'],
    ['au_opus', 'audio/ogg', 'OggS'],
    ['au_mp3', 'audio/mpeg', ''],
    ['so_1,eo_3,au_mp3,ln_true', 'audio/mpeg', ''],
  ])('%s of a video and of stored sound is a job, and then that', async (segment, type, magic) => {
    const name = segment.replaceAll(',', '-');
    for (const [path, bytes] of [
      [`${name}.mp4`, film],
      [`${name}.mp3`, song],
    ] as const) {
      const answer = await made(segment, path, bytes);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
      expect(answer.body.toString('latin1', 0, 12)).toContain(magic);
      const part = await ask(service.url, `/t/${segment}/${path}`, { headers: { range: 'bytes=0-9' } });
      expect([part.status, part.body]).toEqual([206, answer.body.subarray(0, 10)]);
    }
  });

  test('the order of parameters makes no second variant', async () => {
    const answer = await made('ln_1,au_mp3,ln_true', 'order.mp3', song);
    const other = await get('/t/ln_true,au_mp3,so_0/order.mp3');
    expect([other.status, other.headers.etag]).toEqual([200, answer.headers.etag]);
  });

  test('of a video without sound is 422 and says so', async () => {
    const answer = await made('au_mp3', 'mute.mp4', mute);
    expect([answer.status, answer.json().message]).toEqual([422, 'The video has no audio.']);
  });

  test.each(['au_mp3', 'wf_true'])('of an MP4 without pictures there is sound too: %s', async (segment) => {
    const answer = await made(segment, `podcast-${segment}.mp4`, podcast);
    expect(answer.status).toBe(200);
  });

  test('what cannot be made of stored sound is refused with what can', async () => {
    await service.place('other.mp3', song);
    expect((await get('/t/ln_true/other.mp3')).json().message).toMatch(/au_aac.*wf_true.*f_json/);
  });

  test.each([
    ['so_1', 400],
    ['so_1,eo_2', 400],
    ['w_100', 400],
    ['q_auto', 400],
    ['au_none', 400],
    ['ln_true', 400],
    ['vc_av1', 400],
    ['w_100,au_mp3', 400],
    ['r_20,au_mp3', 400],
    ['f_webp,au_mp3', 400],
    ['eo_2,au_mp3', 400],
    ['au_mp3~l_text:Hello', 400],
    ['au_wav', 404],
    ['f_mp3', 404],
  ])('%s of stored sound is %d', async (segment, status) => {
    await service.place('plain.mp3', song);
    expect((await get(`/t/${segment}/plain.mp3`)).status).toBe(status);
  });

  test.each([
    ['w_100,au_mp3', /Audio alone can have so eo ln with au_aac, au_opus or au_mp3: .* received "w_100"/],
    ['f_mp4,au_mp3', /received "f_mp4"/],
    ['sb_true,au_mp3', /received both/],
    ['sb_true,f_gif', /"f": expected jpeg, webp, png/],
    ['vc_vp9', /expected f_webm with vc_vp9/],
    ['vc_av1,f_hls', /a stream cannot hold AV1/],
    ['fps_0', /"fps": expected a whole number from 1 to 60/],
  ])('%s of a video is 400 with the reason', async (segment, message) => {
    await service.place('refused.mp4', film);
    const answer = await get(`/t/${segment}/refused.mp4`);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringMatching(message)]);
  });
});
