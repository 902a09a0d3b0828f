import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src/jobs/job.ts';
import type { StoragePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { childrenOf } from '../processes.ts';
import { streamFilm } from '../streams.ts';
import { openStudio, type Studio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const FILM = 'film.mp4' as StoragePath;
const HEIGHTS = ['h_180', 'h_270', 'h_360', 'h_540'];

let studio: Studio;
let film: Buffer;
let service: VideoService;

beforeAll(async () => {
  studio = await openStudio();
  film = await streamFilm(studio);
});
afterAll(() => studio.close());
afterEach(() => service.close());

async function open(settings: Record<string, string> = {}) {
  service = await startVideoService({ STREAM_HEIGHTS: '180,270,360,540', VIDEO_MAX_CONCURRENT: '1', ...settings });
  await service.place(FILM, film);
}

/** Requests the stream, starts the worker, and waits until the lowest images are there and the others have begun. */
async function untilShared(): Promise<Job[]> {
  expect((await ask(service.url, `/t/f_hls,au_none/${FILM}`)).status).toBe(202);
  const jobs = await ladder();
  const begun = jobs.map(({ id }) => service.event('job:started', id));
  service.services.worker?.start();
  await Promise.all(begun);
  return jobs;
}

/** Returns the jobs of the ladder by ascending height. */
async function ladder(): Promise<Job[]> {
  const { jobs } = await service.services.queue.jobs.list({ path: FILM, limit: 100, offset: 0 });
  return HEIGHTS.map((height) => jobs.find(({ transformation }) => transformation === `${height},f_cmaf`) as Job);
}

async function temporaryFiles(): Promise<string[]> {
  const entries = await readdir(join(service.data, 'tmp'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('the lowest rendition is made alone, then all others by one encoder, with progress of their own', async () => {
  await open();
  const before = await childrenOf(process.pid);
  const [lowest, ...others] = await untilShared();
  expect(await service.services.queue.jobs.find(lowest?.id ?? '')).toMatchObject({ status: 'completed' });
  const progress = others.map(({ id }) => service.event('job:progress', id));
  await Promise.all(progress);
  expect((await ladder()).map(({ status }) => status)).toEqual(['completed', 'running', 'running', 'running']);
  const encoders = (await childrenOf(process.pid)).filter((pid) => !before.includes(pid));
  expect(encoders).toHaveLength(1);
  expect(await temporaryFiles()).toHaveLength(3);
  await service.allEnded(FILM);
  expect((await ladder()).map(({ status, attempts }) => [status, attempts])).toEqual(Array(4).fill(['completed', 0]));
  const playlist = await ask(service.url, `/t/f_hls,au_none/${FILM}`);
  expect([playlist.status, playlist.headers['cache-control']]).toEqual([200, expect.stringContaining('max-age')]);
  expect(await temporaryFiles()).toEqual([]);
});

test('a rendition that is deleted while it is made with others ends alone', async () => {
  await open();
  const [, deleted, ...others] = (await untilShared()) as [Job, Job, Job, Job];
  await service.services.queue.remove(deleted.id);
  await service.allEnded(FILM);
  for (const { id } of others) expect((await service.services.queue.jobs.find(id))?.status).toBe('completed');
  expect((await ask(service.url, `/video-status/${deleted.transformation}/${FILM}`)).json().status).toBe('not_found');
  await service.services.worker?.stop();
  expect(await temporaryFiles()).toEqual([]);
});

test('an encoder without a rendition that still needs it is stopped', async () => {
  await open();
  const before = await childrenOf(process.pid);
  await untilShared();
  await service.services.queue.removeWithin(FILM);
  await service.services.worker?.stop();
  expect((await childrenOf(process.pid)).filter((pid) => !before.includes(pid))).toEqual([]);
  expect(await temporaryFiles()).toEqual([]);
});

test('a stop returns all renditions of an encoder uncounted', async () => {
  await open();
  await untilShared();
  await service.services.worker?.stop();
  expect((await ladder()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['completed', 0],
    ...Array(3).fill(['pending', 0]),
  ]);
  expect(await temporaryFiles()).toEqual([]);
  service.services.worker?.start();
  await service.allEnded(FILM);
  expect((await ladder()).map(({ status }) => status)).toEqual(Array(4).fill('completed'));
});

test('a rendition beyond a limit fails alone, the others are made', async () => {
  await open({ MAX_VIDEO_OUTPUT_SIDE: '800', VIDEO_JOB_RETRY_MAX: '0' });
  await untilShared();
  await service.allEnded(FILM);
  expect((await ladder()).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'error']);
  expect((await ladder())[3]?.error).toContain('MAX_VIDEO_OUTPUT_SIDE');
  expect(await temporaryFiles()).toEqual([]);
});

test('a rendition that failed is made again alone, and no other', async () => {
  await open({ MAX_VIDEO_OUTPUT_SIDE: '800', VIDEO_JOB_RETRY_MAX: '0' });
  await untilShared();
  await service.allEnded(FILM);
  const [, , , failed] = (await ladder()) as [Job, Job, Job, Job];
  const begun: unknown[] = [];
  const leave = service.services.events.subscribe(({ type, data }) => {
    if (type === 'job:started') begun.push(data.jobId);
  });
  const ended = service.event('job:error', failed.id);
  await service.services.queue.retry(failed.id);
  await ended;
  leave();
  expect(begun).toEqual([failed.id]);
});

test('with several workers only the first rendition is made alone', async () => {
  await open({ VIDEO_MAX_CONCURRENT: '4' });
  const leases: (string | undefined)[] = [];
  expect((await ask(service.url, `/t/f_hls,au_none/${FILM}`)).status).toBe(202);
  for (const { lease } of await service.services.queue.claim(4)) leases.push(lease);
  expect(leases).toHaveLength(4);
  expect(new Set(leases).size).toBe(2);
});
