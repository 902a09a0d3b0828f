import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoragePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { openStudio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;

beforeAll(async () => {
  const studio = await openStudio();
  film = await sidesFilm(studio);
  await studio.close();
  service = await startVideoService({ VIDEO_JOB_RETRY_MAX: '1' });
});
afterAll(() => service.close());

/** Every test begins with one video, no job, no variant and no worker. */
beforeEach(async () => {
  await service.services.queue.removeWithin('' as StoragePath);
  await service.services.variants.clear();
  await service.place('films/a b.mp4', film);
});

const VIDEO = 'films/a%20b.mp4';
const get = async (path: string) => {
  const answer = await ask(service.url, path);
  return { status: answer.status, body: answer.json() };
};
const state = async (path: string) => (await get(`/video-status/${path}`)).body.status;

/** Lets the worker run all jobs of the video, then stops it. */
async function work(how: 'completed' | 'error' = 'completed'): Promise<void> {
  service.services.worker?.start();
  expect(await service.ended('films/a b.mp4')).toBe(how);
  await service.services.worker?.stop();
}

const newestJob = async () => (await service.jobsOf('films/a b.mp4'))[0] ?? '';

async function claim() {
  const [job] = await service.services.queue.claim(1);
  if (!job) throw new Error('Expected a job to claim.');
  return job;
}

const unset = { startedAt: null, completedAt: null, error: null };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const message = expect.stringMatching(/.\.$/);

describe('the status of a variant', () => {
  test('follows its job, the same with and without the segment', async () => {
    const { queue } = service.services;
    const expectBoth = async (body: object) => {
      for (const path of [`w_80/${VIDEO}`, VIDEO]) {
        expect(await get(`/video-status/${path}`)).toEqual({ status: 200, body: { ...body, message } });
      }
    };
    await expectBoth({ status: 'not_found', progress: 0, ...unset });
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await expectBoth({ status: 'pending', progress: 0, ...unset });
    const job = await claim();
    await queue.renew(job, 35);
    await expectBoth({ status: 'running', progress: 35, ...unset, startedAt: time });
    await queue.fail(job, 'Bad luck.');
    await expectBoth({ status: 'pending', progress: 0, ...unset });
    await queue.fail(await claim(), 'The file is empty.');
    await expectBoth({ status: 'error', progress: 0, startedAt: time, completedAt: time, error: 'The file is empty.' });
    await queue.retry(job.id);
    await expectBoth({ status: 'pending', progress: 0, ...unset });
    await work();
    await expectBoth({ status: 'completed', progress: 100, startedAt: time, completedAt: time, error: null });
  });

  test('of a cancelled job says so', async () => {
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await service.services.queue.cancel(await newestJob());
    const cancelled = { status: 'cancelled', progress: 0, ...unset, completedAt: time, message };
    expect(await get(`/video-status/w_80/${VIDEO}`)).toEqual({ status: 200, body: cancelled });
  });

  test('is completed for as long as the variant is cached, its job known or not', async () => {
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await work();
    await service.services.queue.remove(await newestJob());
    expect(await get(`/video-status/w_80/${VIDEO}`)).toEqual({
      status: 200,
      body: { status: 'completed', progress: 100, ...unset, message },
    });
    expect(await state(VIDEO)).toBe('not_found');
  });

  test('whose variant has gone from the cache is that of one without a job', async () => {
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await work();
    await service.services.variants.clear();
    expect(await state(`w_80/${VIDEO}`)).toBe('not_found');
    expect((await ask(service.url, `/t/w_80/${VIDEO}`)).status).toBe(202);
    expect(await state(`w_80/${VIDEO}`)).toBe('pending');
  });

  test('is asked for in any order and spelling of the parameters, encoded or not', async () => {
    await ask(service.url, `/t/w_80,h_40/${VIDEO}`);
    for (const segment of ['h_40,w_80', 'w_80%2Ch_40', 'w_80,h_40,c_fill,q_75,f_mp4']) {
      expect(await state(`${segment}/${VIDEO}`), segment).toBe('pending');
    }
    expect(await state(`w_81,h_40/${VIDEO}`)).toBe('not_found');
  });

  test('of a bare path is that of the newest job, of the file as it is now', async () => {
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await work();
    await ask(service.url, `/t/w_90/${VIDEO}`);
    expect(await state(VIDEO)).toBe('pending');
    expect(await state(`w_80/${VIDEO}`)).toBe('completed');
    await service.place('films/a b.mp4', Buffer.concat([film, Buffer.alloc(8)]));
    expect(await state(VIDEO)).toBe('not_found');
    expect(await state(`w_90/${VIDEO}`)).toBe('not_found');
  });

  test('of a frame or a picture is told by the cache', async () => {
    expect(await state(`t_true,f_png/${VIDEO}`)).toBe('not_found');
    await ask(service.url, `/t/t_true,f_png/${VIDEO}`);
    expect(await state(`t_true,f_png/${VIDEO}`)).toBe('completed');
    await service.place('photo.jpg', fixture('concert.jpg'));
    expect(await state('photo.jpg')).toBe('not_found');
    expect(await state('w_20/photo.jpg')).toBe('not_found');
  });

  test('asking queues nothing and is never cached', async () => {
    const answer = await ask(service.url, `/video-status/w_80/${VIDEO}`);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await service.services.queue.stats()).pending).toBe(0);
  });
});

