import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textBlobs } from '../../../test/text-blobs.ts';
import { parsePath as path, ROOT } from '../../path.ts';
import { BlobConflict, BlobExists } from '../blob-store.ts';
import { folderFingerprint } from './folder-fingerprint.ts';
import { createDiskRetentionStore } from './retention-store.ts';
import { scanFolders } from './scan.ts';
import { createDiskStore } from './store.ts';
import { unreachableNames } from './unreachable.ts';

/** A name as Macs write it, and the same name as in paths. */
interface Name {
  decomposed: string;
  composed: string;
}
const nameOf = (composed: string): Name => ({ composed, decomposed: composed.normalize('NFD') });
const FILE = nameOf('M\u00fcller.jpg');
const FOLDER = nameOf('Caf\u00e9');

let folder: string;
let root: string;
let store: Awaited<ReturnType<typeof createDiskStore>>;
const { put, content, walked } = textBlobs(() => store);
const options = () => ({ root, temp: join(folder, 'tmp') });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-forms-'));
  root = join(folder, 'originals');
  store = await createDiskStore(options());
});
afterEach(() => rm(folder, { recursive: true }));

async function makeFile(name: string, bytes = 'bytes'): Promise<void> {
  await mkdir(join(root, name, '..'), { recursive: true });
  await writeFile(join(root, name), bytes);
}

async function readParts(folderPath = ROOT, digests = new Map()) {
  return Array.fromAsync(scanFolders(root, folderPath, { digests }));
}

describe.each([FILE, nameOf('\ud55c\uae00.jpg'), nameOf('\u1e69.jpg')])(
  'a file that lies on the disk as $decomposed',
  (name) => {
    beforeEach(() => makeFile(name.decomposed));

    test('is read and listed under its composed name', async () => {
      expect(await content(name.composed)).toBe('bytes');
      expect(await store.stat(path(name.composed))).toMatchObject({ size: 5 });
      expect(await store.withLocalFile(path(name.composed), (file) => readFile(file, 'utf8'))).toBe('bytes');
      expect((await store.list(ROOT)).files).toMatchObject([{ path: name.composed, size: 5 }]);
      expect(await walked()).toEqual([name.composed]);
      expect((await readParts()).flatMap(({ files }) => files)).toMatchObject([{ path: name.composed }]);
    });

    test('keeps its own name on the disk when it is replaced', async () => {
      await put(name.composed, 'new bytes');
      expect(await readdir(root)).toEqual([name.decomposed]);
      expect(await content(name.composed)).toBe('new bytes');
    });

    test('is not overwritten by what may only take a free name', async () => {
      await put('other.jpg');
      const keep = { existing: 'keep' } as const;
      await expect(store.move(path('other.jpg'), path(name.composed), keep)).rejects.toThrow(BlobExists);
      await expect(store.copy(path('other.jpg'), path(name.composed), keep)).rejects.toThrow(BlobExists);
      await expect(store.createFolder(path(name.composed))).rejects.toThrow(BlobConflict);
      await expect(put(`${name.composed}/below`)).rejects.toThrow(BlobConflict);
      const free = await Array.fromAsync(store.freeNames([path(name.composed), path('free')]));
      expect(free.map((one) => one.path)).toEqual(['free']);
      expect((await readdir(root)).sort()).toEqual([name.decomposed, 'other.jpg'].sort());
    });

    test('is moved and removed', async () => {
      await store.move(path(name.composed), path('a/plain.jpg'), { existing: 'keep' });
      expect(await walked()).toEqual(['a/plain.jpg']);
      await store.move(path('a/plain.jpg'), path(name.composed));
      expect((await readdir(root)).sort()).toEqual(['a', name.composed].sort());
      await rm(join(root, name.composed));
      await makeFile(name.decomposed);
      expect(await store.remove(path(name.composed))).toBe(true);
      expect(await store.stat(path(name.composed))).toBeUndefined();
      expect(await readdir(root)).toEqual(['a']);
    });

    test('goes into the attic and back', async () => {
      const retention = await createDiskRetentionStore({
        root,
        retention: join(folder, 'attic'),
        temp: join(folder, 'tmp'),
      });
      const id = randomUUID();
      await retention.keep(path(name.composed), id);
      expect(await readdir(root)).toEqual([]);
      await retention.giveBack(id, path(name.composed));
      expect(await content(name.composed)).toBe('bytes');
    });

    test('is left once when a process ended in the middle of its move', async () => {
      await link(join(root, name.decomposed), join(root, 'moved.jpg'));
      await store.completeMove(path(name.composed), path('moved.jpg'));
      expect(await readdir(root)).toEqual(['moved.jpg']);
    });
  },
);

