import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { filmJob } from '../job-queue.ts';
import { type LibraryService, problem, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: 'test-secret-at-least-16-chars-long' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('a.png', 'trips/rome/b.png', 'trips/c.png');
});

const expectAnswer: LibraryService['expectAnswer'] = (...expected) => service.expectAnswer(...expected);

describe('DELETE /storage/{path}', () => {
  const details = { jobsDeleted: 0, localCacheFilesDeleted: 0, cloudCacheFilesDeleted: 0, errors: [] };

  test("removes a file with its variants, and nobody else's", async () => {
    for (const url of ['/t/w_10,f_png/a.png', '/t/w_20,f_png/a.png', '/t/w_10,f_png/trips/c.png'])
      await service.call('GET', url);
    await expectAnswer('DELETE', '/storage/a.png', undefined, 200, {
      success: true,
      message: expect.any(String),
      details: { ...details, localCacheFilesDeleted: 2 },
    });
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).status).toBe(404);
    expect((await service.call('GET', '/t/w_10,f_png/trips/c.png')).headers['x-cache']).toBe('hit');
    await expectAnswer('DELETE', '/storage/a.png', undefined, 404, problem('Not found'));
  });

  test('removes the jobs of a file', async () => {
    const { originals, queue } = service.services;
    const path = 'a.png' as never;
    await queue.enqueueAll([filmJob('k', { path })]);
    const answer = await service.call('DELETE', '/storage/a.png');
    expect(answer.json()).toMatchObject({ details: { ...details, jobsDeleted: 1 } });
    expect(await originals.stat(path)).toBeUndefined();
  });

  test('of a folder needs recursive=true', async () => {
    for (const query of ['', '?recursive=false']) {
      await expectAnswer('DELETE', `/storage/trips${query}`, undefined, 400, problem('Bad request'));
    }
    await expectAnswer('DELETE', '/storage/trips?recursive=maybe', undefined, 400, problem('Bad request'));
    await service.call('GET', '/t/w_10,f_png/trips/rome/b.png');
    await expectAnswer('DELETE', '/storage/trips?recursive=true', undefined, 200, {
      success: true,
      message: expect.any(String),
      details: { ...details, localCacheFilesDeleted: 1 },
    });
    expect(await service.files()).toEqual(['a.png']);
    await expectAnswer('DELETE', '/storage/trips?recursive=true', undefined, 404, problem('Not found'));
  });

  test('never removes the root', async () => {
    for (const path of ['/storage/', '/storage/?recursive=true', '/storage//?recursive=true']) {
      await expectAnswer('DELETE', path, undefined, 400, problem('Bad request'));
    }
    expect(await service.files()).toHaveLength(3);
  });

  test('and a new file of the same name shows nothing of the old', async () => {
    await service.call('GET', '/t/w_10,f_png/a.png');
    await service.call('DELETE', '/storage/a.png');
    await service.store('a.png');
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });
});

describe('DELETE /invalidate/{path}', () => {
  const answer = (localCacheFilesDeleted: number) => ({
    success: true,
    message: expect.any(String),
    details: { localCacheFilesDeleted, cloudCacheFilesDeleted: 0 },
  });

  test('clears the variants and keeps the original', async () => {
    for (const url of ['/t/w_10,f_png/a.png', '/t/w_10,f_webp/a.png']) await service.call('GET', url);
    await expectAnswer('DELETE', '/invalidate/a.png', undefined, 200, answer(2));
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });

  test('of a folder clears those of all files in it', async () => {
    for (const path of ['a.png', 'trips/c.png', 'trips/rome/b.png']) await service.call('GET', `/t/w_10,f_png/${path}`);
    await expectAnswer('DELETE', '/invalidate/trips', undefined, 200, answer(2));
  });

  test('of a file that does not exist is 200 with zero counts; without a path 400', async () => {
    await expectAnswer('DELETE', '/invalidate/none.png', undefined, 200, answer(0));
    for (const path of ['/invalidate', '/invalidate/', '/invalidate//']) {
      await expectAnswer('DELETE', path, undefined, 400, problem('Bad request'));
    }
  });

  test('POST /storage/cache/clear clears every variant', async () => {
    await service.call('POST', '/storage/cache/clear');
    for (const path of ['a.png', 'trips/c.png']) await service.call('GET', `/t/w_10,f_png/${path}`);
    await expectAnswer('POST', '/storage/cache/clear', undefined, 200, answer(2));
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });
});
