import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parsePath } from '../src/path.ts';
import { createLocalVariants, type LocalVariantsOptions } from '../src/storage/cache/local-variants.ts';
import type { Variant, VariantStore } from '../src/storage/cache/variant-store.ts';

export const KILOBYTE = 1024;
export const PHOTO = parsePath('a/photo.jpg');
export const OTHER = parsePath('a/other.jpg');

export let root: string;
let stores: VariantStore[];

/** Before each test. */
export async function setUp(): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'darkroom-variants-'));
  await mkdir(join(root, 'tmp'));
  stores = [];
}

/** After each test. */
export async function tearDown(): Promise<void> {
  for (const store of stores) await store.close();
  await rm(root, { recursive: true, force: true });
}

export async function openStore(options: Partial<LocalVariantsOptions> = {}): Promise<VariantStore> {
  const store = await createLocalVariants({
    directory: join(root, 'variants'),
    temp: join(root, 'tmp'),
    maxBytes: 1e9,
    memoryBytes: 1e6,
    ...options,
  });
  stores.push(store);
  return store;
}

/** Stores a variant whose every byte is that of its label. */
export async function put(
  store: VariantStore,
  original = PHOTO,
  key = 'key',
  size = 1000,
  format = 'webp',
): Promise<Variant> {
  const file = join(root, 'tmp', `${key}-rendered`);
  await writeFile(file, Buffer.alloc(size, key));
  return store.put(original, key, format, file);
}

export async function bytesOf(variant: Variant | undefined): Promise<Buffer | undefined> {
  return variant && (variant.bytes ?? buffer(await variant.open()));
}

/** Returns every file of the disk tier, by name. */
export async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(root, 'variants'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Sets the times of a variant as if it was stored in that second, and not requested since. */
export async function age(key: string, second: number): Promise<void> {
  for (const file of await filesOnDisk()) if (file.includes(`/${key}.`)) await utimes(file, second + 0.5, second + 0.5);
}

/** Sets the time of the last request of a variant to that second. */
export async function use(key: string, second: number): Promise<void> {
  for (const file of await filesOnDisk()) if (file.includes(`/${key}.`)) await utimes(file, second, second);
}

/** Returns the keys of the disk tier. */
export async function keysOnDisk(): Promise<string[]> {
  return (await filesOnDisk()).map((file) => basename(file, '.webp')).toSorted();
}

/** Returns the last use of a variant, in seconds. */
export async function lastUse(key: string): Promise<number> {
  const file = (await filesOnDisk()).find((name) => name.includes(`/${key}.`));
  return file === undefined ? Number.NaN : (await stat(file)).mtimeMs / 1000;
}
