import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';

const MEGABYTE = 1024 * 1024;

/** A separate file system, which only root may create. */
const disk = await mkdtemp(join(tmpdir(), 'darkroom-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${16 * MEGABYTE}`, 'tmpfs', disk]).status === 0;
afterAll(async () => {
  if (isMounted) spawnSync('umount', [disk]);
  await rm(disk, { recursive: true, force: true });
});

describe.skipIf(!isMounted)('a disk that is full (skipped where no file system can be mounted)', () => {
  const filler = join(disk, 'filler');
  let service: LibraryService;

  beforeAll(async () => {
    const data = join(disk, 'data');
    await mkdir(data);
    service = await startLibrary({ DATA_DIR: data, CACHE_MEMORY_MB: '0' });
    await service.store('a.png', 'trip/b.png');
    await service.upload({ 'photo.jpg': fixture('photo-2725x2225.jpg') });
    expect((await service.call('GET', '/t/w_20,f_png/a.png')).status).toBe(200);
    // To the last byte.
    await expect(writeFile(filler, Buffer.alloc(32 * MEGABYTE))).rejects.toThrow('ENOSPC');
    await expect(writeFile(join(disk, 'last'), Buffer.alloc(MEGABYTE))).rejects.toThrow('ENOSPC');
  });
  afterAll(() => service?.close());

  async function temporaryFiles(): Promise<string[]> {
    const entries = await readdir(join(disk, 'data', 'tmp'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }

  test('keeps nothing from those who read: originals, cached variants, listings', async () => {
    for (const path of ['/t/a.png', '/t/w_20,f_png/a.png', '/storage', '/storage/stats', '/download/trip/b.png']) {
      expect((await service.call('GET', path)).status, path).toBe(200);
    }
  });

  test('is 503 to all who would fill it, with a word on when to come again, and leaves nothing half done', async () => {
    const before = await service.files();
    const answers = [
      await service.call('GET', '/t/w_900,f_png/photo.jpg'),
      await service.call('PATCH', '/storage/a.png', { name: 'new.png' }),
      await service.call('POST', '/storage/photo.jpg/copy', { destination: 'trip' }),
    ];
    for (const answer of answers) {
      expect(answer.json()).toMatchObject({ error: 'Service unavailable' });
      expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([503, true]);
    }
    const upload = await service.upload({ 'c.png': Buffer.concat([picture('c'), Buffer.alloc(MEGABYTE)]) });
    expect(upload.status).toBe(503);
    expect(await service.files()).toEqual(before);
    expect(await temporaryFiles()).toEqual([]);
  });

  test('takes a delete, which makes room, and serves everybody again', async () => {
    expect((await service.call('DELETE', '/storage/trip/b.png')).status).toBe(200);
    await rm(filler);
    await rm(join(disk, 'last'));
    expect((await service.call('GET', '/t/w_900,f_png/photo.jpg')).status).toBe(200);
    expect((await service.call('PATCH', '/storage/a.png', { name: 'new.png' })).status).toBe(200);
    await service.store('c.png');
    expect(await service.files()).toEqual(['c.png', 'new.png', 'photo.jpg']);
  });
});
