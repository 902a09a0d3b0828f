import { afterEach, beforeEach, describe, test } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { failing } from './blob-store/failing.ts';
import { foldering } from './blob-store/folders.ts';
import { freeNames } from './blob-store/free-names.ts';
import { listing } from './blob-store/listing.ts';
import { constantMemory } from './blob-store/memory.ts';
import { naming } from './blob-store/names.ts';
import { racing } from './blob-store/racing.ts';
import { reading } from './blob-store/reading.ts';
import { rearranging } from './blob-store/rearranging.ts';
import { scanning } from './blob-store/scanning.ts';
import { writing } from './blob-store/writing.ts';

/**
 * Tests of every blob store. `create` returns an empty store. `holdsBytes` declares that the store itself is in memory,
 * which exempts it from the guarantee of constant memory.
 */
export function blobStoreContract(
  name: string,
  create: () => Promise<{ store: BlobStore; close(): Promise<void> }>,
  options: { holdsBytes?: boolean } = {},
): void {
  describe(`${name} as a blob store`, () => {
    let current: Awaited<ReturnType<typeof create>>;
    const store = () => current.store;
    beforeEach(async () => {
      current = await create();
    });
    afterEach(() => current.close());

    describe('writing', () => writing(store));
    describe('writing that fails', () => failing(store));
    describe('many at once', () => racing(store));
    describe('reading', () => reading(store));
    describe('copying, moving, removing', () => rearranging(store));
    describe('listing', () => listing(store));
    describe('scanning', () => scanning(store));
    describe('folders', () => foldering(store));
    describe('names', () => naming(store));
    describe('free names', () => freeNames(store));
    test.skipIf(options.holdsBytes)('a file of any size takes the same memory', () => constantMemory(store()));
  });
}
