import { tmpdir } from 'node:os';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../test/memory-store.ts';
import { parsePath } from '../path.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { createListing, type Listing } from './listing.ts';

const FILES = 1000;
let store: BlobStore;
let listing: Listing;
let reads = 0;

const put = (path: string, size = 1) => store.write(parsePath(path), oneChunk(size));
async function* oneChunk(size: number) {
  yield Buffer.alloc(size);
}

beforeEach(async () => {
  store = createMemoryStore({ temp: tmpdir() });
  for (let n = 0; n < FILES; n++) await put(`f/${n}`, (n * 7) % 50);
  reads = 0;
  const list = store.list.bind(store);
  store.list = (...asked) => {
    reads++;
    return list(...asked);
  };
  listing = createListing(store);
});

async function turnPages(onPage: (n: number) => unknown = () => undefined): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let n = 0; n === 0 || cursor !== undefined; n++) {
    const page = await listing.list({ path: parsePath('f'), limit: 100, cursor, sort: 'size', order: 'desc' });
    names.push(...page.files.map(({ name }) => name));
    cursor = page.nextCursor ?? undefined;
    await onPage(n);
  }
  return names;
}

test('turning the pages of a folder reads it once and shows every file once', async () => {
  expect(new Set(await turnPages()).size).toBe(FILES);
  expect(reads).toBe(1);
  await turnPages();
  expect(reads).toBe(2);
});

test('a change of our own in the folder, or around it, is seen by the next page', async () => {
  for (const changed of ['f/new', 'f']) {
    reads = 0;
    const names = await turnPages(async (n) => {
      if (n !== 3) return;
      await put('f/new', 0);
      listing.forget(parsePath(changed));
    });
    expect([reads, names.at(-1)]).toEqual([2, expect.any(String)]);
    expect(names).toContain('new');
    await store.remove(parsePath('f/new'));
    listing.forget(parsePath('f/new'));
  }
});

test('a change elsewhere costs nothing', async () => {
  await turnPages(() => listing.forget(parsePath('g/other')));
  expect(reads).toBe(1);
});

test('what was read while a change took place is not kept', async () => {
  const { promise: reading, resolve: read } = Promise.withResolvers<void>();
  const list = store.list.bind(store);
  store.list = async (...asked) => {
    const level = await list(...asked);
    await reading;
    return level;
  };
  const pages = turnPages();
  await put('f/new', 0);
  listing.forget(parsePath('f/new'));
  read();
  expect(await pages).toContain('new');
});
