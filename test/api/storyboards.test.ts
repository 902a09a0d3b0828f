import { readdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { isNear, LIME, openStudio, RED, type Studio } from '../video-samples.ts';
import { colourFilm, sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
let film: Buffer;
let silent: Buffer;
let sound: Buffer;
beforeAll(async () => {
  studio = await openStudio();
  film = await colourFilm(studio);
  silent = await sidesFilm(studio);
  const tone = ['-f', 'lavfi', '-i', "aevalsrc='if(lt(t,1),0,if(gt(sin(2*PI*100*t),0),1,-1))':s=8000:d=2"];
  sound = await readFile(await studio.make('sound.wav', ...tone));
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '0', MAX_OUTPUT_MEGAPIXELS: '1' });
  service.services.worker?.start();
});
afterAll(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await Promise.all([service.close(), studio.close()]);
});

const get = (path: string) => ask(service.url, path);

/** Returns the delivered file once the job has ended. */
async function made(segment: string, path: string, bytes: Buffer) {
  await service.place(path, bytes);
  const url = `/t/${segment}/${path}`;
  expect((await get(url)).status).toBe(202);
  await service.ended(path);
  return get(url);
}

async function pixelsOf(body: Buffer) {
  const { data, info } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const start = (y * info.width + x) * 4;
    return [...data.subarray(start, start + 4)] as [number, number, number, number];
  };
  return { size: [info.width, info.height], at };
}

describe('a storyboard', () => {
  test.each([
    ['sb_true', 'image/jpeg', 160],
    ['sb_true,w_80,f_webp', 'image/webp', 80],
    ['sb_1,w_40,dpr_2,f_png', 'image/png', 80],
    ['sb_true,w_32,q_30,f_avif', 'image/avif', 32],
  ])('%s is a job, and then one picture of all tiles', async (segment, type, width) => {
    const answer = await made(segment, `${segment}.mp4`, film);
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([200, type, undefined]);
    const { size, at } = await pixelsOf(answer.body);
    const height = Math.round((width * 9) / 16);
    expect(size).toEqual([4 * width, height]);
    expect([isNear(at(width / 2, height >> 1), RED), isNear(at(width * 1.5, height >> 1), LIME)]).toEqual([true, true]);
    const { status } = (await get(`/video-status/${segment}/${segment}.mp4`)).json();
    expect(status).toBe('completed');
  });

  test('is one variant however it is spelled', async () => {
    const plain = await made('sb_true', 'spelled.mp4', film);
    const spelled = await get('/t/f_jpg,w_160,q_75,g_face,sb_true,an_false/spelled.mp4');
    expect([spelled.status, spelled.headers.etag]).toEqual([200, plain.headers.etag]);
  });

  test.each([
    ['sb_true,w_400', /"w": expected a whole number from 16 to 320, received "400"/],
    ['sb_true,f_mp4', /"f": expected .*jpeg.*webp.*png.*avif.*received "mp4"/],
    ['sb_true,h_90', /A storyboard can have w dpr q f with sb_true: expected nothing else, received "h_90"/],
    ['sb_true,so_2', /received "so_2"/],
    ['sb_true,an_true', /Expected an_true or sb_true, received both/],
    ['sb_true~l_text:Hi', /A storyboard has no layers/],
  ])('%s is refused', async (segment, message) => {
    await service.place('refused.mp4', film);
    const answer = await get(`/t/${segment}/refused.mp4`);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('a waveform', () => {
  test.each([
    ['film.mp4', 'wf_true,w_40,h_20', 'image/png'],
    ['sound.wav', 'wf_true,w_40,h_20', 'image/png'],
    ['webp.wav', 'wf_true,w_40,h_20,f_webp', 'image/webp'],
  ])('of %s is a job, and then a picture', async (path, segment, type) => {
    const answer = await made(segment, path, path === 'film.mp4' ? film : sound);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    const { size, at } = await pixelsOf(answer.body);
    expect([size, at(5, 0)[3], at(5, 10)[3]]).toEqual([[40, 20], 0, 255]);
  });

  test('has its colour on its ground', async () => {
    const answer = await made('wf_true,w_40,h_20,co_ff0000,b_00ff00', 'colours.wav', sound);
    const { at } = await pixelsOf(answer.body);
    expect([at(30, 3), at(5, 3)]).toEqual([
      [255, 0, 0, 255],
      [0, 255, 0, 255],
    ]);
    const jpeg = await made('wf_true,w_40,h_20,f_jpeg', 'white.wav', sound);
    expect((await pixelsOf(jpeg.body)).at(5, 3)[0]).toBeGreaterThan(240);
  });

  test('of a video without sound is 422 and says so', async () => {
    const answer = await made('wf_true', 'silent.mp4', silent);
    expect([answer.status, answer.json().message]).toEqual([422, 'The video has no audio to draw.']);
  });

  test('over a limit of pictures is 422 and names it', async () => {
    const answer = await made('wf_true,w_2000,h_2000', 'large.wav', sound);
    expect([answer.status, answer.json().message]).toEqual([422, expect.stringMatching(/MAX_OUTPUT_MEGAPIXELS/)]);
  });

  test.each([
    ['w_40', 400],
    ['an_true', 400],
    ['sb_true', 400],
    ['co_red1', 404],
    ['wf_true,c_fit', 400],
    ['wf_true,f_gif', 400],
    ['wf_true,eo_3', 400],
    ['wf_true,f_json', 200],
  ])('%s of stored sound is %d', async (segment, status) => {
    await service.place('plain.wav', sound);
    expect((await get(`/t/${segment}/plain.wav`)).status).toBe(status);
  });
});
