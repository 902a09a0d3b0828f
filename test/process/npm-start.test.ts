import { once } from 'node:events';
import { cp, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { listen } from '../listener.ts';
import { descendantsOf, isAlive } from '../processes.ts';
import { H264, openStudio } from '../video-samples.ts';
import { makeCheckout } from './checkout.ts';
import { spawnCommand, whenReady } from './service-process.ts';

const LARGE = 200 * 1024 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-npm-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let processes: number[] = [];
afterEach(async () => {
  for (const pid of processes) if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
});

/** Creates a data folder with a large sparse file, and a film that takes a while to transcode. */
async function dataFolder(): Promise<string> {
  const data = join(folder, 'data');
  await mkdir(join(data, 'originals'), { recursive: true });
  await using large = await open(join(data, 'originals', 'large.mp4'), 'w');
  await large.truncate(LARGE);
  const studio = await openStudio();
  const film = await studio.make('film.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=640x360:d=20:r=25', ...H264);
  await cp(film, join(data, 'originals', 'film.mp4'));
  await studio.close();
  return data;
}

async function isRefused(url: string): Promise<boolean> {
  return ask(url, '/livez', { agent: new http.Agent() }).then(
    () => false,
    (error) => error.code === 'ECONNREFUSED',
  );
}

test('npm start that is told to stop by its own process id lets a slow download end whole, and leaves no process behind', async () => {
  const settings = {
    DATA_DIR: await dataFolder(),
    SHUTDOWN_TIMEOUT_MS: '3600000',
    RENDER_WORKERS: '2',
    RENDER_WORKER_IDLE_MS: '0',
    HOME: folder,
  };
  const service = await whenReady(spawnCommand(['npm', 'start'], settings, await makeCheckout(folder)));
  const listener = listen(`${service.url}/queue/events`);
  await listener.next('connected');
  const download = http.get(`${service.url}/t/large.mp4`, { agent: false });
  const [response] = (await once(download, 'response')) as [http.IncomingMessage];
  await once(response, 'readable');
  expect((await ask(service.url, '/t/w_960/film.mp4')).status).toBe(202);
  await listener.next('job:progress');
  processes = [service.pid, ...(await descendantsOf(service.pid))];
  // At least npm, the script, the service, two render workers and an encoder.
  expect(processes.length).toBeGreaterThanOrEqual(6);
  const environments = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8')));
  expect(environments.join()).toContain('UV_THREADPOOL_SIZE=8');
  listener.close();

  service.child.kill('SIGTERM');
  await expect.poll(() => isRefused(service.url), { timeout: 30_000 }).toBe(true);
  let size = 0;
  for await (const chunk of response) size += chunk.length;
  expect(size).toBe(LARGE);
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect((await Promise.all(processes.map(isAlive))).filter(Boolean)).toEqual([]);
});
