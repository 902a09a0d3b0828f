import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { numberedName, ROOT, type StoragePath } from '../../src/path.ts';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { createRoot } from '../../src/spaces/rooted/root.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore } from '../../src/storage/blob-store.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { bytes, CANARIES, expectOutside, putOutside, ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

let folder: string;
let library: BlobStore;
let space: BlobStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'space-'));
  library = await createDiskStore({ root: join(folder, 'originals'), temp: join(folder, 'tmp') });
  await putOutside(library);
  space = rootedStore(library, ROOT_OF_SPACE);
  await space.write(at('a/b.jpg'), bytes('b'));
  await space.write(at('c.jpg'), bytes('c'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the result of a call, or its refusal, as text. */
async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    const result = await call();
    const items = result && typeof result === 'object' && Symbol.asyncIterator in result;
    return JSON.stringify(items ? await Array.fromAsync(result as AsyncIterable<unknown>) : (result ?? null));
  } catch (error) {
    const { name, message, cause } = error as Error;
    return `${name}: ${message} ${cause}`;
  }
}

/** Calls of every method; a method that is added to the contract does not compile without one. */
const CALLS: { [Name in keyof Required<BlobStore>]: (() => unknown)[] } = {
  freeNames: [() => space.freeNames([at('c.jpg'), at(numberedName('c.jpg', 1))])],
  stat: [() => space.stat(at('c.jpg')), () => space.stat(ROOT), () => space.stat(at('none'))],
  open: [async () => text(await space.open(at('c.jpg'))), () => space.open(at('none')), () => space.open(ROOT)],
  withLocalFile: [
    () => space.withLocalFile(at('c.jpg'), async () => 'used'),
    () => space.withLocalFile(at('none'), async () => 'used'),
    () => space.withLocalFile(at('a'), async () => 'used'),
  ],
  list: [() => space.list(ROOT), () => space.list(at('a'))],
  walk: [() => space.walk(ROOT), () => space.walk(at('a'))],
  folders: [() => space.folders(), () => space.folders(at('a'))],
  folderExists: [() => space.folderExists(ROOT), () => space.folderExists(at('a'))],
  scan: [() => space.scan(ROOT), () => space.scan(at('a'), { digests: new Map([[at('a'), 'digest']]) })],
  folderFingerprint: [() => space.folderFingerprint(at('a'))],
  renewFingerprint: [() => space.renewFingerprint(at('a'))],
  write: [
    () => space.write(at('c.jpg'), bytes('new'), { existing: 'keep' }),
    () => space.write(at('c.jpg/below'), bytes('new')),
    () => space.write(at('a'), bytes('new')),
    () => space.write(ROOT, bytes('new')),
  ],
  adopt: [async () => space.adopt(at('c.jpg'), await localFile(), { existing: 'keep' })],
  copy: [
    () => space.copy(at('none'), at('d.jpg')),
    () => space.copy(at('c.jpg'), at('a')),
    () => space.copy(at('c.jpg'), at('c.jpg/a')),
    () => space.copy(at('c.jpg'), at('a/b.jpg'), { existing: 'keep' }),
  ],
  move: [
    () => space.move(at('none'), at('d.jpg')),
    () => space.move(at('c.jpg'), ROOT),
    () => space.move(ROOT, at('d.jpg')),
    () => space.move(at('c.jpg'), at('a/b.jpg'), { existing: 'keep' }),
  ],
  remove: [() => space.remove(at('none')), () => space.remove(ROOT)],
  createFolder: [() => space.createFolder(at('c.jpg')), () => space.createFolder(at('c.jpg/a'))],
  moveFolder: [
    () => space.moveFolder(at('none'), at('d')),
    () => space.moveFolder(at('a'), at('a/b')),
    () => space.moveFolder(at('a'), at('c.jpg')),
    () => space.moveFolder(at('a'), ROOT),
    () => space.moveFolder(ROOT, at('d')),
  ],
  removeFolder: [() => space.removeFolder(ROOT), () => space.removeFolder(at('none'))],
};

async function localFile(): Promise<string> {
  const file = join(folder, 'upload');
  await writeFile(file, 'new');
  return file;
}

