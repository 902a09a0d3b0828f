import { buffer } from 'node:stream/consumers';
import { parsePath } from '../../../src/path.ts';
import type { BlobStore } from '../../../src/storage/blob-store.ts';

/** Returns the store of the current test. */
export type Current = () => BlobStore;

export const MEBIBYTE = 1024 * 1024;

export const path = parsePath;

export async function* pieces(...parts: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

export function put(store: BlobStore, name: string, content: string) {
  return store.write(path(name), pieces(content));
}

/** Stores files that contain their own path. */
export async function putAll(store: BlobStore, files: string[]): Promise<void> {
  for (const file of files) await put(store, file, file);
}

export async function read(store: BlobStore, name: string): Promise<Buffer> {
  return buffer(await store.open(path(name)));
}

export async function text(store: BlobStore, name: string): Promise<string> {
  return (await read(store, name)).toString();
}

export async function walked(store: BlobStore, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of store.walk(path(folder))) found.push(entry.path);
  return found.sort();
}

export function names(entries: { path: string }[]): string[] {
  return entries.map((entry) => entry.path);
}
