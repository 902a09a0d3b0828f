import { access, copyFile, mkdir, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../open.ts';
import type { OpenDatabase } from '../schema.ts';

// Permissions do not stop root, and no test can remove a disk.
vi.mock('node:fs/promises', async (load) => {
  const original = await load<typeof import('node:fs/promises')>();
  return { ...original, access: vi.fn(original.access) };
});

let folder: string;
let file: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-file-'));
  await mkdir(join(folder, 'data'));
  file = join(folder, 'data', 'darkroom.db');
  database = await openDatabase({ file });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

describe('the file of an open database', () => {
  test('is in order as long as nobody touches it', async () => {
    expect([await database.file.check(), database.file.state, database.file.problem]).toEqual(['ok', 'ok', undefined]);
    await database.file.assertDurable();
  });

  test.each([
    ['gone', 'deleted', () => unlink(file)],
    ['gone', 'deleted', () => rename(join(folder, 'data'), join(folder, 'moved'))],
    ['replaced', 'replaced', () => copyFile(file, `${file}.new`).then(() => rename(`${file}.new`, file))],
  ] as const)('is %s when it was %s', async (state, word, disturb) => {
    await disturb();
    // The last result applies until the next check.
    expect(database.file.state).toBe('ok');
    await expect(database.file.assertDurable()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(word),
      headers: { 'Retry-After': expect.any(String) },
    });
    expect(database.file.state).toBe(state);
    expect(database.file.problem).toContain(word);
    expect(database.file.problem).not.toContain(folder);
  });

  test('is not writable when its disk has become read-only', async () => {
    vi.mocked(access).mockRejectedValueOnce(Object.assign(new Error('read-only'), { code: 'EROFS' }));
    expect(await database.file.check()).toBe('not writable');
    expect(database.file.problem).toContain('no longer be written');
    expect(await database.file.check()).toBe('ok');
  });

  test('is in order again when it is back', async () => {
    await rename(file, `${file}.away`);
    expect(await database.file.check()).toBe('gone');
    await rename(`${file}.away`, file);
    expect(await database.file.check()).toBe('ok');
  });
});

test('a database in memory has none to lose', async () => {
  const memory = await openDatabase({ file: ':memory:' });
  expect(await memory.file.check()).toBe('ok');
  await memory.close();
});
