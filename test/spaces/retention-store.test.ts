import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT, type StoragePath } from '../../src/path.ts';
import { rootedRetentionStore } from '../../src/spaces/rooted/retention-store.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createDiskRetentionStore } from '../../src/storage/disk/retention-store.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import type { RetentionStore } from '../../src/storage/retention-store.ts';
import { bytes, CANARIES, expectOutside, putOutside, ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

let folder: string;
let library: BlobStore;
let retained: RetentionStore;
let space: RetentionStore;
let own: string[];
let id: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'space-'));
  const root = join(folder, 'originals');
  const temp = join(folder, 'tmp');
  library = await createDiskStore({ root, temp });
  retained = await createDiskRetentionStore({ root, temp, retention: join(folder, 'attic') });
  await putOutside(library);
  own = [];
  space = rootedRetentionStore(retained, ROOT_OF_SPACE, async (one) => own.includes(one));
  id = randomUUID();
  await library.write(at('customers/acme/a.jpg'), bytes('inside'));
});
afterEach(() => rm(folder, { recursive: true }));

const refusalOf = async (call: Promise<unknown>) =>
  call.then(String, ({ name, message, cause }) => `${name} ${message} ${cause}`);

/** Calls of every method; a method that is added to the contract does not compile without one. */
const CALLS: { [Name in keyof Required<RetentionStore>]: () => Promise<unknown> } = {
  keep: () => space.keep(at('none.jpg'), id),
  completeKeep: () => space.completeKeep(at('none.jpg'), id),
  giveBack: async () => {
    await space.keepCopy(at('a.jpg'), id);
    await space.giveBack(id, at('a.jpg'));
  },
  keepCopy: () => space.keepCopy(at('none.jpg'), id),
  open: () => space.open(id),
  stat: () => space.stat(id),
  isRestored: () => space.isRestored(id, at('a.jpg')),
  files: async () => {
    await space.keep(at('a.jpg'), id);
    return JSON.stringify(await Array.fromAsync(space.files(id)));
  },
  folders: () => space.folders(id),
  remove: () => space.remove(id),
  walk: () => Array.fromAsync(space.walk()),
};

test.each(Object.entries(CALLS))('%s names nothing outside of the space', async (_name, call) => {
  expect(await refusalOf(call())).not.toMatch(CANARIES);
  await expectOutside(library);
});

test('retains and restores files of the space alone', async () => {
  await space.keep(at('a.jpg'), id);
  expect(await library.stat(at('customers/acme/a.jpg'))).toBeUndefined();
  await space.giveBack(id, at('b/c.jpg'));
  expect(await text(await library.open(at('customers/acme/b/c.jpg')))).toBe('inside');
  await expect(space.keep(at('canary.jpg'), id)).rejects.toThrow('Nothing is stored at "canary.jpg".');
});

test('yields the ids of its own items', async () => {
  const others = randomUUID();
  await retained.keepCopy(at('canary.txt'), others);
  await space.keepCopy(at('a.jpg'), id);
  own = [id];
  expect(await Array.fromAsync(space.walk())).toEqual([id]);
});

test('restores nothing to the root, also when the folder of the space is missing', async () => {
  await space.keep(at('a.jpg'), id);
  await library.removeFolder(ROOT_OF_SPACE.folder);
  await expect(space.giveBack(id, ROOT)).rejects.toThrow('"" exists already.');
  await expect(space.keep(ROOT, randomUUID())).rejects.toThrow('The root of the storage cannot be removed.');
  expect(await retained.stat(id)).toBeDefined();
});
