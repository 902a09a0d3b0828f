import type { PathLock } from '../../cluster/cluster.ts';
import { isWithin, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { Intent } from '../records.ts';
import type { Findings } from './scan.ts';
import { scan, seesAll } from './scan.ts';
import { TouchedPaths } from './touched-paths.ts';
import { removeVanished } from './vanished.ts';

export interface ScansOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  signal: AbortSignal;
  /** Told of what was changed while a scan looked. */
  onTouched(touched: ReadonlyMap<StoragePath, boolean>): void;
  /** Told when a file is gone whose words only a scan of everything can keep. */
  onUndecided(): void;
}

/** Makes the rows of folders equal to the store by reading them. */
export class Scans {
  readonly touched = new TouchedPaths();
  readonly #options: ScansOptions;
  /** What is gone, and stays in the rows until it is known whether it was moved. */
  readonly #hidden = new Set<StoragePath>();

  constructor(options: ScansOptions) {
    this.#options = options;
  }

  /** Whether nobody is to see a row. */
  isHidden(path: StoragePath): boolean {
    return this.#hidden.size > 0 && this.#hidden.has(path);
  }

  /** A file has come, changed or gone by a change of ours, or everything in a folder. */
  touch(paths: readonly StoragePath[], isFolder: boolean): void {
    this.touched.add(paths, isFolder);
    for (const path of paths) {
      if (isFolder) for (const one of [...this.#hidden]) if (isWithin(one, path)) this.#hidden.delete(one);
      this.#hidden.delete(path);
    }
  }

  /**
   * Reads a folder; with `isDeep` all that is below it as well.
   * @param madeUp the change of ours that did not come to its end, and is made up for by this
   */
  async read(
    folder: StoragePath,
    isDeep: boolean,
    { madeUp, onProgress }: { madeUp?: Intent | undefined; onProgress?: (files: number) => void } = {},
  ): Promise<void> {
    const { rows, store, lock, signal, onTouched } = this.#options;
    const order = { rows, store, folder, isDeep, signal, onProgress };
    const touched = await this.touched.during(async () => {
      const findings = await scan(order);
      const hidden = await removeVanished(findings, { rows, store, lock, signal, madeUp, seesAll: seesAll(order) });
      if (seesAll(order)) this.#hidden.clear();
      const paths = [...hidden.files.map(({ path }) => path), ...hidden.folders];
      for (const path of paths) this.#hidden.add(path);
      const isDecided = paths.length === 0 && !findings.isUndecided;
      if (isDecided) await this.#remember(findings);
      else this.#options.onUndecided();
    });
    if (touched.size > 0) onTouched(touched);
  }

  /** Where nobody else has set another one meanwhile. */
  async #remember({ marks, digests, known }: Findings): Promise<void> {
    const { folders } = this.#options.rows;
    const seen = [...digests].map(([folder, digest]) => ({
      folder,
      digest,
      revision: known.get(folder)?.revision ?? -1,
    }));
    await folders.setDigests(seen);
    for (const [folder, mark] of marks) {
      const before = known.get(folder)?.mark ?? null;
      if (before === mark) continue;
      const row = await folders.find(folder);
      if (row && row.mark === before) await folders.setMark(folder, mark);
    }
  }

  /** Compares everything. */
  readAll(onProgress?: (files: number) => void): Promise<void> {
    return this.read(ROOT, true, onProgress && { onProgress });
  }
}
