import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { Bus } from './cluster.ts';
import type { Invalidations } from './invalidations.ts';
import type { Message } from './messages.ts';
import { createRetryingTask, type RetryingTask } from './retrying-task.ts';

/** Parts of this node that cache, or follow, data that may change on another node. */
export interface NodeCaches {
  originals: {
    invalidate(path: StoragePath, isFolder: boolean): void;
    markStale(): void;
    confirm(path: StoragePath, etag: string): boolean;
  };
  /** Rows of the catalog. */
  sync: { followChange(path: StoragePath, isFolder: boolean): void };
  variants: { evictLocal(path: StoragePath): Promise<void> };
  /** API keys and sessions. */
  access: { evict(): void; markStale(): void };
  /** Spaces with their rules. */
  spaces: { load(): Promise<void> };
  /** Undefined if this node describes nothing. */
  describing: { wake(): void } | undefined;
  /** Undefined without other nodes. */
  invalidations: Invalidations | undefined;
}

/** Delay before spaces or invalidations are read again after a failure. */
const RETRY_MS = 1000;

/**
 * Applies a change everywhere: evicts caches of this node, notifies the other nodes, then lets the caller continue. The
 * other nodes do the same here on a notification.
 */
export class Changes {
  readonly #bus: Bus;
  readonly #log: Log;
  #caches: NodeCaches | undefined;
  /** Until the spaces are known, the last known rules apply. */
  readonly #loadSpaces: RetryingTask;
  readonly #catchUp: RetryingTask;

  constructor(bus: Bus, log: Log) {
    this.#bus = bus;
    this.#log = log;
    const retrying = (run: () => Promise<unknown>, failure: string) =>
      createRetryingTask({ run, retryMs: RETRY_MS, onFailure: (err) => log.debug({ err }, failure) });
    this.#loadSpaces = retrying(async () => this.#caches?.spaces.load(), 'spaces cannot be read at the moment');
    this.#catchUp = retrying(
      async () => this.#caches?.invalidations?.catchUp(),
      'invalidated variants cannot be read at the moment',
    );
  }

  /** Starts to apply notifications. First recovers those that this node missed while it was off. */
  async follow(caches: NodeCaches): Promise<void> {
    this.#caches = caches;
    this.#bus.subscribe((message) => this.#apply(message, caches));
    this.#bus.onResync(() => this.#markAllStale(caches));
    await this.#catchUp.start();
  }

  /** Called when a file, or everything in a folder, was added, changed or removed. */
  readonly original = async (path: StoragePath, isFolder: boolean, etag?: string): Promise<void> => {
    this.#caches?.originals.invalidate(path, isFolder);
    this.#caches?.describing?.wake();
    await this.#bus.publish({ kind: 'original', path, isFolder, ...(etag !== undefined && { etag }) });
  };

  /** Invalidates the variants at a path: those of these originals, or all. @throws HttpProblem 503 */
  readonly invalidated = async (path: StoragePath, originals: readonly StoragePath[] | 'all'): Promise<void> => {
    await this.#caches?.invalidations?.add(originals);
    await this.#bus.publish(originals === 'all' ? { kind: 'cleared' } : { kind: 'variants', path, isFolder: true });
    await this.#caches?.invalidations?.catchUp();
  };

  /** Called when API keys or sessions have changed. */
  readonly access = async (): Promise<void> => {
    this.#caches?.access.evict();
    await this.#bus.publish({ kind: 'key' });
  };

  /** Called when spaces have changed, and this node applies the change already. */
  readonly spaces = async (): Promise<void> => {
    await this.#bus.publish({ kind: 'spaces' });
  };

  close(): void {
    this.#loadSpaces.stop();
    this.#catchUp.stop();
  }

  #apply(message: Message, caches: NodeCaches): void {
    switch (message.kind) {
      case 'original': {
        const path = message.path as StoragePath;
        // A delayed message may be about a change that this node has seen. What it has made since then is all that it
        // can serve if the store fails now.
        const isKnown = message.etag !== undefined && caches.originals.confirm(path, message.etag);
        if (!isKnown) caches.originals.invalidate(path, message.isFolder);
        caches.sync.followChange(path, message.isFolder);
        caches.describing?.wake();
        if (isKnown) return;
        caches.variants.evictLocal(path).catch((err) => this.#log.error({ err }, 'variants could not be removed'));
        return;
      }
      case 'variants':
      case 'cleared':
        caches.originals.markStale();
        void this.#catchUp.start();
        return;
      case 'spaces':
        void this.#loadSpaces.start();
        return;
      case 'key':
        caches.access.evict();
    }
  }

  /** Assumes every notification that the others could have sent. */
  #markAllStale(caches: NodeCaches): void {
    caches.originals.markStale();
    // The database may not be available yet.
    caches.access.markStale();
    void this.#loadSpaces.start();
    void this.#catchUp.start();
  }
}
