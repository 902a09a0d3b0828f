import type { PathLock } from '../cluster/cluster.ts';
import type { RetainedItems } from '../storage/retention-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import { hiddenId } from './hidden.ts';
import type { Intent } from './records.ts';
import type { Recover } from './sync/recovery.ts';

export interface VersionRecoveryOptions {
  catalog: Pick<CatalogStore, 'intents' | 'trash' | 'versions'>;
  retention: Pick<RetainedItems, 'remove'>;
  lock: PathLock;
}

/**
 * Removes the bytes that were retained for a version without a row: its intent is finished in the step that adds the
 * row, and the file is replaced after that.
 */
export class VersionRecovery {
  readonly #options: VersionRecoveryOptions;
  readonly table: Readonly<Record<'version', Recover>>;

  constructor(options: VersionRecoveryOptions) {
    this.#options = options;
    this.table = { version: (intent) => options.lock.run([intent.from], () => this.recover(intent)) };
  }

  /** The caller holds the path. */
  async recover(intent: Intent): Promise<void> {
    const { catalog, retention } = this.#options;
    const id = hiddenId(intent.to ?? intent.from);
    // Also when another node has claimed the intent: it may have looked before the bytes were there.
    if (id !== undefined && !(await this.#hasRow(id))) await retention.remove(id);
    const present = await catalog.intents.find(intent.id);
    if (present?.node === intent.node) await catalog.intents.finish(intent);
  }

  /** True if the bytes belong to a version or to the trash: `verify --repair` of an earlier version gave them a row. */
  async #hasRow(id: string): Promise<boolean> {
    const { trash, versions } = this.#options.catalog;
    return (await versions.exists(id)) || (await trash.find(id)) !== undefined;
  }
}
