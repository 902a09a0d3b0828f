import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask } from '../http.ts';
import { openSmallDisk } from '../small-disk.ts';
import { H264, openStudio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const disk = await openSmallDisk(48);

describe.skipIf(!disk)('while the disk is full', () => {
  let service: VideoService;
  const get = (path: string) => ask(service.url, path);

  beforeAll(async () => {
    const studio = await openStudio();
    // Noise, which does not compress.
    const noise = ['-f', 'lavfi', '-i', 'nullsrc=s=1280x720:r=10:d=1,format=yuv420p,noise=alls=100:allf=t+u'];
    await studio.make('noise.mp4', ...noise, ...H264, '-crf', '28');
    service = await startVideoService({ DATA_DIR: disk?.folder ?? '', VIDEO_JOB_RETRY_DELAY_MS: '50' });
    await service.place('noise.mp4', await readFile(studio.path('noise.mp4')));
    await studio.close();
    service.services.worker?.start();
  });
  afterAll(async () => {
    await service?.close();
    await disk?.close();
  });

  /** Expects 503 with `Retry-After`, blaming neither video nor client. */
  function expectServersFault(answer: Answer): void {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json().error).toBe('Service unavailable');
    expect(answer.body.toString()).not.toContain(disk?.folder);
  }

  test.each(['q_100', 'f_webm,q_100'])(
    'a transcode (%s) is 503 and waits; when there is room again, it is done',
    async (segment) => {
      const url = `/t/${segment},w_1280,h_720/noise.mp4`;
      await disk?.fill(2);
      expect((await get(url)).status).toBe(202);
      expectServersFault(await untilStatus(url, 503));
      expect((await get(`/video-status/${segment},w_1280,h_720/noise.mp4`)).json()).toMatchObject({
        error: null,
        status: expect.stringMatching(/pending|running/),
      });
      await disk?.empty();
      expect((await untilStatus(url, 200)).headers['content-type']).toMatch(/^video\//);
      const [job] = (await service.services.queue.jobs.list({ limit: 1, offset: 0 })).jobs;
      expect(job).toMatchObject({ status: 'completed', attempts: 0 });
    },
  );

  test('a frame is 503, and a frame when there is room again', async () => {
    await disk?.fill(1);
    expectServersFault(await get('/t/t_true,f_png/noise.mp4'));
    await disk?.empty();
    expect((await get('/t/t_true,f_png/noise.mp4')).status).toBe(200);
  });

  test('nothing is left behind of what failed', async () => {
    const { temp } = service.services;
    expect(await readdir(temp)).toEqual([]);
    expect(await readdir(join(service.data, 'variants'))).not.toEqual([]);
  });

  /** Requests until the response has that status: it is 202 before. */
  async function untilStatus(url: string, status: number): Promise<Answer> {
    let answer = await get(url);
    await expect
      .poll(
        async () => {
          answer = await get(url);
          return answer.status;
        },
        { timeout: 60_000 },
      )
      .toBe(status);
    return answer;
  }
});
