import type { StoragePath } from '../path.ts';
import { BlobConflict, BlobExists, BlobNotFound } from '../storage/blob-store.ts';
import type { RetentionStore } from '../storage/retention-store.ts';
import { IntentClaimed, type SpaceCatalog } from './catalog-store.ts';
import { hiddenFolder, hiddenId, hiddenPath } from './hidden.ts';
import type { Intent, IntentKind } from './records.ts';
import type { TrashItem } from './retained-rows.ts';
import type { TrashRecovery } from './trash-recovery.ts';

export interface TrashServiceOptions {
  catalog: SpaceCatalog;
  retention: RetentionStore;
  recovery: Pick<TrashRecovery, 'recover' | 'noteUnfinished' | 'settleTrashed' | 'settleRestored' | 'settleRefused'>;
  /** Name of this process. */
  node: string;
  /** Called with the intent of a change that failed and could not be recovered immediately. */
  onUnfinished(intent: string): void;
}

/**
 * Moves files and folders into the trash and back, bytes and rows. An intent is recorded before each of these changes.
 * The caller holds the paths.
 */
export class TrashService {
  readonly #options: TrashServiceOptions;

  constructor(options: TrashServiceOptions) {
    this.#options = options;
  }

  /** @param id the id of the new item, whose hidden folder the caller holds too @throws BlobNotFound */
  async keep(path: StoragePath, id: string): Promise<TrashItem> {
    const { retention, recovery } = this.#options;
    const intent = await this.#begin('trash', path, hiddenPath(id, path));
    try {
      await retention.keep(path, id);
      return await recovery.settleTrashed(intent, id);
    } catch (error) {
      const item = await (error instanceof IntentClaimed ? this.#resume(intent) : this.#recover(intent));
      if (item) return item;
      throw error;
    }
  }

  /** @throws BlobNotFound, BlobExists, BlobConflict */
  async giveBack(item: TrashItem, to: StoragePath): Promise<void> {
    const { catalog, retention, recovery } = this.#options;
    const intent = await this.#begin('restore', hiddenPath(item.id, item.path), to);
    try {
      await retention.giveBack(item.id, to);
      await recovery.settleRestored(intent, item);
    } catch (error) {
      if (error instanceof IntentClaimed) {
        await this.#resume(intent);
        if (await catalog.trash.find(item.id)) throw error;
        return;
      }
      const isUntouched = [BlobNotFound, BlobExists, BlobConflict].some((kind) => error instanceof kind);
      if (isUntouched) await recovery.settleRefused(intent).catch(() => this.#abandon(intent));
      else await this.#recover(intent);
      throw error;
    }
  }

  /** Removes an item permanently, with the versions of its files. */
  async remove({ id }: TrashItem): Promise<void> {
    const { catalog, retention } = this.#options;
    const versions = await catalog.versions.within(hiddenFolder(id));
    for (const version of versions) await retention.remove(version);
    await catalog.versions.remove(versions);
    await retention.remove(id);
    await catalog.folders.remove(hiddenFolder(id));
    await catalog.trash.remove(id);
  }

  async #begin(kind: IntentKind, from: StoragePath, to: StoragePath | null): Promise<Intent> {
    const change = { kind, from, to, node: this.#options.node };
    const id = await this.#options.catalog.intents.begin(change);
    return { ...change, id, createdAt: Date.now() };
  }

  /** @returns the item of a move into the trash that is complete after all */
  async #recover(intent: Intent): Promise<TrashItem | undefined> {
    try {
      return await this.#options.recovery.recover(intent);
    } catch (error) {
      if (error instanceof IntentClaimed) return this.#resume(intent);
      this.#abandon(intent);
      return undefined;
    }
  }

  /**
   * Follows a change that another node has claimed. If that node has finished it before the bytes moved, nothing but
   * this process knows of them: the change gets a new intent, and is recovered.
   * @returns the item of a move into the trash that is complete
   */
  async #resume({ id, kind, from, to }: Intent): Promise<TrashItem | undefined> {
    const { intents, trash } = this.#options.catalog;
    // It is that node's as long as it is unfinished.
    if (await intents.find(id)) return undefined;
    const itemId = kind === 'trash' && to !== null ? hiddenId(to) : undefined;
    const item = itemId === undefined ? undefined : await trash.find(itemId);
    return item ?? this.#recover(await this.#begin(kind, from, to));
  }

  #abandon(intent: Intent): void {
    this.#options.recovery.noteUnfinished(intent);
    this.#options.onUnfinished(intent.id);
  }
}
