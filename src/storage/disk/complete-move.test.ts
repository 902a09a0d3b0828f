import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parsePath as path } from '../../path.ts';
import { createDiskStore } from './store.ts';

let folder: string;
let root: string;
let store: Awaited<ReturnType<typeof createDiskStore>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-moves-'));
  root = join(folder, 'originals');
  await mkdir(join(root, 'a'), { recursive: true });
  await mkdir(join(root, 'b'));
  await writeFile(join(root, 'a/file'), 'bytes');
  store = await createDiskStore({ root, temp: join(folder, 'tmp') });
});
afterEach(() => rm(folder, { recursive: true }));

const complete = (from: string, to: string) => store.completeMove(path(from), path(to));

async function names(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

test('a move that ended between its two steps is completed: one name is left, with the bytes', async () => {
  await link(join(root, 'a/file'), join(root, 'b/file'));
  await complete('a/file', 'b/file');
  expect(await names()).toEqual(['b/file']);
  expect(await readFile(join(root, 'b/file'), 'utf8')).toBe('bytes');
  expect(await store.stat(path('a/file'))).toBeUndefined();
});

test('a move that ended before its first step leaves the old name, and after its last one the new name', async () => {
  await complete('a/file', 'b/file');
  await complete('b/file', 'a/file');
  await complete('none/file', 'a/file');
  await complete('a/file', 'none/file');
  expect(await names()).toEqual(['a/file']);
});

test('nothing is removed but the other name of the same file, even if another file has the same bytes', async () => {
  await writeFile(join(root, 'b/file'), 'bytes');
  await complete('a/file', 'b/file');
  await complete('b/file', 'a/file');
  expect(await names()).toEqual(['a/file', 'b/file']);
});

test('the only name of a file stays, whatever paths lead to it', async () => {
  await symlink('a', join(root, 'linked'));
  await link(join(root, 'a/file'), join(folder, 'version'));
  await complete('a/file', 'linked/file');
  await complete('linked/file', 'a/file');
  await complete('a/file', 'a/file');
  expect(await names()).toEqual(['a/file', 'linked']);
});

test('the move of a link is completed, whose new name has a copy of the bytes', async () => {
  await symlink('../a/file', join(root, 'b/link'));
  await writeFile(join(root, 'b/copy'), 'bytes');
  await complete('b/link', 'b/copy');
  expect(await names()).toEqual(['a/file', 'b/copy']);
});

test('a link stays whose new name has other bytes, or the file itself that it leads to', async () => {
  await symlink('../a/file', join(root, 'b/link'));
  await writeFile(join(root, 'b/short'), 'byte');
  await writeFile(join(root, 'b/other'), 'BYTES');
  for (const to of ['b/short', 'b/other', 'a/file']) await complete('b/link', to);
  expect(await names()).toEqual(['a/file', 'b/link', 'b/other', 'b/short']);
});

test('no link to the outside is followed', async () => {
  const outside = join(folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'file'), 'secret');
  await link(join(outside, 'file'), join(root, 'b/file'));
  await symlink(outside, join(root, 'out'));
  await complete('out/file', 'b/file');
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
  expect(await names()).toEqual(['a/file', 'b/file', 'out']);
});

test('a recovery that meets moves in progress does no harm to them', async () => {
  for (let n = 0; n < 40; n++) await writeFile(join(root, `a/${n}`), String(n));
  const recovering = (async () => {
    for (let n = 0; n < 400; n++) await complete(`a/${n % 40}`, `b/${n % 40}`);
  })();
  for (let n = 0; n < 40; n++) await store.move(path(`a/${n}`), path(`b/${n}`), { existing: 'keep' });
  await recovering;
  for (let n = 0; n < 40; n++) expect(await readFile(join(root, `b/${n}`), 'utf8')).toBe(String(n));
  expect(await names()).toHaveLength(41);
});