describe('the size of a variant', () => {
  const bytes = async (segment: string) => (await ask(service.url, `/t/${segment}/${VIDEO}`)).body.length;
  const size = (path: string) => get(`/video-status/${path}/size`);
  const notYet = {
    status: 404,
    body: { error: 'Not processed yet', code: 'not_processed', message: expect.any(String) },
  };

  test('is 404 until it is ready', async () => {
    expect(await size(`w_80/${VIDEO}`)).toEqual(notYet);
    expect(await size(VIDEO)).toEqual(notYet);
    await ask(service.url, `/t/w_80/${VIDEO}`);
    expect(await size(`w_80/${VIDEO}`)).toEqual(notYet);
    await work();
    const ready = { status: 200, body: { size: await bytes('w_80'), status: 'ready' } };
    expect(await size(`w_80/${VIDEO}`)).toEqual(ready);
    expect(await size(VIDEO)).toEqual(ready);
    await service.services.variants.clear();
    expect(await size(VIDEO)).toEqual(notYet);
  });

  test('of a bare path is that of the newest ready variant of the file as it is now', async () => {
    await ask(service.url, `/t/w_80/${VIDEO}`);
    await work();
    await ask(service.url, `/t/w_120,f_mov/${VIDEO}`);
    const first = await bytes('w_80');
    expect((await size(VIDEO)).body.size).toBe(first);
    service.services.worker?.start();
    await service.event('job:completed');
    await service.services.worker?.stop();
    const second = await bytes('w_120,f_mov');
    expect((await size(VIDEO)).body.size).toBe(second);
    await service.place('films/a b.mp4', Buffer.concat([film, Buffer.alloc(8)]));
    expect(await size(VIDEO)).toEqual(notYet);
  });
});

describe('what is not there', () => {
  test('a missing file, an unreadable segment and no path at all are 404', async () => {
    const fileNotFound = {
      status: 404,
      body: { error: 'File not found', code: 'file_not_found', message: expect.stringContaining('There is no file') },
    };
    for (const path of ['missing.mp4', 'w_80/missing.mp4', `f_avi/${VIDEO}`, 'missing.mp4/size', 'films']) {
      expect(await get(`/video-status/${path}`), path).toEqual(fileNotFound);
    }
    expect((await get('/video-status/')).status).toBe(404);
    expect((await get('/video-status')).status).toBe(404);
    expect((await get('/video-status/size')).status).toBe(404);
  });

  test('a wrong value or path is 400', async () => {
    expect((await get(`/video-status/w_0/${VIDEO}`)).body.message).toContain('Parameter "w"');
    expect((await get('/video-status/films%2Fa.mp4')).status).toBe(400);
    expect((await get(`/video-status/eo_2/${VIDEO}/size`)).status).toBe(400);
  });

  test('the prefix /api leads to the same, and no key is needed', async () => {
    expect((await get(`/api/video-status/w_80/${VIDEO}`)).body.status).toBe('not_found');
  });
});
