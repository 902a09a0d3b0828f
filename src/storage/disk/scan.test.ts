import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parentOf, parsePath as path, ROOT, type StoragePath } from '../../path.ts';
import type { FolderPart } from '../blob-store.ts';
import { scanFolders } from './scan.ts';

/** More than are checked together. */
const FOLDERS = Array.from({ length: 10 }, (_, outer) => [
  path(`${outer}`),
  ...Array.from({ length: 12 }, (_, inner) => path(`${outer}/${inner}`)),
]).flat();

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'darkroom-scan-')));
  for (const folder of FOLDERS) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'a.txt'), 'a');
  }
});
afterEach(() => rm(root, { recursive: true }));

async function scanned(digests: ReadonlyMap<StoragePath, string>): Promise<FolderPart[]> {
  const parts: FolderPart[] = [];
  for await (const part of scanFolders(root, ROOT, { digests })) parts.push(part);
  return parts;
}

/** Returns the digests of all folders, once the last change is long enough ago for them to be final. */
async function settledDigests(): Promise<Map<StoragePath, string>> {
  const unknown = new Map([ROOT, ...FOLDERS].map((folder) => [folder, '']));
  const find = async () =>
    new Map((await scanned(unknown)).flatMap(({ folder, digest }) => (digest ? [[folder, digest]] : [])));
  await expect.poll(async () => (await find()).size).toBe(unknown.size);
  return find();
}

test('tells of each folder once, and of the files of those alone that are not as they were', async () => {
  const digests = await settledDigests();
  const changed = [path('3'), path('7/11')];
  for (const folder of changed) await writeFile(join(root, folder, 'b.txt'), 'b');
  const parts = await scanned(digests);
  expect(parts.map(({ folder }) => folder).sort()).toEqual([ROOT, ...FOLDERS].sort());
  expect(parts.flatMap(({ files }) => files.map((file) => file.path)).sort()).toEqual(
    changed.flatMap((folder) => [`${folder}/a.txt`, `${folder}/b.txt`]).sort(),
  );
  const unchanged = parts.filter((part) => part.unchanged !== undefined);
  expect(unchanged.map(({ folder }) => folder).sort()).toEqual(
    [...digests.keys()].filter((one) => !changed.includes(one)).sort(),
  );
  expect(unchanged.every((part) => part.unchanged === (part.folder === ROOT ? 0 : 1))).toBe(true);
  expect(parts.flatMap(({ folders }) => folders).sort()).toEqual([...FOLDERS].sort());
  expect(parts.flatMap((part) => part.folders.map((one) => parentOf(one) === part.folder)).every(Boolean)).toBe(true);
});

test('ends when nobody reads on, and when it is aborted', async () => {
  const digests = await settledDigests();
  for await (const part of scanFolders(root, ROOT, { digests })) if (part.folder !== ROOT) break;
  const abort = new AbortController();
  const reading = (async () => {
    for await (const part of scanFolders(root, ROOT, { digests, signal: abort.signal }))
      if (part.folder === ROOT) abort.abort(new Error('Enough.'));
  })();
  await expect(reading).rejects.toThrow('Enough.');
});
