import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { picture } from '../library.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const FILES = 3000;
const PHOTOS = 8;

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-stop-'));
  await mkdir(join(data, 'originals', 'many'), { recursive: true });
});
afterEach(() => rm(data, { recursive: true, force: true }));

// No deadline cuts anything: a stop that waits for all of the work does not end in time.
const start = () =>
  startServiceProcess({ SHUTDOWN_TIMEOUT_MS: '3600000', API_KEY, DATA_DIR: data, RENDER_WORKERS: '1' });

async function read<T>({ url }: ServiceProcess, path: string): Promise<T> {
  const { status, body } = await ask(url, path, { headers: { 'x-api-key': API_KEY } });
  expect([path, status]).toEqual([path, 200]);
  return JSON.parse(body.toString()) as T;
}

const catalogOf = async (service: ServiceProcess) =>
  (await read<{ catalog: { state: string; files: number } }>(service, '/health')).catalog;

async function expectCleanStop(service: ServiceProcess): Promise<void> {
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
  expect(service.stdout()).not.toMatch(/"level":[56]0/);
}

test('SIGTERM while the first index is built: exit 0, and the next start builds it', async () => {
  for (let n = 0; n < FILES; n++) await writeFile(join(data, 'originals', 'many', `${n}.png`), picture(`${n}`));
  const first = await start();
  expect((await catalogOf(first)).state).toBe('indexing');
  await expectCleanStop(first);
  const second = await start();
  await expect.poll(() => catalogOf(second), { timeout: 60_000 }).toEqual({ state: 'ready', files: FILES });
  expect(await read(second, '/assets?limit=1')).toMatchObject({ total: FILES });
  expect(await read(second, '/storage/stats')).toMatchObject({ storage: { fileCount: FILES } });
  await expectCleanStop(second);
}, 120_000);

test('SIGTERM while files are described: exit 0 without waiting for the rest, and the next start describes it', async () => {
  const photos = Array.from({ length: PHOTOS }, (_, n) =>
    Buffer.concat([fixture('photo-2725x2225.jpg'), Buffer.from(`${n}`)]),
  );
  for (const [n, photo] of photos.entries()) await writeFile(join(data, 'originals', 'many', `${n}.jpg`), photo);
  const described = async (service: ServiceProcess) => {
    const { assets } = await read<{ assets: { described: boolean; sha256: string }[] }>(service, '/assets?sort=name');
    return assets.filter((asset) => asset.described).map(({ sha256 }) => sha256);
  };
  const first = await start();
  await expect.poll(async () => (await described(first)).length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
  expect((await described(first)).length).toBeLessThan(PHOTOS);
  await expectCleanStop(first);
  const second = await start();
  await expect.poll(() => described(second), { timeout: 60_000 }).toEqual(photos.map((photo) => hash('sha256', photo)));
  await expectCleanStop(second);
}, 120_000);
