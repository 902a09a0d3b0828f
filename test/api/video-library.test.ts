import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UploadResult } from '../../src/library/upload.ts';
import { ask } from '../http.ts';
import { openStudio, type Studio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
let sides: Buffer;
const get = (path: string) => ask(service.url, path);
const status = async (path: string) => (await get(path)).status;

/** The worker runs only if a test starts it. */
beforeAll(async () => {
  studio = await openStudio();
  sides = await sidesFilm(studio);
  service = await startVideoService();
});
afterAll(() => Promise.all([service.close(), studio.close()]));

describe('an upload', () => {
  const files = async (transformations: string, name: string) => {
    const response = await service.upload({ [name]: sides }, { transformations });
    expect(response.status).toBe(200);
    return ((await response.json()) as UploadResult).files[0];
  };

  test('queues its transcodes behind those of visitors, and renders its frames at once', async () => {
    const file = await files('["w_64", "t_true,w_32,f_png"]', 'uploaded.mp4');
    expect(file).toMatchObject({
      queuedTransformationUrls: ['/t/w_64/uploaded.mp4'],
      prewarmedUrls: ['/t/t_true,w_32,f_png/uploaded.mp4'],
      prewarmErrors: [],
      queueErrors: [],
    });
    expect((await get('/t/t_true,w_32,f_png/uploaded.mp4')).headers['x-cache']).toBe('hit');
    const [id = ''] = await service.jobsOf('uploaded.mp4');
    const priority = async () => (await service.services.queue.jobs.find(id))?.priority;
    expect(await priority()).toBe(3);
    expect(await status('/t/w_64/uploaded.mp4')).toBe(202);
    expect(await priority()).toBe(2);
    service.services.worker?.start();
    expect(await service.ended('uploaded.mp4')).toBe('completed');
    expect(await status('/t/w_64/uploaded.mp4')).toBe(200);
    await service.services.worker?.stop();
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
  const left = (await queue.jobs.list({ limit: 100, offset: 0 })).jobs.filter(({ path }) => path.startsWith('gone/'));
  expect(left).toEqual([]);
  expect(await status('/t/w_80/gone/new.mp4')).toBe(202);
});
