import type { PathLock } from '../../cluster/cluster.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { Intent } from '../records.ts';
import type { ScanResult } from './scan.ts';
import { scan, seesAll } from './scan.ts';
import { TouchedPaths } from './touched-paths.ts';
import { removeVanished } from './vanished.ts';

export interface ScansOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  signal: AbortSignal;
  /** Called with the paths that changed during a scan. */
  onTouched(touched: ReadonlyMap<StoragePath, boolean>): void;
  /** Called when only a scan of everything can decide where a file went, or which metadata belongs to a path. */
  onUndecided(): void;
}

/** Makes the rows of folders equal to the store by reading them. */
export class Scans {
  readonly touched = new TouchedPaths();
  readonly #options: ScansOptions;

  constructor(options: ScansOptions) {
    this.#options = options;
  }

  /** Called when an own change added, changed or removed a file, or everything in a folder. */
  touch(paths: readonly StoragePath[], isFolder: boolean): void {
    this.touched.add(paths, isFolder);
  }

  /**
   * Reads a folder; with `isDeep`, also everything below it.
   * @param recovered the unfinished own change that this recovers
   */
  async read(
    folder: StoragePath,
    isDeep: boolean,
    { recovered, onProgress }: { recovered?: Intent | undefined; onProgress?: (files: number) => void } = {},
  ): Promise<void> {
    const { rows, store, lock, signal, onTouched } = this.#options;
    const order = { rows, store, folder, isDeep, signal, onProgress };
    const touched = await this.touched.during(async () => {
      const result = await scan(order);
      const hasTombstones = await removeVanished(result, { rows, store, lock, signal, recovered });
      if (!result.isUndecided) await this.#remember(result);
      if (result.isUndecided || (hasTombstones && !seesAll(order))) this.#options.onUndecided();
    });
    if (touched.size > 0) onTouched(touched);
  }

  /** Stores fingerprints and digests, unless others were set meanwhile. */
  async #remember({ fingerprints, digests, known }: ScanResult): Promise<void> {
    const { folders } = this.#options.rows;
    const seen = [...digests].map(([folder, digest]) => ({
      folder,
      digest,
      revision: known.get(folder)?.revision ?? -1,
    }));
    await folders.setDigests(seen);
    for (const [folder, fingerprint] of fingerprints) {
      const before = known.get(folder)?.mark ?? null;
      if (before === fingerprint) continue;
      const row = await folders.find(folder);
      if (row && row.mark === before) await folders.setFingerprint(folder, fingerprint);
    }
  }

  /** Compares everything. */
  readAll(onProgress?: (files: number) => void): Promise<void> {
    return this.read(ROOT, true, onProgress && { onProgress });
  }
}
