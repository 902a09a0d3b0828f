import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePath as path } from '../../path.ts';
import type { BlobStore } from '../blob-store.ts';
import { createDiskStore } from './store.ts';

let folder: string;
let root: string;
let moves: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-moves-'));
  [root, moves] = [join(folder, 'originals'), join(folder, 'moves')];
  await mkdir(join(root, 'a'), { recursive: true });
  await mkdir(join(root, 'b'));
  await mkdir(moves);
});
afterEach(() => rm(folder, { recursive: true }));

const start = (): Promise<BlobStore> => createDiskStore({ root, temp: join(folder, 'tmp'), moves });

const inode = async (name: string) => String((await stat(join(root, name))).ino);

/** Writes a record as a move does before its first step. */
async function record(from: string, to: string, { source, target = source }: { source: string; target?: string }) {
  await writeFile(join(moves, `record-${(await readdir(moves)).length}`), JSON.stringify({ from, to, source, target }));
}

async function names(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

describe('the start after a crash', () => {
  beforeEach(() => writeFile(join(root, 'a/file'), 'bytes'));

  test('between the two steps of a move finishes it: one name is left, with the bytes', async () => {
    await record('a/file', 'b/file', { source: await inode('a/file') });
    await link(join(root, 'a/file'), join(root, 'b/file'));
    const store = await start();
    expect(await names()).toEqual(['b/file']);
    expect(await readFile(join(root, 'b/file'), 'utf8')).toBe('bytes');
    expect(await store.stat(path('a/file'))).toBeUndefined();
    expect(await readdir(moves)).toEqual([]);
  });

  test('before its first step leaves the old name', async () => {
    await record('a/file', 'b/file', { source: await inode('a/file') });
    await start();
    expect([await names(), await readdir(moves)]).toEqual([['a/file'], []]);
  });

  test('after its last step leaves the new name', async () => {
    await record('b/file', 'a/file', { source: await inode('a/file') });
    await start();
    expect([await names(), await readdir(moves)]).toEqual([['a/file'], []]);
  });

  test('removes nothing but the other name of the same file', async () => {
    await writeFile(join(root, 'b/file'), 'another');
    await record('a/file', 'b/file', { source: await inode('a/file') });
    await record('b/file', 'a/file', { source: await inode('a/file') });
    await record('a/file', 'b/file', { source: await inode('b/file') });
    await record('gone/file', 'b/file', { source: await inode('b/file') });
    await start();
    expect([await names(), await readdir(moves)]).toEqual([['a/file', 'b/file'], []]);
  });

  test('finishes the move of a link, whose new name has a copy of the bytes', async () => {
    await symlink('../a/file', join(root, 'b/link'));
    await writeFile(join(root, 'b/copy'), 'bytes');
    const source = String((await lstat(join(root, 'b/link'))).ino);
    await record('b/link', 'b/copy', { source, target: await inode('b/copy') });
    await start();
    expect(await names()).toEqual(['a/file', 'b/copy']);
  });

  test('follows no link to the outside, and minds no record that says nothing', async () => {
    const outside = join(folder, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), 'secret');
    await link(join(outside, 'file'), join(root, 'b/file'));
    await symlink(outside, join(root, 'out'));
    await record('out/file', 'b/file', { source: await inode('b/file') });
    await record('../outside/file', 'b/file', { source: await inode('b/file') });
    await writeFile(join(moves, 'torn'), '{"from":"a/fi');
    await writeFile(join(moves, 'empty'), '');
    await start();
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
    expect([await names(), await readdir(moves)]).toEqual([['a/file', 'b/file', 'out'], []]);
  });

  test('of another service on the same folder does no harm to moves under way', async () => {
    const store = await start();
    for (let n = 0; n < 40; n++) await writeFile(join(root, `a/${n}`), String(n));
    const starting = (async () => {
      for (let n = 0; n < 20; n++) await start();
    })();
    for (let n = 0; n < 40; n++) await store.move(path(`a/${n}`), path(`b/${n}`), { existing: 'keep' });
    await starting;
    for (let n = 0; n < 40; n++) expect(await readFile(join(root, `b/${n}`), 'utf8')).toBe(String(n));
    expect(await names()).toHaveLength(41);
  });
});

test('a move leaves no record, neither when it ends well nor when its new name is taken', async () => {
  const store = await start();
  await writeFile(join(root, 'a/one'), 'one');
  await writeFile(join(root, 'a/two'), 'two');
  await store.move(path('a/one'), path('b/one'), { existing: 'keep' });
  await expect(store.move(path('a/two'), path('b/one'), { existing: 'keep' })).rejects.toThrow(/exists/);
  expect([await names(), await readdir(moves)]).toEqual([['a/two', 'b/one'], []]);
});