describe('a folder that lies on the disk under a decomposed name', () => {
  beforeEach(async () => {
    await makeFile(`${FOLDER.decomposed}/${FILE.decomposed}`);
    await makeFile(`${FOLDER.decomposed}/b/plain.jpg`);
  });
  const files = [`${FOLDER.composed}/${FILE.composed}`, `${FOLDER.composed}/b/plain.jpg`].sort();

  test('is listed with all that is in it', async () => {
    expect(await walked()).toEqual(files);
    expect((await store.list(ROOT)).folders).toEqual([FOLDER.composed]);
    expect(await store.folders()).toEqual([FOLDER.composed, `${FOLDER.composed}/b`]);
    expect(await content(`${FOLDER.composed}/b/plain.jpg`)).toBe('bytes');
  });

  test('takes new files, and keeps its name on the disk', async () => {
    await put(`${FOLDER.composed}/new.jpg`);
    await put(`${FOLDER.composed}/b/c/new.jpg`);
    expect(await readdir(root)).toEqual([FOLDER.decomposed]);
    expect(await store.createFolder(path(FOLDER.composed))).toBe(false);
  });

  test('has a mark that changes with its names', async () => {
    const before = await folderFingerprint(root, path(FOLDER.composed));
    expect(before).toEqual(expect.any(String));
    const marked = await store.renewFingerprint(path(FOLDER.composed));
    expect(marked).toEqual(expect.any(String));
    expect(marked).not.toBe(before);
    await symlink(FOLDER.decomposed, join(root, 'linked'));
    expect(await folderFingerprint(root, path('linked'))).toBeNull();
  });

  test('is known again by its digest', async () => {
    const unknown = new Map([ROOT, FOLDER.composed, `${FOLDER.composed}/b`].map((one) => [path(one), '']));
    const find = async () =>
      new Map((await readParts(ROOT, unknown)).flatMap((part) => (part.digest ? [[part.folder, part.digest]] : [])));
    await expect.poll(async () => (await find()).size).toBe(unknown.size);
    const parts = await readParts(ROOT, await find());
    expect(parts.map((part) => part.unchanged)).toEqual([0, 1, 1]);
    expect(parts.flatMap((part) => part.folders)).toEqual([FOLDER.composed, `${FOLDER.composed}/b`]);
  });

  test('is moved and removed', async () => {
    await expect(store.moveFolder(path(`${FOLDER.composed}/b`), path(FOLDER.composed))).rejects.toThrow(BlobExists);
    await store.moveFolder(path(FOLDER.composed), path('cafe'));
    expect(await walked()).toEqual([`cafe/${FILE.composed}`, 'cafe/b/plain.jpg'].sort());
    await store.moveFolder(path('cafe'), path(FOLDER.composed));
    await rm(join(root, FOLDER.composed), { recursive: true });
    await makeFile(`${FOLDER.decomposed}/a.jpg`);
    expect(await store.removeFolder(path(FOLDER.composed))).toBe(true);
    expect(await readdir(root)).toEqual([]);
  });
});

describe('a link with a decomposed name', () => {
  test('is followed inside the root alone', async () => {
    await makeFile('real/a.jpg');
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/secret.jpg'), 'secret');
    await symlink('real', join(root, FOLDER.decomposed));
    await symlink('../outside', join(root, nameOf('\u00fc').decomposed));
    expect(await content(`${FOLDER.composed}/a.jpg`)).toBe('bytes');
    expect(await store.folders()).toEqual([FOLDER.composed, 'real'].sort());
    expect(await store.stat(path('\u00fc/secret.jpg'))).toBeUndefined();
    await expect(put('\u00fc/new.jpg')).rejects.toThrow(BlobConflict);
    expect(await store.removeFolder(path(FOLDER.composed))).toBe(true);
    expect(await content('real/a.jpg')).toBe('bytes');
  });
});

describe('both forms of one name', () => {
  beforeEach(async () => {
    await makeFile(FILE.decomposed, 'decomposed');
    await makeFile(FILE.composed, 'composed');
    await makeFile(`${FOLDER.decomposed}/lost.jpg`);
    await makeFile(`${FOLDER.composed}/a.jpg`);
  });

  test('are one path, and the composed one is served', async () => {
    expect(await content(FILE.composed)).toBe('composed');
    expect(await walked()).toEqual([`${FOLDER.composed}/a.jpg`, FILE.composed].sort());
    expect((await store.list(ROOT)).folders).toEqual([FOLDER.composed]);
    const parts = await readParts();
    expect(parts.map((part) => part.folder).sort()).toEqual([ROOT, FOLDER.composed]);
    expect(parts.flatMap((part) => part.files.map((file) => file.path)).sort()).toEqual(await walked());
    expect(await store.stat(path(`${FOLDER.composed}/lost.jpg`))).toBeUndefined();
  });

  test('are told apart where nothing has changed either', async () => {
    const unknown = new Map([ROOT, FOLDER.composed].map((one) => [path(one), '']));
    const find = async () =>
      new Map((await readParts(ROOT, unknown)).flatMap((part) => (part.digest ? [[part.folder, part.digest]] : [])));
    await expect.poll(async () => (await find()).size).toBe(unknown.size);
    const parts = await readParts(ROOT, await find());
    expect(parts.map((part) => [part.folder, part.folders])).toEqual([
      [ROOT, [FOLDER.composed]],
      [FOLDER.composed, []],
    ]);
  });

  test('are both named among what cannot be reached', async () => {
    await writeFile(join(root, 'back\\slash.jpg'), 'x');
    await writeFile(join(root, 'u\u0308 \u00fc.jpg'), 'x');
    const latin = Buffer.concat([Buffer.from(`${root}/latin-`), Buffer.from([0xe9])]);
    await writeFile(latin, 'x');
    await makeFile(`plain/${FILE.decomposed}`);
    const found = await Array.fromAsync(unreachableNames(root));
    // A recursive removal cannot name it either.
    await unlink(latin);
    expect(found.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: FOLDER.decomposed, hiddenBy: FOLDER.composed },
      { name: FILE.decomposed, hiddenBy: FILE.composed },
      { name: 'back\\slash.jpg', hiddenBy: undefined },
      { name: 'latin-\ufffd', hiddenBy: undefined },
      { name: 'u\u0308 \u00fc.jpg', hiddenBy: undefined },
    ]);
  });

  test('are not both removed or replaced', async () => {
    await put(FILE.composed, 'new');
    expect(await readFile(join(root, FILE.decomposed), 'utf8')).toBe('decomposed');
    expect(await store.remove(path(FILE.composed))).toBe(true);
    expect((await lstat(join(root, FILE.decomposed))).isFile()).toBe(true);
    expect(await content(FILE.composed)).toBe('decomposed');
  });
});
