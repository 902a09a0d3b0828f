import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as LibraryModule from '../library.ts';
import { ROOT } from '../source-files.ts';
import { readSteps, Workbench } from './tutorial.ts';

const steps = readSteps(await readFile(join(ROOT, 'docs', 'adding-a-storage-backend.md'), 'utf8'));
const bench = await Workbench.open();
for (const step of steps) await bench.follow(step);
// It registers the tests of the contract.
await bench.load('src/storage/toy/store.test.ts');
const { startLibrary } = await bench.load<typeof LibraryModule>('test/library.ts');

afterAll(() => bench.close());

test('the page has blocks for every step', () => {
  expect(steps.map(({ language, file }) => `${language} ${file}`)).toEqual([
    'sh ',
    'ts src/storage/toy/store.test.ts',
    'ts src/storage/toy/backend.ts',
    'diff src/config/storage-settings.ts',
    'diff src/config/derive.ts',
    'diff src/config/derive.ts',
    'sh src/config/derive.ts',
    'diff src/storage/choose-backend.ts',
    'diff src/storage/choose-backend.ts',
    'diff src/storage/choose-backend.ts',
  ]);
});

test('the compiler has nothing to say about what the page wrote', () => {
  const written = ['src/storage/toy/store.ts', 'src/storage/toy/backend.ts', 'src/config/derive.ts'];
  expect(bench.complaints(...written, 'src/storage/choose-backend.ts', 'src/services.ts')).toEqual([]);
});

describe('a service on the new backend', () => {
  let service: LibraryModule.LibraryService;
  beforeAll(async () => {
    service = await startLibrary({ STORAGE_TOY: 'on' });
  });
  afterAll(() => service.close());
  const status = async (method: string, path: string, body?: unknown) =>
    (await service.call(method, path, body)).status;

  test('uploads, lists, delivers, moves and deletes', async () => {
    await service.store('trips/a.png');
    expect((await service.call('GET', '/storage?path=trips')).json()).toMatchObject({
      files: [{ path: 'trips/a.png', type: 'image' }],
    });
    expect((await service.call('GET', '/storage/stats')).json()).toMatchObject({ storage: { fileCount: 1 } });

    const variant = await service.call('GET', '/t/w_10,f_png/trips/a.png');
    expect([variant.status, variant.headers['content-type'], variant.headers['x-cache']]).toEqual([
      200,
      'image/png',
      'miss',
    ]);
    expect((await service.call('GET', '/t/w_10,f_png/trips/a.png')).headers['x-cache']).toBe('hit');

    expect(await status('POST', '/storage/trips/a.png/move', { destination: 'kept' })).toBe(200);
    expect(await status('GET', '/t/w_10,f_png/trips/a.png')).toBe(404);
    expect(await status('GET', '/t/w_10,f_png/kept/a.png')).toBe(200);
    expect(await service.files()).toEqual(['kept/a.png']);

    expect(await status('DELETE', '/storage/kept/a.png')).toBe(200);
    expect(await status('GET', '/t/w_10,f_png/kept/a.png')).toBe(404);
    expect(await service.files()).toEqual([]);
  });
});
