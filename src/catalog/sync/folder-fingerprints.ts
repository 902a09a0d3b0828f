import { parentOf, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogRows } from '../catalog-store.ts';

/** A folder with changes of this process in progress. */
interface OpenFolder {
  look: Promise<{ isTrusted: boolean; exists: boolean }>;
  /** Changes of the store that have not ended. */
  changing: number;
  /** Changes whose rows are not written yet. */
  running: number;
  isSpoiled: boolean;
}

/** One change, in the folders whose entries it changes. */
export interface FolderLease {
  /**
   * Called after the store was changed. @returns the new fingerprints of folders whose rows are correct once this
   * change is recorded
   */
  fingerprints(): Promise<[StoragePath, string | null][]>;
  /** Called when the outcome of the change is unknown: its folders have to be read again. */
  spoil(): void;
  end(): void;
}

/**
 * Maintains folder fingerprints during changes of this process: an own change alters the fingerprint, and must not
 * cause a folder of a hundred thousand files to be read again.
 */
export class FolderFingerprints {
  readonly #store: Pick<BlobReads, 'folderFingerprint' | 'renewFingerprint'>;
  readonly #rows: Pick<CatalogRows, 'folders'>;
  readonly #open = new Map<StoragePath, OpenFolder>();

  constructor(store: Pick<BlobReads, 'folderFingerprint' | 'renewFingerprint'>, rows: Pick<CatalogRows, 'folders'>) {
    this.#store = store;
    this.#rows = rows;
  }

  /** True if the rows of a folder are correct while changes of this process are in progress; undefined without any. */
  async isTrusted(folder: StoragePath): Promise<boolean | undefined> {
    const open = this.#open.get(folder);
    return open && (await open.look).isTrusted && !open.isSpoiled;
  }

  /** Begins a change of the direct entries of some folders; missing folders are created by it. */
  async begin(folders: readonly StoragePath[]): Promise<FolderLease> {
    const entered = new Map<StoragePath, OpenFolder>();
    const end = () => {
      for (const [folder, open] of entered) if (--open.running === 0) this.#open.delete(folder);
    };
    try {
      for (const folder of folders) await this.#enter(folder, entered);
    } catch (error) {
      for (const open of entered.values()) open.changing--;
      end();
      throw error;
    }
    return {
      fingerprints: () => this.#leave(entered),
      spoil() {
        for (const open of entered.values()) open.isSpoiled = true;
      },
      end,
    };
  }

  async #enter(folder: StoragePath, entered: Map<StoragePath, OpenFolder>): Promise<void> {
    if (entered.has(folder)) return;
    let open = this.#open.get(folder);
    if (!open) {
      open = { look: this.#look(folder), changing: 0, running: 0, isSpoiled: false };
      this.#open.set(folder, open);
    }
    open.changing++;
    open.running++;
    entered.set(folder, open);
    const { exists } = await open.look;
    if (!exists && folder !== ROOT) await this.#enter(parentOf(folder), entered);
  }

  async #look(folder: StoragePath): Promise<{ isTrusted: boolean; exists: boolean }> {
    const fingerprint = await this.#store.folderFingerprint(folder);
    if (fingerprint === undefined) return { isTrusted: false, exists: true };
    const row = await this.#rows.folders.find(folder);
    return { isTrusted: fingerprint === null ? !row : row?.mark === fingerprint, exists: fingerprint !== null };
  }

  async #leave(entered: ReadonlyMap<StoragePath, OpenFolder>): Promise<[StoragePath, string | null][]> {
    const fingerprints: [StoragePath, string | null][] = [];
    for (const [folder, open] of entered) {
      const isLast = --open.changing === 0;
      if (!isLast || open.isSpoiled || !(await open.look).isTrusted) continue;
      const fingerprint = await this.#store.renewFingerprint(folder);
      if (open.changing === 0) fingerprints.push([folder, fingerprint ?? null]);
    }
    return fingerprints;
  }
}
