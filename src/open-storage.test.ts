import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blobStoreContract } from '../test/contracts/blob-store.ts';
import { createMemoryStore } from '../test/memory-store.ts';
import { withSideEffects } from './open-storage.ts';
import type { BlobStore } from './storage/blob-store.ts';

const nothingFor = (store: BlobStore) => ({
  sync: { changes: () => store, followChange: () => undefined },
  changes: { original: async () => undefined },
  purges: { during: <T>(_path: unknown, _kind: unknown, change: () => Promise<T>) => change() },
});

blobStoreContract(
  'a store whose changes entail more',
  async () => {
    const temp = await mkdtemp(join(tmpdir(), 'store-'));
    const plain = createMemoryStore({ temp });
    const store = withSideEffects(plain, nothingFor(plain));
    return { store, close: () => rm(temp, { recursive: true }) };
  },
  { holdsBytes: true },
);

/** Number of parameters of each method. */
const ARGUMENTS: Record<keyof BlobStore, number> = {
  write: 3,
  adopt: 3,
  copy: 3,
  move: 3,
  remove: 1,
  createFolder: 1,
  moveFolder: 2,
  removeFolder: 1,
  freeNames: 1,
  stat: 1,
  open: 2,
  withLocalFile: 4,
  list: 2,
  walk: 1,
  folders: 0,
  folderExists: 1,
  scan: 2,
  folderFingerprint: 1,
  renewFingerprint: 1,
};

test.each(Object.entries(ARGUMENTS) as [keyof BlobStore, number][])(
  '%s hands all of its %i arguments on to the store',
  async (method, count) => {
    const given = Array.from({ length: count }, (_, index) => ({ argument: index }));
    const received: unknown[][] = [];
    const record = async (...all: unknown[]) => received.push(all);
    const others = Object.fromEntries(Object.keys(ARGUMENTS).map((name) => [name, () => undefined]));
    const plain = { ...others, [method]: record } as unknown as BlobStore;
    const store = withSideEffects(plain, nothingFor(plain));
    await (store[method] as (...all: unknown[]) => unknown)(...given);
    expect(received).toEqual([given]);
  },
);
