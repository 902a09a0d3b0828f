import { expect } from 'vitest';
import type { StoragePath } from '../../src/path.ts';
import { createRoot } from '../../src/spaces/rooted/root.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';

/** Root of the space of these tests. Its parent has other folders and files, whose names begin like it. */
export const ROOT_OF_SPACE = createRoot('customers/acme' as StoragePath);

/** Files of the library outside of the space; each contains its path. */
const OUTSIDE = ['canary.txt', 'customers/canary.jpg', 'customers/acme2/canary.jpg', 'customers/acme.txt', 'a/canary'];

/** Stores files around the folder of a space, which exists afterwards. */
export async function putOutside(library: BlobStore): Promise<void> {
  for (const path of OUTSIDE) await library.write(path as StoragePath, bytes(path));
  await library.createFolder(ROOT_OF_SPACE.folder);
}

/** Expects everything outside of the space to be as it was. */
export async function expectOutside(library: BlobStore): Promise<void> {
  const present: string[] = [];
  for await (const { path } of library.walk('' as StoragePath)) if (!ROOT_OF_SPACE.contains(path)) present.push(path);
  expect(present.sort()).toEqual(OUTSIDE.toSorted());
}

/** Words that no answer inside the space may contain. */
export const CANARIES = /customers|canary|acme/;

export async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
