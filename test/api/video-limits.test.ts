import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask } from '../http.ts';
import { H264, openStudio, type Studio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let studio: Studio;
/** 160 x 90. */
let film: Buffer;
let service: VideoService;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);

beforeAll(async () => {
  studio = await openStudio();
  film = await sidesFilm(studio);
});
afterAll(() => studio.close());
afterEach(() => service.close());

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startVideoService(environment);
  await service.place('film.mp4', film);
  service.services.worker?.start();
}

describe('a result that is too large', () => {
  test.each([
    ['w_8192,h_6100,f_webm', '8192 x 6100 pixels; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE)'],
    ['w_4097', '4098 pixels wide; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE)'],
    ['h_5000,c_pad,f_mov', '5000 pixels high; the limit for a side is 4096 (MAX_VIDEO_OUTPUT_SIDE)'],
    ['w_4096,h_2160,c_scale', '4096 x 2160 pixels; the limit is 8.3 megapixels (MAX_VIDEO_OUTPUT_MEGAPIXELS)'],
  ])('is 400 before anything is queued: %s', async (segment, reason) => {
    await start();
    for (const path of [`/t/${segment}/film.mp4`, `/video-status/${segment}/film.mp4`]) {
      const answer = await get(path);
      expect(answer.status).toBe(400);
      expect(answer.json()).toEqual({
        error: 'Limit exceeded',
        code: 'limit_exceeded',
        message: expect.stringContaining(reason),
      });
    }
    const upload = await service.upload({ 'other.mp4': film }, { transformations: segment });
    expect(upload.status).toBe(400);
    expect(await upload.text()).toContain(reason);
    expect((await service.services.queue.jobs.list({ limit: 1, offset: 0 })).total).toBe(0);
  });

  test('is judged by what comes out: within a large box, and as a single frame, a small video stays small', async () => {
    await start();
    expect((await get('/t/w_8192,h_8192,c_fit/film.mp4')).status).toBe(202);
    expect(await service.ended('film.mp4')).toBe('completed');
    expect((await get('/t/t_true,w_4200,h_10,f_png/film.mp4')).status).toBe(200);
  });

  test('of which only the video tells is the error of its job, in the same words, and is not tried again', async () => {
    await start({ MAX_VIDEO_OUTPUT_SIDE: '150', MAX_VIDEO_OUTPUT_MEGAPIXELS: '0.01', VIDEO_JOB_RETRY_MAX: '3' });
    const starts: string[] = [];
    service.services.events.subscribe(({ type }) => void (type === 'job:started' && starts.push(type)));
    for (const [segment, reason] of [
      ['q_50', '160 x 90 pixels; the limit for a side is 150 (MAX_VIDEO_OUTPUT_SIDE)'],
      ['w_140', '140 x 78 pixels; the limit is 0.01 megapixels (MAX_VIDEO_OUTPUT_MEGAPIXELS)'],
    ] as const) {
      expect((await get(`/t/${segment}/film.mp4`)).status).toBe(202);
      expect(await service.ended('film.mp4')).toBe('error');
      const answer = await get(`/t/${segment}/film.mp4`);
      expect([answer.status, answer.json().message]).toEqual([422, expect.stringContaining(reason)]);
    }
    expect(starts).toHaveLength(2);
  });
});

describe('an encoder that goes over a limit', () => {
  test('of time is ended; the error names the setting, and it is not tried again', async () => {
    await start({ VIDEO_TIMEOUT_MS: '1', VIDEO_JOB_RETRY_MAX: '3' });
    const starts: string[] = [];
    service.services.events.subscribe(({ type }) => void (type === 'job:started' && starts.push(type)));
    expect((await get('/t/w_1920,h_1080/film.mp4')).status).toBe(202);
    expect(await service.ended('film.mp4')).toBe('error');
    const answer = await get('/t/w_1920,h_1080/film.mp4');
    expect([answer.status, answer.json().message]).toEqual([422, expect.stringContaining('VIDEO_TIMEOUT_MS')]);
    expect(starts).toHaveLength(1);
  });

  test('of memory is ended, for a transcode and for a frame; the error names limit and setting', async () => {
    await start({ VIDEO_MEMORY_MB: '96' });
    const large = ['-f', 'lavfi', '-i', 'testsrc2=s=3840x2160:r=25:d=0.4'];
    await service.place('large.mp4', await readFile(await studio.make('large.mp4', ...large, ...H264)));
    const reason = expect.stringContaining('more than 96 MB of memory (VIDEO_MEMORY_MB)');
    expect((await get('/t/q_50/large.mp4')).status).toBe(202);
    expect(await service.ended('large.mp4')).toBe('error');
    for (const path of ['/t/q_50/large.mp4', '/t/t_true,w_100/large.mp4']) {
      const answer = await get(path);
      expect([answer.status, answer.json().message]).toEqual([422, reason]);
    }
  });
});

test('GET /limits tells how large videos may become', async () => {
  await start({ MAX_VIDEO_OUTPUT_SIDE: '2000', MAX_VIDEO_OUTPUT_MEGAPIXELS: '2.1' });
  expect((await get('/limits')).json().limits).toEqual(
    expect.arrayContaining([
      { name: 'video output side', value: 2000, unit: 'pixels', setting: 'MAX_VIDEO_OUTPUT_SIDE' },
      { name: 'video output size', value: 2.1, unit: 'megapixels', setting: 'MAX_VIDEO_OUTPUT_MEGAPIXELS' },
    ]),
  );
});
