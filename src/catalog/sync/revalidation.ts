import { SingleFlight } from '../../concurrency.ts';
import type { StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import { inParallel } from '../../storage/in-parallel.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { FolderFingerprints } from './folder-fingerprints.ts';
import type { Scans } from './scans.ts';

/** Source of a folder's entries: its rows, only the store, or nowhere because the folder does not exist. */
export type Whereabouts = 'rows' | 'store' | 'nowhere';

export interface RevalidationOptions {
  rows: CatalogStore;
  store: BlobReads;
  fingerprints: FolderFingerprints;
  scans: Scans;
}

const CONCURRENCY = 16;

/** Revalidates folders before they are listed, and reads those again that others have changed. */
export class Revalidation {
  readonly #options: RevalidationOptions;
  readonly #reading = new SingleFlight<void>();

  constructor(options: RevalidationOptions) {
    this.#options = options;
  }

  /** Revalidates the rows of one folder. */
  async revalidate(folder: StoragePath): Promise<Whereabouts> {
    const { rows, store, fingerprints, scans } = this.#options;
    if (await fingerprints.isTrusted(folder)) return 'rows';
    const fingerprint = await store.folderFingerprint(folder);
    if (fingerprint === undefined) return 'rows';
    // Symlinked folders are not catalogued.
    if (fingerprint === null) return (await store.folderExists(folder)) ? 'store' : 'nowhere';
    const row = await rows.folders.find(folder);
    if (row?.mark === fingerprint || (await fingerprints.isTrusted(folder))) return 'rows';
    await this.#reading.run(`${fingerprint} ${folder}`, undefined, () => scans.read(folder, false));
    return 'rows';
  }

  /** Revalidates a folder and all folders below it, except for files that were rewritten without a rename. */
  async revalidateBelow(folder: StoragePath): Promise<Whereabouts> {
    const { rows, store } = this.#options;
    const found = await this.revalidate(folder);
    if (found !== 'rows' || (await store.folderFingerprint(folder)) === undefined) return found;
    const done = new Set<StoragePath>();
    for (;;) {
      const below = (await rows.folders.below(folder)).filter(({ path }) => !done.has(path));
      if (below.length === 0) return 'rows';
      await inParallel(below, CONCURRENCY, async ({ path }) => {
        await this.revalidate(path);
        done.add(path);
      });
    }
  }
}
