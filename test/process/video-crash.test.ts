import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type Heard, type Listener, listen } from '../listener.ts';
import { childrenOf, isAlive } from '../processes.ts';
import { TEST_KEY } from '../service.ts';
import { played, streamFilm } from '../streams.ts';
import { H264, openStudio, type Studio } from '../video-samples.ts';
import { sidesFilm } from '../videos.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

let studio: Studio;
let data: string;
const running: { service: ServiceProcess; listener: Listener }[] = [];

beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-crash-'));
  await mkdir(join(data, 'originals'));
});
afterEach(async () => {
  for (const { service, listener } of running.splice(0)) {
    listener.close();
    await service.end('SIGKILL');
  }
  await rm(data, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = {}) {
  const service = await startServiceProcess({
    DATA_DIR: data,
    API_KEY: TEST_KEY,
    PUBLIC_RATE_LIMIT_MAX: '0',
    VIDEO_POLL_INTERVAL_MS: '50',
    ...settings,
  });
  const listener = listen(`${service.url}/queue/events`, { 'x-api-key': TEST_KEY });
  running.push({ service, listener });
  await listener.next('connected');
  return { service, listener };
}

async function jobs({ url }: ServiceProcess): Promise<Record<string, unknown>[]> {
  const answer = await ask(url, '/queue/jobs?limit=1000', { headers: { 'x-api-key': TEST_KEY } });
  return answer.json().jobs as Record<string, unknown>[];
}

/** Lists every file below the temp folders of all processes that used the data folder. */
async function temporaryFiles(): Promise<string[]> {
  const entries = await readdir(join(data, 'tmp'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('a job whose service is killed in the middle is done, once, after the next start', async () => {
  const film = await studio.make('film.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=640x360:d=8:r=25', ...H264);
  await rename(film, join(data, 'originals/film.mp4'));
  const url = '/t/w_960/film.mp4';

  const first = await start({ VIDEO_JOB_LEASE_MS: '5000' });
  const before = await childrenOf(first.service.pid);
  expect((await ask(first.service.url, url)).status).toBe(202);
  await first.listener.next('job:progress');
  const encoders = (await childrenOf(first.service.pid)).filter((pid) => !before.includes(pid));
  expect(encoders).toHaveLength(1);
  expect(await temporaryFiles()).toHaveLength(1);
  expect(await first.service.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  // The kernel kills an encoder without a service; that takes a moment.
  for (const pid of encoders) while (await isAlive(pid));

  const second = await start();
  expect(await temporaryFiles()).toEqual([]);
  expect(await jobs(second.service)).toMatchObject([{ status: 'running' }]);
  // It is claimed when the lease of the dead process has expired.
  await second.listener.next('job:completed');
  const told = second.listener.heard.map(({ type }) => type).filter((type) => type.startsWith('job:'));
  const ends = told.filter((type) => type !== 'job:progress' && type !== 'job:started');
  expect(ends).toEqual(['job:completed']);
  // On a slow host it began before the listener connected, which then misses the start event.
  expect(told.filter((type) => type === 'job:started').length).toBeLessThanOrEqual(1);
  expect(await jobs(second.service)).toMatchObject([{ status: 'completed', progress: 100, error: null }]);

  const answer = await ask(second.service.url, url);
  expect(answer.status).toBe(200);
  await writeFile(studio.path('result.mp4'), answer.body);
  expect(await studio.stream(studio.path('result.mp4'), 'v')).toMatchObject({ codec_name: 'h264', width: '960' });
  expect(await studio.frames(studio.path('result.mp4'))).toHaveLength(200);
  expect(await temporaryFiles()).toEqual([]);
  expect(await second.service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a stream whose service is killed in the middle of its files is whole after the next start, each file made once', async () => {
  await streamFilm(studio);
  await rename(studio.path('stream.mp4'), join(data, 'originals/film.mp4'));
  const url = '/t/f_hls/film.mp4';

  // The frames of the lowest rendition exist, others are being encoded.
  const first = await start({ VIDEO_JOB_LEASE_MS: '5000', VIDEO_MAX_CONCURRENT: '1' });
  expect((await ask(first.service.url, url)).status).toBe(202);
  const [{ data: lowest }] = [await first.listener.next('job:completed')];
  await first.listener.next('job:started');
  expect(await first.service.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

  const second = await start({ VIDEO_MAX_CONCURRENT: '1' });
  expect(await temporaryFiles()).toEqual([]);
  const left = (await jobs(second.service)).filter(({ status }) => status !== 'completed');
  expect(left).toHaveLength(2);
  for (const _ of left) await second.listener.next('job:completed');
  const ended = second.listener.heard.filter(({ type }) => type === 'job:completed').map((one) => one.data.jobId);
  expect(new Set(ended)).toEqual(new Set(left.map(({ id }) => id)));
  expect(ended).not.toContain(lowest.jobId);

  const answer = await ask(second.service.url, url);
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, expect.stringContaining('max-age')]);
  expect((await ask(second.service.url, '/video-status/f_hls/film.mp4')).json()).toMatchObject({
    status: 'completed',
    progress: 100,
    rungs: [{ height: 360 }, { height: 540 }, { kind: 'sound' }],
  });
  for (const stream of ['v:0', 'v:1']) expect((await played(second.service.url + url, stream)).frames).toBe(120);
  expect(await jobs(second.service)).toHaveLength(3);
  expect(await temporaryFiles()).toEqual([]);
});

test('a service that is told to stop puts its job back, and the next one begins it at once', async () => {
  const film = await studio.make('film.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=640x360:d=8:r=25', ...H264);
  await rename(film, join(data, 'originals/film.mp4'));
  const first = await start();
  await ask(first.service.url, '/t/w_960/film.mp4');
  await first.listener.next('job:progress');
  const encoders = await childrenOf(first.service.pid);
  expect(await first.service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await Promise.all(encoders.map(isAlive))).not.toContain(true);
  expect(await temporaryFiles()).toEqual([]);
  // A worker that finds nothing to do for ten minutes: any job that it begins, it found at its start.
  const second = await start({ VIDEO_POLL_INTERVAL_MS: '600000' });
  await second.listener.next('job:progress');
  expect(await jobs(second.service)).toMatchObject([{ status: 'running' }]);
});

test('two services on one data folder share the jobs and run none twice', async () => {
  const film = await sidesFilm(studio);
  const names = Array.from({ length: 12 }, (_, n) => `film-${n}.mp4`);
  for (const name of names) await writeFile(join(data, 'originals', name), film);
  const pair = [await start({ VIDEO_MAX_CONCURRENT: '2' }), await start({ VIDEO_MAX_CONCURRENT: '2' })];
  // Both are requested for each of them concurrently.
  const asked = pair.flatMap(({ service }) => names.map((name) => ask(service.url, `/t/w_80/${name}`)));
  for (const { status } of await Promise.all(asked)) expect([200, 202]).toContain(status);

  const heard = (type: string): Heard[] =>
    pair.flatMap(({ listener }) => listener.heard.filter((one) => one.type === type));
  const ended = () => heard('job:completed').length + heard('job:error').length;
  while (ended() < names.length) {
    await Promise.race(pair.map(({ listener }) => listener.next('job:completed')));
  }
  for (const type of ['job:created', 'job:started', 'job:completed']) {
    const ids = heard(type).map(({ data: { jobId } }) => jobId);
    expect(ids, type).toEqual([...new Set(ids)]);
    expect(new Set(heard(type).map(({ data: { filePath } }) => filePath)), type).toEqual(new Set(names));
  }
  for (const { listener } of pair) {
    expect(listener.heard.filter(({ type }) => type === 'job:completed').length).toBeGreaterThan(0);
  }
  const all = await jobs((pair[0] as (typeof pair)[0]).service);
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['completed']));
  for (const { service } of pair) expect((await ask(service.url, '/t/w_80/film-7.mp4')).status).toBe(200);
});
