import type { Kysely } from 'kysely';
import type { CatalogStore } from '../../../src/catalog/catalog-store.ts';
import type { Description, FileEntry } from '../../../src/catalog/records.ts';
import type { Schema } from '../../../src/db/schema.ts';
import type { StoragePath } from '../../../src/path.ts';

/** Fixture of the catalog tests: an empty catalog. */
export interface CatalogBench {
  catalog: CatalogStore;
  /** A second connection to the same catalog. */
  other: CatalogStore;
  db: Kysely<Schema>;
  /** Milliseconds since 1970, moved by the tests. */
  clock: { now: number };
  close(): Promise<void>;
}

export const at = (path: string) => path as StoragePath;

/** Returns a file as reported by a store. */
export function file(path: string, more: Partial<Omit<FileEntry, 'path'>> = {}): FileEntry {
  const now = new Date(Date.UTC(2026, 0, 1));
  return { path: at(path), size: 1, etag: 'one', createdAt: now, modifiedAt: now, ...more };
}

/** Returns a description with only these facts. */
export function described(facts: Partial<Description>): Description {
  const none = { width: null, height: null, duration: null, frames: null, hasAlpha: null, codec: null, bitrate: null };
  const more = { takenAt: null, camera: null, hasGps: null, dominantColour: null, palette: [], placeholder: null };
  return { ...none, ...more, perceptualHash: null, sha256: null, problem: null, ...facts };
}
