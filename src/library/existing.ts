import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import { badRequest } from '../errors.ts';
import { quote, type StoragePath } from '../path.ts';
import type { BlobStat, BlobStore } from '../storage/blob-store.ts';
import { sha256Of } from '../storage/byte-source.ts';

/** Options for a new file whose name is taken. */
export const WAYS = ['rename', 'skip', 'error'] as const;

/**
 * Handling of a new file whose name is taken. `rename`: it gets a numbered name. `skip`: it is not stored if a file of
 * that name, or of a numbered one, has the same bytes; otherwise as `rename`. `error`: it is refused.
 */
export type Existing = (typeof WAYS)[number];

/** Parses the option of an upload. @throws HttpProblem 400 */
export function parseExisting(text = 'rename'): Existing {
  const way = WAYS.find((one) => one === text);
  if (way) return way;
  throw badRequest(`Expected rename, skip or error in "existing", received ${quote(text)}.`, 'validation_failed');
}

/** True if a stored file has the bytes of a local one. */
export type HasBytes = (path: StoragePath, stored: BlobStat, file: string) => Promise<boolean>;

/** Compares sizes first, then SHA-256. The stored file is read only if the catalog does not have its hash. */
export function createHasBytes(store: BlobStore, catalog: SpaceCatalog): HasBytes {
  return async (path, stored, file) => {
    if (stored.size !== (await stat(file)).size) return false;
    const known = await catalog.files.find(path);
    const sha256 = known?.etag === stored.etag ? known.sha256 : null;
    const [own, other] = await Promise.all([
      sha256Of(createReadStream(file)),
      sha256 ?? store.open(path, { etag: stored.etag }).then(sha256Of),
    ]);
    return own === other;
  };
}
