import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type LibraryService, startLibrary } from '../library.ts';

const MEGABYTE = 1024 * 1024;
const HOUR = 3600;

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary({ CACHE_MAX_SIZE_MB: '4', CACHE_MEMORY_MB: '0' });
  await service.upload({ 'photo.jpg': fixture('photo-2725x2225.jpg'), 'flag.png': fixture('flag-alpha.png') });
});
afterAll(() => service.close());

async function cached(): Promise<string[]> {
  const entries = await readdir(join(service.data, 'variants'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const timesOfUse = async () => Promise.all((await cached()).map(async (file) => (await stat(file)).mtimeMs / 1000));

async function metric(name: string): Promise<number> {
  const text = (await service.call('GET', '/metrics')).body.toString();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

test('one visitor who asks for a lot once evicts nothing that others ask for again', async () => {
  const thumbnails = Array.from({ length: 12 }, (_, n) => `/t/w_${10 + n},f_png/flag.png`);
  const askAll = () => Promise.all(thumbnails.map(async (path) => (await ask(service.url, path)).headers['x-cache']));
  expect(new Set(await askAll())).toEqual(new Set(['miss']));
  const anHourAgo = Date.now() / 1000 - HOUR + 0.5;
  for (const file of await cached()) await utimes(file, anHourAgo, anHourAgo);
  expect(new Set(await askAll())).toEqual(new Set(['hit']));
  // A repeated request stores a time in whole seconds, which survives a restart.
  await expect.poll(timesOfUse).toSatisfy((times: number[]) => times.every(Number.isInteger));

  let written = 0;
  for (let n = 0; n < 12; n++) {
    const answer = await ask(service.url, `/t/w_${800 + n},f_png/photo.jpg`, { method: 'HEAD' });
    expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'miss']);
    written += Number(answer.headers['content-length']);
  }
  expect(written).toBeGreaterThan(8 * MEGABYTE);
  await expect.poll(() => metric('darkroom_cache_bytes')).toBeLessThanOrEqual(4 * MEGABYTE);
  expect(new Set(await askAll())).toEqual(new Set(['hit']));
});

test('the metrics know what is cached without a look at the files', async () => {
  const figures = async () => ({
    size: await metric('darkroom_cache_bytes'),
    fileCount: await metric('darkroom_cache_files'),
  });
  const counted = async () => (await service.call('GET', '/storage/stats')).json().cache;
  expect(await figures()).toEqual(await counted());
  const before = await figures();
  const folder = (await cached())[0] ?? '';
  await writeFile(join(folder, '..', 'unknown.png'), Buffer.alloc(1000));
  expect(await figures()).toEqual(before);
  expect(await counted()).toEqual({ size: before.size + 1000, fileCount: before.fileCount + 1 });
});
