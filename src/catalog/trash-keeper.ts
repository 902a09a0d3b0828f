import { randomUUID } from 'node:crypto';
import type { StoragePath } from '../path.ts';
import type { Attic } from '../storage/attic.ts';
import { BlobConflict, BlobExists, BlobNotFound } from '../storage/blob-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import { hiddenFolder, hiddenPath } from './hidden.ts';
import type { TrashItem } from './kept-rows.ts';
import type { Intent } from './records.ts';
import type { TrashRecovery } from './trash-recovery.ts';

export interface TrashKeeperOptions {
  catalog: CatalogStore;
  attic: Attic;
  recovery: Pick<TrashRecovery, 'recover' | 'settleKept' | 'settleGiven' | 'settleRefused'>;
  /** Name of this process. */
  node: string;
  /** Called with the intent of a change that failed and could not be recovered immediately. */
  onUnfinished(intent: string): void;
}

/**
 * Moves files and folders into the trash and back, bytes and rows. An intent is recorded before each of these changes.
 * The caller holds the paths.
 */
export class TrashKeeper {
  readonly #options: TrashKeeperOptions;

  constructor(options: TrashKeeperOptions) {
    this.#options = options;
  }

  /** @throws BlobNotFound */
  async keep(path: StoragePath): Promise<TrashItem> {
    const { attic, recovery } = this.#options;
    const id = randomUUID();
    const intent = await this.#begin('trash', path, hiddenPath(id, path));
    try {
      await attic.keep(path, id);
      return await recovery.settleKept(intent, id);
    } catch (error) {
      await this.#recover(intent);
      throw error;
    }
  }

  /** @throws BlobNotFound, BlobExists, BlobConflict */
  async giveBack(item: TrashItem, to: StoragePath): Promise<void> {
    const { attic, recovery, onUnfinished } = this.#options;
    const intent = await this.#begin('restore', hiddenPath(item.id, item.path), to);
    try {
      await attic.giveBack(item.id, to);
      await recovery.settleGiven(intent, item);
    } catch (error) {
      const isUntouched = [BlobNotFound, BlobExists, BlobConflict].some((kind) => error instanceof kind);
      if (isUntouched) await recovery.settleRefused(intent).catch(() => onUnfinished(intent.id));
      else await this.#recover(intent);
      throw error;
    }
  }

  /** Removes an item permanently, with the versions of its files. */
  async remove({ id }: TrashItem): Promise<void> {
    const { catalog, attic } = this.#options;
    const versions = await catalog.versions.within(hiddenFolder(id));
    for (const version of versions) await attic.remove(version);
    await catalog.versions.remove(versions);
    await attic.remove(id);
    await catalog.folders.remove(hiddenFolder(id));
    await catalog.trash.remove(id);
  }

  async #begin(kind: 'trash' | 'restore', from: StoragePath, to: StoragePath): Promise<Intent> {
    const change = { kind, from, to, node: this.#options.node };
    const id = await this.#options.catalog.intents.begin(change);
    return { ...change, id, createdAt: Date.now() };
  }

  async #recover(intent: Intent): Promise<void> {
    const { recovery, onUnfinished } = this.#options;
    await recovery.recover(intent).catch(() => onUnfinished(intent.id));
  }
}
