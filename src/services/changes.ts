import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { Bus } from '../cluster/cluster.ts';
import type { Message } from '../cluster/messages.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { Invalidations } from './invalidations.ts';

/** Node-local caches of data that may change on another node. */
export interface Memories {
  originals: Pick<Originals, 'forget' | 'doubt' | 'confirm'>;
  sync: Pick<CatalogKeeper, 'heed'>;
  variants: Pick<VariantStore, 'withdraw'>;
  access: { forgetAccess(): void; doubtAccess(): void };
  /** Undefined if this node describes nothing. */
  describing: { wake(): void } | undefined;
  /** Undefined without other nodes. */
  invalidations: Invalidations | undefined;
}

/** Delay before invalidations are read again after a failure. */
const RETRY_MS = 1000;

/**
 * Applies a change everywhere: evicts caches of this node, notifies the other nodes, then lets the caller continue. The
 * other nodes do the same here on a notification.
 */
export class Changes {
  readonly #bus: Bus;
  readonly #log: Log;
  #memories: Memories | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(bus: Bus, log: Log) {
    this.#bus = bus;
    this.#log = log;
  }

  /** Starts to apply notifications. First recovers those that this node missed while it was off. */
  async heed(memories: Memories): Promise<void> {
    this.#memories = memories;
    this.#bus.subscribe((message) => this.#hear(message, memories));
    this.#bus.onResync(() => this.#forgetAll(memories));
    await this.#catchUp(memories);
  }

  /** Called when a file, or everything in a folder, was added, changed or removed. */
  readonly original = async (path: StoragePath, isFolder: boolean, etag?: string): Promise<void> => {
    this.#memories?.originals.forget(path, isFolder);
    this.#memories?.describing?.wake();
    await this.#bus.publish({ kind: 'original', path, isFolder, ...(etag !== undefined && { etag }) });
  };

  /** Invalidates the variants at a path: those of these originals, or all. @throws HttpProblem 503 */
  readonly invalidated = async (path: StoragePath, originals: readonly StoragePath[] | 'all'): Promise<void> => {
    await this.#memories?.invalidations?.add(originals);
    await this.#bus.publish(originals === 'all' ? { kind: 'cleared' } : { kind: 'variants', path, isFolder: true });
    await this.#memories?.invalidations?.catchUp();
  };

  /** Called when API keys or sessions have changed. */
  readonly access = async (): Promise<void> => {
    this.#memories?.access.forgetAccess();
    await this.#bus.publish({ kind: 'key' });
  };

  close(): void {
    clearTimeout(this.#retry);
  }

  #hear(message: Message, memories: Memories): void {
    switch (message.kind) {
      case 'original': {
        const path = message.path as StoragePath;
        // A message that was held up may be about a change that this node has seen. What it has made since then is all
        // that it can serve if the store fails now.
        const isKnown = message.etag !== undefined && memories.originals.confirm(path, message.etag);
        if (!isKnown) memories.originals.forget(path, message.isFolder);
        memories.sync.heed(path, message.isFolder);
        memories.describing?.wake();
        if (isKnown) return;
        memories.variants.withdraw(path).catch((err) => this.#log.error({ err }, 'variants could not be removed'));
        return;
      }
      case 'variants':
      case 'cleared':
        memories.originals.doubt();
        void this.#catchUp(memories);
        return;
      case 'key':
        memories.access.forgetAccess();
    }
  }

  /** Assumes every notification that the others could have sent. */
  #forgetAll(memories: Memories): void {
    memories.originals.doubt();
    // The database may not be available yet.
    memories.access.doubtAccess();
    void this.#catchUp(memories);
  }

  /** Retries until the invalidations are known; resolves after the first attempt. */
  async #catchUp(memories: Memories): Promise<void> {
    try {
      await memories.invalidations?.catchUp();
    } catch (err) {
      this.#log.debug({ err }, 'it cannot be found out now which variants are to be made again');
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.#catchUp(memories), RETRY_MS);
    }
  }
}
