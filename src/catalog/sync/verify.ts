import { baseName, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads, FolderPart } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filePages } from '../file-pages.ts';

/** A file or folder whose row differs from the store. */
export interface Difference {
  path: StoragePath;
  /** `missing`: it has no row. `gone`: it has a row and is not stored. `changed`: row and store differ. */
  kind: 'missing' | 'gone' | 'changed';
}

/** Compares the whole storage with the rows, without changes. */
export async function* differences(store: BlobReads, rows: CatalogStore): AsyncGenerator<Difference> {
  const seen = new Map<StoragePath, Set<string>>();
  for await (const part of store.scan(ROOT)) {
    for (const folder of [part.folder, ...part.folders]) if (!seen.has(folder)) seen.set(folder, new Set());
    const names = part.files.map(({ path }) => baseName(path));
    for (const name of names) seen.get(part.folder)?.add(name);
    yield* storedFiles(rows, part, names);
  }
  const folders = new Set((await rows.folders.below(ROOT)).map(({ path }) => path));
  for (const folder of seen.keys())
    if (folder !== ROOT && !folders.has(folder)) yield { path: folder, kind: 'missing' };
  for (const folder of [ROOT, ...folders]) {
    const names = seen.get(folder);
    if (!names) yield { path: folder, kind: 'gone' };
    else yield* goneFiles(rows, folder, names);
  }
}

async function* storedFiles(
  rows: CatalogStore,
  { folder, files }: FolderPart,
  names: readonly string[],
): AsyncGenerator<Difference> {
  const known = new Map((await rows.files.named(folder, names)).map((row) => [row.path, row]));
  for (const { path, etag, size } of files) {
    const row = known.get(path);
    if (!row) yield { path, kind: 'missing' };
    else if (row.etag !== etag || row.size !== size) yield { path, kind: 'changed' };
  }
}

async function* goneFiles(
  rows: CatalogStore,
  folder: StoragePath,
  names: ReadonlySet<string>,
): AsyncGenerator<Difference> {
  for await (const page of filePages(rows, folder))
    for (const { path } of page) if (!names.has(baseName(path))) yield { path, kind: 'gone' };
}
