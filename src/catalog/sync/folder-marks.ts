import { parentOf, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogRows } from '../catalog-store.ts';

/** A folder in which changes of this process are under way. */
interface OpenFolder {
  look: Promise<{ isTrusted: boolean; isThere: boolean }>;
  /** Changes of the store that have not ended. */
  changing: number;
  /** Those whose rows are not written either. */
  running: number;
  isSpoiled: boolean;
}

/** One change, in the folders whose entries it changes. */
export interface FolderLease {
  /** The store is changed. @returns the new marks of folders whose rows are right when this change's are */
  marks(): Promise<[StoragePath, string | null][]>;
  /** Nobody knows what has become of the change: its folders have to be read again. */
  spoil(): void;
  end(): void;
}

/**
 * Keeps the marks of folders true while this process changes them: a change of our own makes another mark, and must not have a folder
 * of a hundred thousand files read again.
 */
export class FolderMarks {
  readonly #store: Pick<BlobReads, 'folderMark' | 'markFolder'>;
  readonly #rows: Pick<CatalogRows, 'folders'>;
  readonly #open = new Map<StoragePath, OpenFolder>();

  constructor(store: Pick<BlobReads, 'folderMark' | 'markFolder'>, rows: Pick<CatalogRows, 'folders'>) {
    this.#store = store;
    this.#rows = rows;
  }

  /** Whether the rows of a folder are right while changes of this process are under way in it; undefined when there are none. */
  async isTrusted(folder: StoragePath): Promise<boolean | undefined> {
    const open = this.#open.get(folder);
    return open && (await open.look).isTrusted && !open.isSpoiled;
  }

  /** Before a change of what is directly in some folders; those that are not there come into being with it. */
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
      marks: () => this.#leave(entered),
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
    const { isThere } = await open.look;
    if (!isThere && folder !== ROOT) await this.#enter(parentOf(folder), entered);
  }

  async #look(folder: StoragePath): Promise<{ isTrusted: boolean; isThere: boolean }> {
    const mark = await this.#store.folderMark(folder);
    if (mark === undefined) return { isTrusted: false, isThere: true };
    const row = await this.#rows.folders.find(folder);
    return { isTrusted: mark === null ? !row : row?.mark === mark, isThere: mark !== null };
  }

  async #leave(entered: ReadonlyMap<StoragePath, OpenFolder>): Promise<[StoragePath, string | null][]> {
    const marks: [StoragePath, string | null][] = [];
    for (const [folder, open] of entered) {
      const isLast = --open.changing === 0;
      if (!isLast || open.isSpoiled || !(await open.look).isTrusted) continue;
      const mark = await this.#store.markFolder(folder);
      if (open.changing === 0) marks.push([folder, mark ?? null]);
    }
    return marks;
  }
}
