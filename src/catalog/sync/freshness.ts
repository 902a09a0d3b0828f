import { SingleFlight } from '../../concurrency.ts';
import type { StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import { inParallel } from '../../storage/in-parallel.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { FolderMarks } from './folder-marks.ts';
import type { Scans } from './scans.ts';

/** Source of a folder's entries: its rows, only the store, or nowhere because the folder does not exist. */
export type Whereabouts = 'rows' | 'store' | 'nowhere';

export interface FreshnessOptions {
  rows: CatalogStore;
  store: BlobReads;
  marks: FolderMarks;
  scans: Scans;
}

const AT_ONCE = 16;

/** Revalidates folders before they are listed, and reads those again that others have changed. */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #reading = new SingleFlight<void>();

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Revalidates the rows of one folder. */
  async freshen(folder: StoragePath): Promise<Whereabouts> {
    const { rows, store, marks, scans } = this.#options;
    if (await marks.isTrusted(folder)) return 'rows';
    const mark = await store.folderMark(folder);
    if (mark === undefined) return 'rows';
    // Symlinked folders are not catalogued.
    if (mark === null) return (await store.folderExists(folder)) ? 'store' : 'nowhere';
    const row = await rows.folders.find(folder);
    if (row?.mark === mark || (await marks.isTrusted(folder))) return 'rows';
    await this.#reading.run(`${mark} ${folder}`, undefined, () => scans.read(folder, false));
    return 'rows';
  }

  /** Revalidates a folder and all folders below it, except for files that were rewritten without a rename. */
  async freshenBelow(folder: StoragePath): Promise<Whereabouts> {
    const { rows, store } = this.#options;
    const found = await this.freshen(folder);
    if (found !== 'rows' || (await store.folderMark(folder)) === undefined) return found;
    const done = new Set<StoragePath>();
    for (;;) {
      const below = (await rows.folders.below(folder)).filter(({ path }) => !done.has(path));
      if (below.length === 0) return 'rows';
      await inParallel(below, AT_ONCE, async ({ path }) => {
        await this.freshen(path);
        done.add(path);
      });
    }
  }
}