test.each(Object.entries(CALLS))('%s names nothing outside of the space', async (_name, calls) => {
  for (const call of calls) expect(await outcomeOf(call)).not.toMatch(CANARIES);
  await expectOutside(library);
});

describe('a refusal', () => {
  test('names inner paths, and shortens those like any other', async () => {
    await expect(space.open(at('none.jpg'))).rejects.toThrow('Nothing is stored at "none.jpg".');
    await expect(space.moveFolder(at('a'), at('a/b'))).rejects.toThrow('"a/b" lies inside "a".');
    const long = at(`${'x'.repeat(90)}/${'y'.repeat(90)}`);
    await expect(space.open(long)).rejects.toThrow(`Nothing is stored at "${'x'.repeat(90)}/${'y'.repeat(9)}…".`);
  });

  test('keeps its class, and has no cause', async () => {
    const refusals = await Promise.allSettled([
      space.open(at('none')),
      space.moveFolder(at('a'), at('c.jpg')),
      space.createFolder(at('c.jpg/a')),
    ]);
    const errors = refusals.map((refusal) => (refusal as PromiseRejectedResult).reason);
    for (const [n, Refusal] of [BlobNotFound, BlobExists, BlobConflict].entries())
      expect(errors[n]).toBeInstanceOf(Refusal);
    expect(errors.map(({ cause }) => cause)).toEqual([undefined, undefined, undefined]);
  });

  test('about a folder above the space names the root', async () => {
    await library.removeFolder(at('customers'));
    await library.write(at('customers'), bytes('a file'));
    await expect(space.write(at('a.jpg'), bytes('new'))).rejects.toThrow('Expected a folder at "", found');
  });

  test('of the caller of a local file stays as it is', async () => {
    const refusal = new BlobNotFound((quoted) => `Nothing is stored at ${quoted}.`, {
      paths: [at('customers/acme/x')],
    });
    await expect(space.withLocalFile(at('c.jpg'), () => Promise.reject(refusal))).rejects.toBe(refusal);
  });

  test('of a path that is too long in the library is a bad request, which names the limit of the space', async () => {
    const names = Array.from({ length: 5 }, () => 'ä'.repeat(100)).join('/');
    expect(await space.stat(at(names))).toBeUndefined();
    const message = 'Expected a path of at most 1009 bytes, received 1014.';
    await expect(space.stat(at(`${names}/${'x'.repeat(9)}`))).rejects.toMatchObject({ code: 'invalid_path', message });
  });
});

describe('the root of a space whose folder was deleted', () => {
  beforeEach(() => library.removeFolder(ROOT_OF_SPACE.folder));

  test('is an empty folder', async () => {
    expect(await space.folderExists(ROOT)).toBe(true);
    expect(await space.list(ROOT)).toEqual({ folders: [], files: [] });
    expect(await Array.fromAsync(space.scan(ROOT))).toMatchObject([{ folder: '', folders: [], files: [] }]);
    expect(await space.createFolder(ROOT)).toBe(false);
  });

  test('becomes no file', async () => {
    await expect(space.write(ROOT, bytes('new'))).rejects.toThrow(BlobConflict);
    await expect(space.adopt(ROOT, await localFile())).rejects.toThrow(BlobConflict);
    expect(await library.stat(ROOT_OF_SPACE.folder)).toBeUndefined();
  });

  test('exists again with the first file', async () => {
    await space.write(at('a.jpg'), bytes('new'));
    expect(await library.stat(at('customers/acme/a.jpg'))).toMatchObject({ size: 3 });
  });
});

test('a file of one space is another file in a space whose folder begins like it', async () => {
  const other = rootedStore(library, createRoot(at('customers/acme2')));
  expect(await other.stat(at('c.jpg'))).toBeUndefined();
  expect((await other.list(ROOT)).files.map(({ path }) => path)).toEqual(['canary.jpg']);
});

test("the operator's link inside a space leads where it leads, also to another space", async () => {
  const inSpace = join(folder, 'originals', 'customers', 'acme');
  await symlink(join(folder, 'originals', 'customers', 'acme2', 'canary.jpg'), join(inSpace, 'linked.jpg'));
  await symlink('/etc', join(inSpace, 'outside'));
  expect(await text(await space.open(at('linked.jpg')))).toBe('customers/acme2/canary.jpg');
  expect(await space.folderExists(at('outside'))).toBe(false);
});
